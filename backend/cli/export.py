"""`as2d export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import typer

from as2d.backend.audio.names import printable
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.missing_end import warn_of_missing_end
from as2d.backend.cli.options import OverwriteOption
from as2d.backend.cli.outputs import checked_output
from as2d.backend.errors import WrongUse
from as2d.backend.export.content import (
    PERFETTO_ENDING,
    ContentFormat,
    chosen_recordings,
    export_content,
)
from as2d.backend.export.each import write_each
from as2d.backend.export.formats import FORMATS
from as2d.backend.export.picture import PICTURE_FORMATS, Picture, PictureFormat, draw_picture
from as2d.backend.export.tables import TableName
from as2d.backend.export.transcript import transcript_of
from as2d.backend.paths import runs_dir
from as2d.backend.runs.corrections import read_corrections
from as2d.backend.runs.files import storage_error, write_atomically
from as2d.backend.runs.store import RunStore, StoredRun

ExportFormat = Literal[ContentFormat, PictureFormat]
_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
_BINARY = ("perfetto", "png")


def export(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's name, a beginning of it, 'last', or its folder.")
    ] = "last",
    form: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format",
            help="Transcripts: txt, srt, vtt, json. Tables: csv, jsonl, md. The timeline: perfetto (for the "
            "Perfetto UI), or as a picture png, svg. Default: by the ending of --output.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; - is standard output.")
    ] = None,
    output_dir: Annotated[
        Path | None, typer.Option(help="A folder for one transcript file a recording.")
    ] = None,
    recording: Annotated[
        str | None, typer.Option(help="Only this recording, by its name or its number, as a1.")
    ] = None,
    decoded: Annotated[
        bool, typer.Option("--decoded", help="Of transcripts: the decoded text, not the corrected one.")
    ] = False,
    table: Annotated[TableName, typer.Option(help="Of csv, jsonl and md: what a row is.")] = "requests",
    begin: Annotated[
        float | None, typer.Option("--from", help="Of pictures: begin at this second of the time axis.")
    ] = None,
    end: Annotated[float | None, typer.Option("--to", help="Of pictures: end at this second.")] = None,
    width: Annotated[int, typer.Option(help="Of pictures: width in points.")] = 1600,
    height: Annotated[int, typer.Option(help="Of pictures: height in points.")] = 480,
    scale: Annotated[float, typer.Option(help="Of png: pixels a point.")] = 2.0,
    dark: Annotated[bool, typer.Option("--dark", help="Of pictures: light on dark.")] = False,
    audio_time: Annotated[
        bool, typer.Option("--audio-time", help="Of pictures: the audio's time instead of decode time.")
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a recorded run's transcripts, tables, timeline or trace; it needs no model and no phone."""
    if output is not None and output_dir is not None:
        raise WrongUse("Give --output FILE or --output-dir FOLDER, not both.")
    form = form or _by_ending(output)
    if output is None and form in _BINARY:
        raise WrongUse(f"{form} is no text for a terminal; give --output FILE, or - for standard output.")
    if form == "perfetto" and recording is not None:
        raise WrongUse("A trace holds the whole run; leave --recording out.")
    if form not in PICTURE_FORMATS and (begin is not None or end is not None):
        raise WrongUse("--from and --to choose a part of a picture; use --recording here.")
    stored = RunStore(runs_dir()).find(run)
    _read_to_the_end(stored)
    if output_dir is not None:
        _write_each(stored, form, output_dir, recording, decoded=decoded, overwrite=overwrite)
        return
    place = checked_output(output, [], overwrite=overwrite) if output is not None else None
    if form in PICTURE_FORMATS:
        part = recording
        if recording is not None:
            part = chosen_recordings(stored.manifest, stored.fold(), recording)[0].recording
        picture = Picture(form, width, height, scale, dark, audio_time, part, begin, end)
        content = draw_picture(stored, picture)
    else:
        content = export_content(
            stored, cast(ContentFormat, form), recording=recording, table=table, decoded=decoded
        )
    if place is None:
        emit(content.decode())
    else:
        try:
            write_atomically(place, content)
        except OSError as error:
            raise storage_error(error, place, "the export") from error
    if form in FORMATS:
        _say_silence(stored, recording)


def _say_silence(stored: StoredRun, recording: str | None) -> None:
    """Say why transcripts are empty, where all of them are."""
    fold = stored.fold()
    found = [state.recording for state in chosen_recordings(stored.manifest, fold, recording)]
    corrected = read_corrections(stored.folder).recordings
    if not any(
        name in corrected or transcript_of(fold, name, stored.manifest).text.strip() for name in found
    ):
        say("There is no speech in it, so there is no text.")


def _read_to_the_end(stored: StoredRun) -> None:
    stream = stored.stream()
    for _ in stream.lines():
        continue
    warn_of_missing_end(stored, stream)


def _by_ending(output: Path | None) -> ExportFormat:
    ending = output.suffix[1:].lower() if output is not None else ""
    endings: dict[str, ExportFormat] = {form: form for form in _FORMATS} | {PERFETTO_ENDING: "perfetto"}
    if ending not in endings:
        raise WrongUse(f"Give --format, or an --output that ends in one of {', '.join(sorted(endings))}.")
    return endings[ending]


def _write_each(
    stored: StoredRun,
    form: ExportFormat,
    place: Path,
    recording: str | None,
    *,
    decoded: bool,
    overwrite: bool,
) -> None:
    if form not in FORMATS:
        raise WrongUse(f"--output-dir takes transcripts ({', '.join(FORMATS)}); give --output for {form}.")
    fold = stored.fold()
    found = chosen_recordings(stored.manifest, fold, recording)
    each = write_each(stored, fold, found, form, place, decoded=decoded, overwrite=overwrite)
    for state, written in each:
        say(f"{state.recording} → {printable(str(written))}")
