"""The words graph: how the text attends to the audio, for word times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from as2d.backend.models.graphs.layers import add_cross_attention, add_feed_forward, add_self_attention
from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.graphs.writer import GraphWriter


def write_words(
    weights: WhisperWeights, alignment_heads: Sequence[tuple[int, int]], path: Path, precise_gelu: bool
) -> None:
    """Writes one pass over a whole text whose result is the attention of the alignment heads.

    Inputs `x` [1, N, width], `mask` [1, 1, N, N], `xk{l}`, `xv{l}` as in the decoder, for the layers up to
    the last one with an alignment head → `attention` [heads, N, F], softmax weights over the F audio
    frames, one row a (layer, head) of `alignment_heads` in its order.
    """
    graph = GraphWriter("words", precise_gelu)
    heads, head_dim = weights.heads, weights.head_dim
    x = graph.input("x", [1, "N", weights.width])
    mask = graph.input("mask", [1, 1, "N", "N"])
    last = max(layer for layer, _ in alignment_heads)
    attention: dict[int, str] = {}
    for layer in range(last + 1):
        keys = graph.input(f"xk{layer}", [1, heads, "F", head_dim])
        values = graph.input(f"xv{layer}", [1, heads, head_dim, "F"])
        name = f"decoder/layer_{layer}"
        x, _, _ = add_self_attention(graph, weights, f"{name}/self_attention", x, mask, None)
        x, attention[layer] = add_cross_attention(graph, weights, f"{name}/attention", x, keys, values)
        if layer < last:
            x = add_feed_forward(graph, weights, f"{name}/ffn", x)
    chosen = [graph.slice(attention[layer], 1, head, head + 1) for layer, head in alignment_heads]
    stacked = graph.op("Concat", *chosen, axis=1)  # [1, heads, F, N]
    rows = graph.op("Squeeze", graph.transpose(stacked, 0, 1, 3, 2), graph.constant(np.array([0], np.int64)))
    graph.output(rows, "attention", [len(chosen), "N", "F"])
    graph.save(path)
