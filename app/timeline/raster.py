"""Whole lanes as images, computed column by column: the cost is that of the pixels, not of the bars."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

_HATCH = 6


def draw_coverage(
    painter: QPainter,
    box: QRectF,
    covered: NDArray[np.int64],
    ns_per_column: float,
    height: int,
    colours: Sequence[int],
    hatches: Sequence[int],
    levels: Sequence[float],
) -> None:
    """Draw columns filled from below by the share of time that each kind took, in the order of the kinds.

    `covered` is ns, shape [kinds, columns]; `height` in rows of the device; `hatches` the colours of each
    kind's diagonal lines (its own colour: none), `levels` the share of the height that each kind fills at
    most. What lies in a column at all is at least a pixel high.
    """
    share = covered * (np.asarray(levels)[:, None] * (height / max(ns_per_column, 1e-9)))
    np.maximum(share, covered > 0, out=share)
    whole = share.sum(axis=0)
    if whole.max(initial=0.0) > height:
        share *= np.minimum(1.0, height / np.maximum(whole, 1e-9))
    tops = np.rint(np.cumsum(share, axis=0)).astype(np.int16)
    rows = _rows(height)
    kinds, columns = covered.shape
    index = np.zeros((height, columns), np.uint8)
    for top in tops:
        index += (rows >= top).view(np.uint8)
    table = [*colours, 0]
    if tuple(colours) != tuple(hatches):
        index += _diagonals(height, columns, kinds + 1)
        table += [*hatches, 0]
    _draw(painter, box, np.take(np.array(table, np.uint32), index))


def draw_extent(
    painter: QPainter,
    box: QRectF,
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    bounds: tuple[float, float],
    height: int,
    line: int,
    area: int,
    thickness: int = 1,
) -> None:
    """Draw a counter: in each column a line from the least to the most value, and the area below.

    `bounds` are the values at the lower and the upper edge; colours have their alpha multiplied in. Columns
    of unknown value stay empty.
    """
    scale = (height - thickness) / max(bounds[1] - bounds[0], 1e-9)
    unknown = np.isnan(high)
    bottom = np.clip(np.rint((np.where(unknown, bounds[0], low) - bounds[0]) * scale), 0, height - thickness)
    top = np.clip(np.rint((np.where(unknown, bounds[0], high) - bounds[0]) * scale), 0, height - thickness)
    bottom[unknown] = 0
    top = np.where(unknown, 0, top + thickness)
    rows = _rows(height)
    index = (rows < top.astype(np.int16)).view(np.uint8) + (rows < bottom.astype(np.int16)).view(np.uint8)
    _draw(painter, box, np.take(np.array([0, line, area], np.uint32), index))


@lru_cache(maxsize=32)
def _rows(height: int) -> NDArray[np.int16]:
    """Height of each row above the lower edge, from the upper one down."""
    return np.arange(height - 1, -1, -1, dtype=np.int16)[:, None]


@lru_cache(maxsize=16)
def _diagonals(height: int, columns: int, by: int) -> NDArray[np.uint8]:
    """`by` on diagonal lines, else 0."""
    lines = (np.arange(columns)[None, :] + _rows(height)) % _HATCH < 2
    return lines.astype(np.uint8) * np.uint8(by)


def _draw(painter: QPainter, box: QRectF, pixels: NDArray[np.uint32]) -> None:
    # The image looks into the array, which lives until it is drawn.
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
    painter.drawImage(box, image)
