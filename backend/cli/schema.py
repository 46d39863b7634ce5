"""`as2d schema`."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

from as2d.backend.cli.console import emit
from as2d.backend.export.transcript import transcript_schema_text
from as2d.backend.protocol.schema import schema_text
from as2d.backend.runs.manifest import RunManifest


def schema(
    what: Annotated[
        Literal["transcript", "protocol", "run"],
        typer.Argument(
            help="transcript: a line of --format json; protocol: the event stream; run: manifest.json."
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
            emit(json.dumps(RunManifest.model_json_schema(), indent=2, ensure_ascii=False) + "\n")
