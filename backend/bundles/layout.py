"""What a bundle is: a zip with a table of contents and, for each run, files of known names."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.runs.corrections import CORRECTIONS_NAME
from as2d.backend.runs.labels import LABELS_NAME
from as2d.backend.runs.manifest import MANIFEST_NAME, STREAM_NAME
from as2d.backend.runs.recording_files import AUDIO_FOLDER

ENDING = "as2d"
CONTENTS_NAME = "bundle.json"
RUNS = "runs"
TRANSCRIPTS = "transcripts"
RECORDING = r"[A-Za-z0-9_-]{1,64}"

_MIB = 1 << 20
_SIZES: tuple[tuple[str, int], ...] = (
    (re.escape(MANIFEST_NAME), 16 * _MIB),
    (re.escape(STREAM_NAME), 8192 * _MIB),
    (re.escape(LABELS_NAME), _MIB),
    (re.escape(CORRECTIONS_NAME), 64 * _MIB),
    (rf"{TRANSCRIPTS}/{RECORDING}\.(txt|json)", 256 * _MIB),
    (rf"{AUDIO_FOLDER}/{RECORDING}\.[a-z0-9]{{1,8}}", 16384 * _MIB),
)
CONTENTS_BYTES = 16 * _MIB

RunName = Annotated[str, Field(pattern=r"^[0-9a-z-]{1,80}$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class BundledFile(_Part):
    """A file of a run: its bytes and their SHA-256."""

    size: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class BundledRun(_Part):
    """A run: its name and its files by their names in its folder."""

    run: RunName
    files: dict[str, BundledFile] = Field(max_length=20_000)


class Contents(_Part):
    """`bundle.json`, the first file of a bundle."""

    kind: Literal["as2d-bundle"] = "as2d-bundle"
    format: Literal[1] = 1
    runs: list[BundledRun] = Field(min_length=1, max_length=1000)


def most_bytes(name: str) -> int | None:
    """How large a file of a run's folder may be by its name; None: a bundle holds no file of this name."""
    return next((size for pattern, size in _SIZES if re.fullmatch(pattern, name)), None)


def entry_name(run: str, name: str) -> str:
    """A file's name in the zip."""
    return f"{RUNS}/{run}/{name}"
