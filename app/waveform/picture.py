"""Draws the outline of a stretch of a recording into a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QImage

if TYPE_CHECKING:
    from as2d.backend.audio.peaks import Peaks

_QUIETEST = 0.02


def draw_outline(
    peaks: Peaks, begin_s: float, end_s: float, width: int, height: int, colour: QColor
) -> QImage:
    """A picture of `width` × `height` device pixels, one stretch of sound a column, on nothing.

    The loudest peak of the recording fills the height, so that soft recordings can be read too.
    """
    import numpy as np

    columns = peaks.columns(begin_s, end_s, width) / max(peaks.loudest(), _QUIETEST)
    middle = (height - 1) / 2
    tops = np.rint(middle - columns[:, 1] * middle).astype(np.int64)
    bottoms = np.rint(middle - columns[:, 0] * middle).astype(np.int64)
    known = np.linspace(begin_s, end_s, width) < peaks.duration_s
    rows = np.arange(height)[:, None]
    inside = (rows >= tops) & (rows <= np.maximum(bottoms, tops)) & known
    pixels = np.where(inside, np.uint32(colour.rgba()), np.uint32(0))
    data = np.ascontiguousarray(pixels, dtype=np.uint32)
    image = QImage(data.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    return image.copy()
