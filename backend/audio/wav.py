"""Writing the one kind of WAV file that the helper reads."""

from __future__ import annotations

import errno
import os
import struct
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from as2d.backend.audio.names import shown_name
from as2d.backend.errors import OutOfSpace

SAMPLE_RATE = 16_000
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


def write_wav(path: Path, pcm: NDArray[np.int16]) -> None:
    """Write `pcm` (int16 [samples], 16 kHz mono) as a WAV file with the canonical header of 44 bytes.

    The file appears whole or not at all: it is written beside `path` and renamed.

    Raises:
        ValueError: `pcm` is not a vector of int16, or too long for a WAV file (4 GiB).
        OutOfSpace: the disk is full; nothing is left behind.
        OSError: the file cannot be written for another reason.
    """
    if pcm.ndim != 1 or pcm.dtype != np.int16:
        raise ValueError(f"pcm must be int16 [samples], not {pcm.dtype} {list(pcm.shape)}")
    size = 2 * len(pcm)
    if size > 0xFFFFFFFF - 36:
        raise ValueError(f"{len(pcm)} samples do not fit in a WAV file")
    header = _HEADER.pack(
        b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, SAMPLE_RATE, 2 * SAMPLE_RATE, 2, 16, b"data", size
    )
    partial = path.with_name(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        with partial.open("wb") as file:
            file.write(header)
            file.write(np.ascontiguousarray(pcm, dtype="<i2").data)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutOfSpace(
                f"The disk is full: {shown_name(path)} needs {44 + size} bytes; free some and try again."
            ) from error
        raise
