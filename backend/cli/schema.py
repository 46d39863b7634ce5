"""`as2d schema`."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer
from pydantic import BaseModel

from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.cli.console import emit
from as2d.backend.export.transcript import transcript_schema_text
from as2d.backend.protocol.schema import schema_text
from as2d.backend.replay.trace_file import TraceLine
from as2d.backend.runs.manifest import RunManifest


def schema(
    what: Annotated[
        Literal["transcript", "protocol", "run", "trace", "cost-profile"],
        typer.Argument(
            metavar="NAME",
            help="transcript: a line of --format json; protocol: the event stream; run: manifest.json; "
            "trace: a line of `as2d trace`; cost-profile: a file of `as2d calibrate`.",
        ),
    ] = "transcript",
) -> None:
    """Print the JSON schema of a format."""
    match what:
        case "transcript":
            emit(transcript_schema_text())
        case "protocol":
            emit(schema_text())
        case "run":
            emit(_text(RunManifest))
        case "trace":
            emit(_text(TraceLine))
        case "cost-profile":
            emit(_text(CostProfile))


def _text(model: type[BaseModel]) -> str:
    return json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
