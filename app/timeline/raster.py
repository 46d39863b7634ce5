"""Whole lanes as images, computed column by column: the cost is that of the pixels, not of the bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

_HATCH = 6


def coverage_image(
    covered: NDArray[np.int64],
    ns_per_column: float,
    height: int,
    colours: Sequence[int],
    hatches: Sequence[int],
    levels: Sequence[float],
) -> QImage:
    """Columns filled from below by the share of time that each kind took, in the order of the kinds.

    `covered` is ns, shape [kinds, columns]; `hatches` the colours of each kind's diagonal lines (its own
    colour: none), `levels` the share of the height that each kind fills at most. What lies in a column at
    all is at least a pixel high.
    """
    share = covered / max(ns_per_column, 1e-9) * (height * np.asarray(levels)[:, None])
    share = np.where(covered > 0, np.maximum(share, 1.0), 0.0)
    whole = share.sum(axis=0)
    share *= np.where(whole > height, height / np.maximum(whole, 1e-9), 1.0)
    tops = np.rint(np.cumsum(share, axis=0))
    rows = np.arange(height)[::-1, None]
    columns = covered.shape[1]
    index = np.zeros((height, columns), np.uint8)
    for top in tops:
        index += rows >= top
    table = np.array([*colours, 0], np.uint32)
    pixels = table[index]
    if tuple(colours) != tuple(hatches):
        lined = np.array([*hatches, 0], np.uint32)
        diagonal = (np.arange(columns)[None, :] + rows) % _HATCH < 2
        pixels = np.where(diagonal, lined[index], pixels)
    return _image(pixels)


def extent_image(
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    bounds: tuple[float, float],
    height: int,
    line: int,
    area: int,
    thickness: int = 1,
) -> QImage:
    """A counter: in each column a line from the least to the most value, and the area below the most.

    `bounds` are the values at the lower and the upper edge. Columns of unknown value stay empty.
    """
    span = max(bounds[1] - bounds[0], 1e-9)
    usable = height - thickness
    with np.errstate(invalid="ignore"):
        bottom = np.clip(np.rint((low - bounds[0]) / span * usable), 0, usable)
        top = np.clip(np.rint((high - bounds[0]) / span * usable), 0, usable) + thickness
    rows = np.arange(height)[::-1, None]
    known = ~np.isnan(high)
    under = known & (rows < np.where(known, top, 0))
    on_line = under & (rows >= np.where(known, bottom, height))
    pixels = np.where(under, np.uint32(area), np.uint32(0))
    pixels[on_line] = line
    return _image(pixels)


def _image(pixels: NDArray[np.uint32]) -> QImage:
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape
    return QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32).copy()
