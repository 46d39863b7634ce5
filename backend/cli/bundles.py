"""`as2d bundle` and `as2d open`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bundles.layout import ENDING
from as2d.backend.bundles.opening import open_bundle
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.options import OverwriteOption
from as2d.backend.cli.outputs import checked_output
from as2d.backend.errors import UserError
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore
from as2d.backend.words import counted


def bundle(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="Runs: their names, beginnings of them, 'last', or folders."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help=f"The file to write, usually ending in .{ENDING}.")
    ],
    audio: Annotated[
        bool, typer.Option("--audio", help="Put the recordings in too, so that they can be played there.")
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Pack recorded runs into one file that `as2d open` and the window open on any computer."""
    store = RunStore(runs_dir())
    stored = [store.find(run) for run in runs]
    place = checked_output(output, [], overwrite=overwrite)
    missing = write_bundle(stored, place, audio=audio)
    for name in missing:
        say(f"Warning: the recording {name} is not there any more; the bundle does not hold it.")
    say(f"{counted(len(stored), 'run')} → {output}")


def open_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Run bundles.")],
) -> None:
    """Take the runs of bundles into the list of runs and print their names; nothing else is needed.

    A bundle that is refused does not keep the others from being opened.
    """
    store = RunStore(runs_dir())
    codes = []
    for path in files:
        try:
            runs = open_bundle(path, store)
        except UserError as error:
            say(f"Error: {error.message}")
            codes.append(error.exit_code)
            continue
        for opened in runs:
            emit(opened.run + "\n")
            if not opened.new:
                say(f"The run {opened.run} is here already.")
    if len(codes) < len(files):
        say("`as2d show RUN` shows a run, `as2d export RUN` writes what is in it.")
    if codes:
        raise typer.Exit(max(codes))
