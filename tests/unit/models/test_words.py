"""The words graph, against the decoder's attention computed in numpy from the weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.models.whisper_runner import WhisperRunner, causal_mask, layer_names

from as2d.backend.models.ct2 import CTranslate2File
from as2d.backend.models.mnn_module import MnnModule
from as2d.backend.models.store import InstalledModel

Float = NDArray[np.float64]


class NumpyDecoder:
    """Whisper's decoder in float64, one text at once; keeps the attention to the audio."""

    def __init__(self, file: CTranslate2File, heads: int) -> None:
        self._file = file
        self._heads = heads

    def attention(self, x: Float, states: Float, layers: int) -> list[Float]:
        """For each layer the attention [heads, N, F] of x [N, width] to the states [F, width]."""
        found = []
        for layer in range(layers):
            name = f"decoder/layer_{layer}"
            y = self._norm(x, f"{name}/self_attention/layer_norm")
            query, key, value = np.split(self._linear(y, f"{name}/self_attention/linear_0"), 3, axis=-1)
            mixed, _ = self._attend(query, key, value, np.triu(np.full((len(x), len(x)), -np.inf), 1))
            x = x + self._linear(mixed, f"{name}/self_attention/linear_1")
            y = self._norm(x, f"{name}/attention/layer_norm")
            key, value = np.split(self._linear(states, f"{name}/attention/linear_1"), 2, axis=-1)
            mixed, weights = self._attend(self._linear(y, f"{name}/attention/linear_0"), key, value, 0.0)
            found.append(weights)
            x = x + self._linear(mixed, f"{name}/attention/linear_2")
            y = self._linear(self._norm(x, f"{name}/ffn/layer_norm"), f"{name}/ffn/linear_0")
            x = x + self._linear(gelu(y), f"{name}/ffn/linear_1")
        return found

    def _attend(self, query: Float, key: Float, value: Float, mask: Float | float) -> tuple[Float, Float]:
        q, k, v = (
            part.reshape(len(part), self._heads, -1).transpose(1, 0, 2) for part in (query, key, value)
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ v).transpose(1, 0, 2).reshape(len(query), -1), weights

    def _linear(self, x: Float, name: str) -> Float:
        weight, bias = (self._file[f"{name}/{part}"].astype(np.float64) for part in ("weight", "bias"))
        return x @ weight.T + bias

    def _norm(self, x: Float, name: str) -> Float:
        gamma, beta = (self._file[f"{name}/{part}"].astype(np.float64) for part in ("gamma", "beta"))
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def gelu(x: Float) -> Float:
    """x · Φ(x), with erf by Abramowitz and Stegun 7.1.26 (absolute error below 1.5e-7)."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    polynomial = t * np.polyval([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], t)
    erf = np.sign(x) * (1 - polynomial * np.exp(-(z**2)))
    return x * (1 + erf) / 2


@pytest.mark.shared_data
def test_attention_of_the_alignment_heads(
    whisper_base: InstalledModel,
    ctranslate2_folder: Callable[[str], Path],
    shared_data: Path,
    first_window: Callable[[Path], NDArray[np.float32]],
) -> None:
    runner = WhisperRunner(whisper_base)
    manifest = whisper_base.manifest
    pcm = first_window(shared_data / "speech" / "jfk.flac")
    states = runner.states(pcm)
    runner.listen(pcm)
    text, _ = runner.greedy("en")
    sequence = [*runner.prompt("en"), *text, manifest.tokens.end]
    layers = 1 + max(layer for layer, _ in manifest.alignment_heads)
    words = MnnModule(
        whisper_base.path / manifest.files["words"].path,
        ["x", "mask", *layer_names("x", layers)],
        ["attention"],
    )
    x = runner.embedded(sequence, 0)
    (attention,) = words(x, causal_mask(len(sequence), 0), *runner.audio[: 2 * layers])
    decoder = NumpyDecoder(
        CTranslate2File(ctranslate2_folder("whisper-base") / "model.bin"), manifest.dims.heads
    )
    per_layer = decoder.attention(x[0].astype(np.float64), states[0].astype(np.float64), layers)
    expected = np.stack([per_layer[layer][head] for layer, head in manifest.alignment_heads])
    assert attention.shape == (len(manifest.alignment_heads), len(sequence), 1500)
    np.testing.assert_allclose(attention, expected, rtol=0, atol=1e-4)
    np.testing.assert_allclose(attention.sum(-1), 1.0, rtol=0, atol=1e-4)
    # The speech lasts 11 of the 30 s; where the heads look most moves on with the words.
    looks = attention.mean(0).argmax(-1)[len(runner.prompt("en")) : -1] / 50
    heard = looks[looks < 11.2]
    assert len(heard) >= 0.9 * len(looks)
    assert np.corrcoef(heard, np.arange(len(heard)))[0, 1] > 0.95
