"""The encoder graph: samples in, encoder states out."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.models.graphs.front_end import add_log_mel
from as2d.backend.models.graphs.layers import add_feed_forward
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
        x = _add_self_attention(graph, weights, f"encoder/layer_{layer_index}/self_attention", x)
        x = add_feed_forward(graph, weights, f"encoder/layer_{layer_index}/ffn", x)
    final = weights.norm("encoder/layer_norm")
    graph.output(graph.layer_norm(x, final.gamma, final.beta), "states", [1, "F", weights.width])
    graph.save(path)


def _add_self_attention(graph: GraphWriter, weights: WhisperWeights, name: str, x: str) -> str:
    norm = weights.norm(f"{name}/layer_norm")
    y = graph.layer_norm(x, norm.gamma, norm.beta)
    fused = weights.linear(f"{name}/linear_0")
    width = weights.width
    query, key, value = (
        graph.split_heads(graph.linear(y, part.weight, part.bias), weights.heads)
        for part in (fused.rows(0, width), fused.rows(width, 2 * width), fused.rows(2 * width, 3 * width))
    )
    query = graph.scaled(query, weights.query_scale)
    scores = graph.op("Softmax", graph.op("MatMul", query, graph.transpose(key, 0, 1, 3, 2)), axis=-1)
    mixed = graph.transpose(graph.op("MatMul", scores, value), 0, 2, 1, 3)
    out = weights.linear(f"{name}/linear_1")
    return graph.op("Add", x, graph.linear(graph.reshape(mixed, 1, -1, width), out.weight, out.bias))
