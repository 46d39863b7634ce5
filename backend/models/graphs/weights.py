"""Whisper's weights by their role, read from a CTranslate2 file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from as2d.backend.models.ct2 import CTranslate2File, NotCTranslate2Error

Float = NDArray[np.float32]


@dataclass(frozen=True)
class Linear:
    """weight [out, in], bias [out]."""

    weight: Float
    bias: Float

    def rows(self, start: int, end: int) -> Linear:
        """The outputs start..end-1 as a layer of their own."""
        return Linear(self.weight[start:end], self.bias[start:end])


@dataclass(frozen=True)
class Norm:
    """gamma [width], beta [width]."""

    gamma: Float
    beta: Float


class WhisperWeights:
    """One Whisper model; every array comes back as float32, exactly as stored."""

    def __init__(self, file: CTranslate2File) -> None:
        if file.spec != "WhisperSpec" or file.revision != 3:
            raise NotCTranslate2Error(f"holds {file.spec} revision {file.revision}, expected WhisperSpec 3")
        self._file = file
        self.heads = file.scalar("decoder/num_heads")
        self.encoder_layers = self._layers("encoder")
        self.decoder_layers = self._layers("decoder")
        self.vocab, self.width = file["decoder/embeddings/weight"].shape
        self.head_dim = self.width // self.heads
        self.audio_positions = file["encoder/position_encodings/encodings"].shape[0]
        self.text_positions = file["decoder/position_encodings/encodings"].shape[0]
        self.mels = file["encoder/conv1/weight"].shape[1]
        if file.scalar("encoder/num_heads") != self.heads or self.head_dim * self.heads != self.width:
            raise NotCTranslate2Error("has an uneven number of attention heads")

    def _layers(self, part: str) -> int:
        names = {name.split("/")[1] for name in self._file if name.startswith(f"{part}/layer_")}
        return len(names - {"layer_norm"})

    @property
    def query_scale(self) -> float:
        """1 / √head_dim."""
        return float(self.head_dim**-0.5)

    def linear(self, name: str) -> Linear:
        """`name` as in the file, without `/weight`."""
        return Linear(self._file.float32(f"{name}/weight"), self._file.float32(f"{name}/bias"))

    def norm(self, name: str) -> Norm:
        """`name` as in the file, without `/gamma`."""
        return Norm(self._file.float32(f"{name}/gamma"), self._file.float32(f"{name}/beta"))

    def convolution(self, name: str) -> Linear:
        """weight [out, in, kernel], bias [out]."""
        return self.linear(f"encoder/{name}")

    @property
    def embeddings(self) -> NDArray[np.float16]:
        """[vocab, width]; the projection to the vocabulary is its transpose."""
        table = self._file["decoder/embeddings/weight"]
        if table.dtype != np.float16:
            raise NotCTranslate2Error(f"holds {table.dtype} embeddings, expected float16")
        return table

    @property
    def positions(self) -> Float:
        """[text_positions, width]."""
        return self._file.float32("decoder/position_encodings/encodings")

    @property
    def encoder_positions(self) -> Float:
        """[audio_positions, width]."""
        return self._file.float32("encoder/position_encodings/encodings")
