"""Parts that several graphs share."""

from __future__ import annotations

from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.graphs.writer import GraphWriter


def add_feed_forward(graph: GraphWriter, weights: WhisperWeights, name: str, x: str) -> str:
    """x [1, n, width] + its feed-forward block."""
    norm = weights.norm(f"{name}/layer_norm")
    inner, outer = weights.linear(f"{name}/linear_0"), weights.linear(f"{name}/linear_1")
    y = graph.linear(graph.layer_norm(x, norm.gamma, norm.beta), inner.weight, inner.bias)
    return graph.op("Add", x, graph.linear(graph.gelu(y), outer.weight, outer.bias))


def add_self_attention(
    graph: GraphWriter,
    weights: WhisperWeights,
    name: str,
    x: str,
    mask: str | None = None,
    past: tuple[str, str] | None = None,
) -> tuple[str, str, str]:
    """x [1, K, width] + self-attention over the past and itself.

    `mask` [1, 1, K, P + K] is added to the scores (None: every position attends to all). `past` is (keys,
    values), each [1, heads, P, head_dim], or None for P = 0. Returns (x, new keys, new values), the new ones
    [1, heads, K, head_dim].
    """
    norm = weights.norm(f"{name}/layer_norm")
    y = graph.layer_norm(x, norm.gamma, norm.beta)
    fused = weights.linear(f"{name}/linear_0")
    width = weights.width
    query, key, value = (
        graph.split_heads(graph.linear(y, part.weight, part.bias), weights.heads)
        for part in (fused.rows(0, width), fused.rows(width, 2 * width), fused.rows(2 * width, 3 * width))
    )
    query = graph.scaled(query, weights.query_scale)
    keys, values = key, value
    if past is not None:
        keys = graph.op("Concat", past[0], key, axis=2)
        values = graph.op("Concat", past[1], value, axis=2)
    scores = graph.op("MatMul", query, graph.transpose(keys, 0, 1, 3, 2))
    if mask is not None:
        scores = graph.op("Add", scores, mask)
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), values)
    joined = graph.reshape(graph.transpose(mixed, 0, 2, 1, 3), 1, -1, width)
    out = weights.linear(f"{name}/linear_1")
    return graph.op("Add", x, graph.linear(joined, out.weight, out.bias)), key, value


def add_cross_attention(
    graph: GraphWriter, weights: WhisperWeights, name: str, x: str, keys: str, values: str
) -> tuple[str, str]:
    """x [1, K, width] + attention to the audio.

    `keys` [1, heads, F, head_dim] and `values` [1, heads, head_dim, F]: multiplied from the left, so that
    one text position streams through both in storage order. Returns (x, attention [1, heads, F, K]).
    """
    norm = weights.norm(f"{name}/layer_norm")
    y = graph.layer_norm(x, norm.gamma, norm.beta)
    ask = weights.linear(f"{name}/linear_0")
    query = graph.scaled(
        graph.split_heads(graph.linear(y, ask.weight, ask.bias), weights.heads), weights.query_scale
    )
    scores = graph.op("MatMul", keys, graph.transpose(query, 0, 1, 3, 2))
    attention = graph.op("Softmax", scores, axis=2)
    mixed = graph.transpose(graph.op("MatMul", values, attention), 0, 3, 1, 2)
    joined = graph.reshape(mixed, 1, -1, weights.width)
    out = weights.linear(f"{name}/linear_2")
    return graph.op("Add", x, graph.linear(joined, out.weight, out.bias)), attention
