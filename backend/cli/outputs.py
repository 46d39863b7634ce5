"""Where a command may write: looked at before anything is loaded or measured."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from as2d.backend.errors import WrongUse
from as2d.backend.runs.files import is_ordinary

STANDARD_OUTPUT = Path("/dev/stdout")
"""What `-` stands for."""


def checked_output(output: Path, inputs: Iterable[Path], *, overwrite: bool) -> Path:
    """The place that --output names, `-` being standard output.

    Raises:
        WrongUse: it is a folder or in none that may be written, one of `inputs`, or a file with content and
            `overwrite` was not asked for.
    """
    if str(output) == "-":
        return STANDARD_OUTPUT
    if output.is_dir():
        raise WrongUse(f"--output {output} is a folder; name a file in it.")
    folder = Path(os.path.realpath(output)).parent
    if not output.exists() and not folder.is_dir():
        raise WrongUse(f"The folder of --output {output} does not exist; make it or name another.")
    if not (os.access(folder, os.W_OK | os.X_OK) or (output.exists() and not is_ordinary(output))):
        raise WrongUse(f"You may not write into the folder of --output {output}; name another.")
    if any(_same(output, path) for path in inputs):
        raise WrongUse(f"--output {output} is one of the files that are read; name another.")
    if not overwrite and is_ordinary(output) and output.stat().st_size:
        raise WrongUse(f"--output {output} is there already; name another, or replace it with --overwrite.")
    return output


def _same(left: Path, right: Path) -> bool:
    try:
        return is_ordinary(left) and left.samefile(right)
    except OSError:  # one of them is not there
        return False
