"""The timeline of a run as a picture; the window's own code draws it."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.runs.store import StoredRun

PictureFormat = Literal["png", "svg"]
PICTURE_FORMATS: tuple[PictureFormat, ...] = get_args(PictureFormat)
WIDTHS, HEIGHTS, SCALES = (320, 20_000), (160, 20_000), (0.5, 8.0)

# By name, because the backend must work, and be tested, without the window's packages.
_DRAWING = "as2d.app.timeline.picture"


@dataclass(frozen=True)
class Picture:
    """What is drawn: `width` and `height` in points (a PNG has `scale` pixels for each), light or dark, the
    time of decoding or that of the audio, and which part: of a recording (its id), or from one second of the
    axis to another; None: everything.
    """

    form: PictureFormat = "png"
    width: int = 1600
    height: int = 480
    scale: float = 2.0
    dark: bool = False
    audio_time: bool = False
    recording: str | None = None
    begin_s: float | None = None
    end_s: float | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            WrongUse: a size is out of range, or the part is empty.
        """
        sizes = (
            ("width", self.width, WIDTHS),
            ("height", self.height, HEIGHTS),
            ("scale", self.scale, SCALES),
        )
        for name, value, (least, most) in sizes:
            if not least <= value <= most:
                raise WrongUse(f"The {name} of a picture is from {least} to {most}, not {value}.")
        if self.begin_s is not None and self.end_s is not None and self.end_s <= self.begin_s:
            raise WrongUse("A part of a timeline must end after it begins; --to must be more than --from.")


def draw_picture(stored: StoredRun, picture: Picture) -> bytes:
    """The file's content, drawn without a display.

    Raises:
        HelperFailed: the window's packages are missing.
        InputRefused: the run's stream cannot be read.
        WrongUse: there is nothing to draw in the part that was asked for.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        drawing = importlib.import_module(_DRAWING)
    except ImportError as error:
        raise HelperFailed(
            f"Pictures cannot be drawn because a part of the window is missing ({error}); `make studio` in "
            "the source folder, or `pip install 'as2d-studio[studio]'`, installs it."
        ) from error
    draw = cast(Callable[[StoredRun, Picture], bytes], drawing.picture_of_stored)
    return draw(stored, picture)
