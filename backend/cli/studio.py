"""`as2d studio`."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.errors import HelperFailed

# By name, because the backend must work, and be tested, without the window's packages.
_WINDOW = "as2d.app.main"
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def studio(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Recordings, or folders with recordings, to begin with."),
    ] = None,
) -> None:
    """Open the window: drop recordings, watch them being decoded, compare methods."""
    if sys.platform == "linux" and not any(os.environ.get(name) for name in _DISPLAYS):
        raise HelperFailed(
            "The window cannot be opened: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); "
            "run it on a desktop, or use `as2d transcribe` here."
        )
    gc.disable()  # until the window is there; it turns it on again
    try:
        window = importlib.import_module(_WINDOW)
    except ImportError as error:
        raise HelperFailed(
            f"The window cannot be opened because a part of it is missing ({error}); `make studio` in the "
            "source folder, or `pip install 'as2d-studio[studio]'`, installs it."
        ) from error
    raise typer.Exit(window.open_studio([path.absolute() for path in files or []]))
