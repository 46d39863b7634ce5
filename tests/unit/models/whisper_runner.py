"""Runs a model folder with the MNN package, greedily: what the helper does, a second time in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from as2d.backend.models.manifest import ModelManifest
from as2d.backend.models.mnn_module import MnnModule
from as2d.backend.models.store import InstalledModel

Float = NDArray[np.float32]
WINDOW_FRAMES = 3000
MASKED = -1e9


def padded(pcm: Float, frames: int = WINDOW_FRAMES) -> Float:
    """[1, 1, 160·frames + 240]: zeros behind the audio; 200 reflected samples left, 40 right."""
    samples = np.zeros(160 * frames, np.float32)
    samples[: min(len(pcm), len(samples))] = pcm[: len(samples)]
    return np.pad(samples, (200, 40), mode="reflect")[None, None]


def causal_mask(new: int, past: int) -> Float:
    """[1, 1, new, past + new]: position i sees the past and the new positions up to i."""
    return np.triu(np.full((new, past + new), MASKED, np.float32), past + 1)[None, None]


def layer_names(prefix: str, layers: int) -> list[str]:
    """`<prefix>k0`, `<prefix>v0`, `<prefix>k1`, …"""
    return [f"{prefix}{part}{layer}" for layer in range(layers) for part in "kv"]


class WhisperRunner:
    """One model with its own cache of keys and values. `threads` for every graph."""

    def __init__(self, model: InstalledModel, threads: int = 1) -> None:
        self.manifest = model.manifest
        self._model = model
        self._threads = threads
        dims = self.manifest.dims
        self.embeddings = self._table("embeddings", np.float16).reshape(dims.vocab, dims.width)
        self.positions = self._table("positions", np.float32).reshape(dims.text_positions, dims.width)
        self.encoder_positions = self._table("encoder_positions", np.float32).reshape(-1, dims.width)
        layers = dims.layers
        self._encoder = self._graph("encoder", ["pcm", "positions"], ["states"])
        self._cross = self._graph("cross", ["states"], layer_names("x", layers))
        self._decoder = self._graph(
            "decoder",
            ["x", "mask", *layer_names("p", layers), *layer_names("x", layers)],
            ["hidden", *layer_names("n", layers)],
        )
        self.audio: list[Float] = []
        self.reset()

    def _table(self, role: str, dtype: type) -> NDArray[np.float32]:
        return np.fromfile(self._model.path / self.manifest.files[role].path, dtype)

    def _graph(self, role: str, inputs: list[str], outputs: list[str]) -> MnnModule:
        file = self.manifest.files[role]
        low = (file.arithmetic or self.manifest.arithmetic).memory == "low"
        return MnnModule(
            self._model.path / file.path, inputs, outputs, self._threads, "low" if low else "normal"
        )

    def states(self, pcm: Float, frames: int = WINDOW_FRAMES) -> Float:
        """Encoder states [1, frames / 2, width] of a window."""
        return self._encoder(padded(pcm, frames), self.encoder_positions[None, : frames // 2])[0]

    def listen(self, pcm: Float, frames: int = WINDOW_FRAMES) -> None:
        """Computes what decoding needs of a window's audio."""
        self.audio = self._cross(self.states(pcm, frames))
        self.reset()

    def reset(self) -> None:
        """Forgets the text."""
        dims = self.manifest.dims
        self._past = [np.zeros((1, dims.heads, 0, dims.head_dim), np.float32)] * (2 * dims.layers)
        self._length = 0

    def embedded(self, tokens: Sequence[int], start: int) -> Float:
        """[1, K, width]: token and position embeddings."""
        table = self.embeddings[list(tokens)].astype(np.float32)
        return (table + self.positions[start : start + len(tokens)])[None]

    def run(self, tokens: Sequence[int]) -> Float:
        """Logits [K, vocab] behind each of K tokens, run in one call."""
        x = self.embedded(tokens, self._length)
        hidden, *new = self._decoder(x, causal_mask(len(tokens), self._length), *self._past, *self.audio)
        self._past = [np.concatenate(pair, axis=2) for pair in zip(self._past, new, strict=True)]
        self._length += len(tokens)
        return hidden[0] @ self.embeddings.T.astype(np.float32)

    def prompt(self, language: str) -> list[int]:
        """Start, language and task (multilingual models), no timestamps."""
        tokens = self.manifest.tokens
        middle = [tokens.languages[language], tokens.transcribe] if tokens.languages else []
        return [tokens.start, *middle, tokens.no_timestamps]

    def greedy(self, language: str) -> tuple[list[int], list[float]]:
        """Text tokens without the end, and for each choice (the end too) its margin over the second best."""
        manifest: ModelManifest = self.manifest
        self.reset()
        row = self.run(self.prompt(language))[-1]
        row[manifest.suppress_begin] = -np.inf
        tokens: list[int] = []
        margins: list[float] = []
        while len(tokens) < manifest.limits.tokens:
            row[manifest.suppress] = -np.inf
            second, best = np.partition(row, -2)[-2:]
            margins.append(float(best - second))
            token = int(row.argmax())
            if token == manifest.tokens.end:
                break
            tokens.append(token)
            row = self.run([token])[-1]
        return tokens, margins
