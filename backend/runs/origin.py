"""Where a run came from that was not made here: `origin.json` of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

ORIGIN_NAME = "origin.json"


class Origin(BaseModel):
    """The bundle that a run was opened from (its file's name), when (ISO 8601, UTC), and its name there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    bundle: str
    opened: str
    run: str


def read_origin(folder: Path) -> Origin | None:
    """Where the run of this folder came from; None: it was made here."""
    path = folder / ORIGIN_NAME
    try:
        return Origin.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):  # whatever it says, the run is none of this computer's
        return Origin(bundle="", opened="", run=folder.name)
