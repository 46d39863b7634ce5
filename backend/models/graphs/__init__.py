"""The graphs a Whisper model is made of, one module a graph, written as ONNX."""
