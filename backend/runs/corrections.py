"""Corrected texts of a run's recordings: `corrections.json` in its folder; the decoded ones stay."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from as2d.backend.errors import InputRefused
from as2d.backend.runs.files import storage_error, write_atomically

CORRECTIONS_NAME = "corrections.json"


class Correction(BaseModel):
    """The text that takes the place of a decoded one. A line feed begins a paragraph."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    made: str = Field(description="ISO 8601, UTC")


class Corrections(BaseModel):
    """All corrections of a run, by the recordings' ids in its stream."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    recordings: dict[str, Correction] = {}


def read_corrections(folder: Path) -> Corrections:
    """The corrections in a run's folder; none where there is no such file.

    Raises:
        InputRefused: the file cannot be read, or is of a later version.
    """
    path = folder / CORRECTIONS_NAME
    try:
        return parsed_corrections(path.read_bytes(), path)
    except FileNotFoundError:
        return Corrections()
    except OSError as error:
        raise InputRefused(f"The corrections in {path} cannot be read ({error.strerror}).") from error


def parsed_corrections(content: bytes, path: Path) -> Corrections:
    """The corrections in the content of the file `path`.

    Raises:
        InputRefused: they are of a later version.
    """
    try:
        return Corrections.model_validate_json(content)
    except ValidationError as error:
        raise InputRefused(
            f"{path} holds no corrections that this version of AS²D knows; open the run with the version "
            "that made them, or move the file away."
        ) from error


def write_correction(folder: Path, recording: str, text: str | None) -> None:
    """Keep the corrected text of a recording; None: its decoded text counts again. What is there of other
    recordings stays.

    Raises:
        InputRefused: the file cannot be written, or what is there cannot be read.
        OutOfSpace: the disk is full. The old file is as it was.
    """
    recordings = dict(read_corrections(folder).recordings)
    before = recordings.pop(recording, None)
    if text is not None and before is not None and before.text == text:
        return
    if text is not None:
        made = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        recordings[recording] = Correction(text=text, made=made)
    path = folder / CORRECTIONS_NAME
    try:
        if recordings:
            whole = Corrections(recordings=recordings)
            write_atomically(path, whole.model_dump_json(indent=1).encode("utf-8", "replace") + b"\n")
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, folder, "the corrected transcript") from error
