"""Commands in messages that can be pasted into the terminal they are read in."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

_NAME = "as2d"


def show_command(run_folder: Path) -> str:
    """The command that shows a run from the current folder, whatever data folder it is in."""
    return f"{_program()} show {shlex.quote(_from_here(run_folder))}"


def _program() -> str:
    """How this program was called: its bare name only where that finds it."""
    called = Path(sys.argv[0])
    found = shutil.which(_NAME)
    if called.name != _NAME or (found is not None and Path(found).resolve() == called.resolve()):
        return _NAME
    return shlex.quote(_from_here(called))


def _from_here(path: Path) -> str:
    whole = path.absolute()
    here = Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)
