"""`model.json`: what a model folder holds and what the model can do."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    ValidationError,
    model_validator,
)

from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem

MANIFEST_NAME = "model.json"

Role = Literal["target", "drafter"]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ModelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]


def _plain_name(value: str) -> str:
    if not value or PurePosixPath(value).name != value or "\\" in value or value in {".", ".."}:
        raise ValueError("must be a file name without a folder")
    return value


FileName = Annotated[str, AfterValidator(_plain_name)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Arithmetic(_Strict):
    """How is computed: memory `low` computes int8 weights in integers, `normal` in floating point."""

    memory: Literal["low", "normal", "high"] = "normal"
    precision: Literal["low", "normal", "high"] = "normal"


class Dims(_Strict):
    """Sizes of the network; `audio_positions` are encoder frames of a full window, 50 a second."""

    layers: PositiveInt
    heads: PositiveInt
    head_dim: PositiveInt
    width: PositiveInt
    vocab: PositiveInt
    audio_positions: PositiveInt
    text_positions: PositiveInt


class AudioFrontEnd(_Strict):
    """Samples the encoder takes; with `cut_to_audio` only those of the audio instead of a whole window."""

    sample_rate: PositiveInt = 16000
    hop: PositiveInt = 160
    n_fft: PositiveInt = 400
    window_s: PositiveInt = 30
    cut_to_audio: bool = False


class SpecialTokens(_Strict):
    """Ids of the special tokens; `languages` is empty in an English-only model."""

    start: int
    end: int
    transcribe: int
    translate: int
    no_timestamps: int
    no_speech: int
    languages: dict[str, int]


class Declares(_Strict):
    """Languages (codes) and tasks that the model may be asked for."""

    languages: list[str]
    tasks: list[Literal["transcribe", "translate"]]


class Limits(_Strict):
    """`tokens`: text tokens a window."""

    tokens: PositiveInt


class ModelFile(_Strict):
    """One file of the folder; `arithmetic` only where it differs from the model's."""

    path: FileName
    size: int = Field(ge=0)
    sha256: Sha256
    arithmetic: Arithmetic | None = None


class PackageOrigin(_Strict):
    """The Python package that carried weights."""

    package: str
    version: str
    sha256: Sha256


class Converter(_Strict):
    """The version of MNN that wrote the graphs."""

    mnn: str


class ModelManifest(_Strict):
    """The content of `model.json`."""

    format: Literal[2] = 2
    name: ModelName
    kind: Literal["whisper"] = "whisper"
    title: str
    roles: list[Role]
    arithmetic: Arithmetic
    dims: Dims
    audio: AudioFrontEnd
    tokens: SpecialTokens
    suppress: list[int]
    suppress_begin: list[int]
    alignment_heads: list[tuple[int, int]]
    declares: Declares
    limits: Limits
    files: dict[str, ModelFile]
    licence: str
    source: list[PackageOrigin]
    converter: Converter

    @model_validator(mode="after")
    def _complete(self) -> ModelManifest:
        needed = {
            "encoder",
            "cross",
            "decoder",
            "embeddings",
            "positions",
            "encoder_positions",
            "tokenizer",
            "licence",
        }
        missing = sorted(needed - self.files.keys())
        if missing:
            raise ValueError(f"names no file for {', '.join(missing)}")
        paths = [file.path for file in self.files.values()]
        if len(set(paths)) != len(paths) or MANIFEST_NAME in paths:
            raise ValueError("names a file twice")
        return self

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files.values())

    @property
    def decodes_in_integers(self) -> bool:
        """Whether the decoder's weights are in 8 bits and computed so."""
        return (self.files["decoder"].arithmetic or self.arithmetic).memory == "low"

    def to_bytes(self) -> bytes:
        """The bytes of `model.json`: the same manifest always gives the same bytes."""
        content: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of `to_bytes()`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


def read_manifest(folder: Path) -> tuple[ModelManifest, str]:
    """The manifest of a model folder and the SHA-256 of its bytes.

    Raises:
        InputRefused: there is none, or it is not valid.
    """
    path = folder / MANIFEST_NAME
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputRefused(
            f"The model folder {folder} cannot be read ({error.strerror}: {path}); "
            f"name a folder with a {MANIFEST_NAME}."
        ) from error
    try:
        manifest = ModelManifest.model_validate_json(content)
    except ValidationError as error:
        raise InputRefused(
            f"The model manifest {path} is not valid ({first_problem(error)}); install the model again."
        ) from error
    return manifest, hashlib.sha256(content).hexdigest()
