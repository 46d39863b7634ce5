"""Run bundles taken into the history, beside the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from as2d.app.operations.operation import Operation
from as2d.backend.errors import UserError


def open_bundles(paths: Sequence[Path], operation: Operation) -> tuple[list[Path], int, list[str]]:
    """The folders of the runs in some bundles, how many of them are new, and why others cannot be opened."""
    from as2d.backend.bundles.opening import open_bundle
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    folders: list[Path] = []
    new = 0
    errors: list[str] = []
    for path in paths:
        try:
            for opened in open_bundle(path, RunStore(runs_dir()), operation.cancel.check):
                folders.append(opened.folder)
                new += opened.new
        except UserError as error:
            errors.append(error.message)
    return folders, new, errors
