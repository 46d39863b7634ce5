"""AS²D Studio: asynchronous speculative decoding of speech, measured and shown."""

__version__ = "0.1.0"
