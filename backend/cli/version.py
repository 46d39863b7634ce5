"""`as2d --version`."""

from __future__ import annotations

from typing import Annotated

import typer

import as2d
from as2d.backend.cli.console import emit


def _print(asked: bool) -> None:
    if asked:
        emit(f"as2d {as2d.__version__}\n")
        raise typer.Exit


def print_version(
    version: Annotated[
        bool, typer.Option("--version", callback=_print, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Speech recognition with AS²D: a drafter drafts on its own, the target verifies and never waits."""
