"""The encoder graph: samples in, encoder states out."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.models.graphs.front_end import add_log_mel
from as2d.backend.models.graphs.layers import add_feed_forward, add_self_attention
from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.graphs.writer import GraphWriter


def write_encoder(weights: WhisperWeights, path: Path, precise_gelu: bool) -> None:
    """Writes `pcm` [1, 1, 160·T + 240], `positions` [1, T/2, width] → `states` [1, T/2, width].

    `pcm` is in [-1, 1] and already reflect-padded: 200 samples left, 40 right of 160·T. T is dynamic and
    even; 3000 for a full window.
    """
    graph = GraphWriter("encoder", precise_gelu)
    pcm = graph.input("pcm", [1, 1, "S"])
    positions = graph.input("positions", [1, "F", weights.width])
    x = add_log_mel(graph, pcm, weights.mels)
    for name, stride in (("conv1", 1), ("conv2", 2)):
        layer = weights.convolution(name)
        kernel, bias = graph.constant(layer.weight), graph.constant(layer.bias)
        x = graph.gelu(graph.op("Conv", x, kernel, bias, pads=[1, 1], strides=[stride]))
    x = graph.op("Add", graph.transpose(x, 0, 2, 1), positions)
    for layer_index in range(weights.encoder_layers):
        x, _, _ = add_self_attention(graph, weights, f"encoder/layer_{layer_index}/self_attention", x)
        x = add_feed_forward(graph, weights, f"encoder/layer_{layer_index}/ffn", x)
    final = weights.norm("encoder/layer_norm")
    graph.output(graph.layer_norm(x, final.gamma, final.beta), "states", [1, "F", weights.width])
    graph.save(path)
