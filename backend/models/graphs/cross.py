"""The cross graph: keys and values of the audio for every decoder layer, computed once a window."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.graphs.writer import GraphWriter


def write_cross(weights: WhisperWeights, path: Path) -> None:
    """Writes `states` [1, F, width] → `xk{l}` [1, heads, F, head_dim], `xv{l}` [1, heads, head_dim, F]."""
    graph = GraphWriter("cross")
    states = graph.input("states", [1, "F", weights.width])
    heads, head_dim, width = weights.heads, weights.head_dim, weights.width
    for layer in range(weights.decoder_layers):
        fused = weights.linear(f"decoder/layer_{layer}/attention/linear_1")
        key, value = fused.rows(0, width), fused.rows(width, 2 * width)
        keys = graph.split_heads(graph.linear(states, key.weight, key.bias), heads)
        graph.output(keys, f"xk{layer}", [1, heads, "F", head_dim])
        values = graph.reshape(graph.linear(states, value.weight, value.bias), 1, 0, heads, -1)
        graph.output(graph.transpose(values, 0, 2, 3, 1), f"xv{layer}", [1, heads, head_dim, "F"])
    graph.save(path)
