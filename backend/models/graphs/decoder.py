"""The decoder graph: K text positions in one call."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.models.graphs.layers import add_cross_attention, add_feed_forward, add_self_attention
from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.graphs.writer import GraphWriter


def write_decoder(weights: WhisperWeights, path: Path, precise_gelu: bool) -> None:
    """Writes the decoder step, without the vocabulary projection: the helper does that itself.

    Inputs `x` [1, K, width] (token + position embeddings), `mask` [1, 1, K, P + K] (added to the scores),
    `pk{l}`, `pv{l}` [1, heads, P, head_dim] (P may be 0), `xk{l}` [1, heads, F, head_dim],
    `xv{l}` [1, heads, head_dim, F] → `hidden` [1, K, width], `nk{l}`, `nv{l}` [1, heads, K, head_dim].
    """
    graph = GraphWriter("decoder", precise_gelu)
    heads, head_dim = weights.heads, weights.head_dim
    layers = range(weights.decoder_layers)
    x = graph.input("x", [1, "K", weights.width])
    mask = graph.input("mask", [1, 1, "K", "PK"])
    past = [
        (
            graph.input(f"pk{layer}", [1, heads, "P", head_dim]),
            graph.input(f"pv{layer}", [1, heads, "P", head_dim]),
        )
        for layer in layers
    ]
    audio = [
        (
            graph.input(f"xk{layer}", [1, heads, "F", head_dim]),
            graph.input(f"xv{layer}", [1, heads, head_dim, "F"]),
        )
        for layer in layers
    ]
    new: list[tuple[str, str]] = []
    for layer in layers:
        name = f"decoder/layer_{layer}"
        x, key, value = add_self_attention(graph, weights, f"{name}/self_attention", x, mask, past[layer])
        new.append((key, value))
        x, _ = add_cross_attention(graph, weights, f"{name}/attention", x, *audio[layer])
        x = add_feed_forward(graph, weights, f"{name}/ffn", x)
    final = weights.norm("decoder/layer_norm")
    x = graph.layer_norm(x, final.gamma, final.beta)
    graph.output(x, "hidden", [1, "K", weights.width])
    for layer, (key, value) in enumerate(new):
        graph.output(key, f"nk{layer}", [1, heads, "K", head_dim])
        graph.output(value, f"nv{layer}", [1, heads, "K", head_dim])
    graph.save(path)
