"""A window's audio as a file, for devices and ops that take files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from as2d.backend.audio import write_wav
from as2d.backend.runs.files import storage_error


@contextmanager
def window_file(pcm: NDArray[np.int16], what: str) -> Iterator[Path]:
    """A 16 kHz mono WAV file of `pcm` (int16 [samples]), which exists within this block.

    `what` is the name of the audio in the sentence that says that it cannot be written.

    Raises:
        UserError: there is no room for it.
    """
    with tempfile.TemporaryDirectory(prefix="as2d-") as folder:
        path = Path(folder) / "window.wav"
        try:
            write_wav(path, pcm)
        except OSError as error:
            raise storage_error(error, path.parent, what) from error
        yield path
