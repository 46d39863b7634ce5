"""Lanes of bars: single bars where they are wide enough to be seen, shares of time where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from as2d.app.timeline.colours import Colours
from as2d.app.timeline.lane import FOLDED_HEIGHT, Lane, View
from as2d.app.timeline.projection import Kept
from as2d.app.timeline.raster import draw_coverage
from as2d.app.viewmodels.bars import Bars

WIDE = 3.0
"""Bars of at least so many pixels are painted one by one."""
_MOST_SINGLE = 6000
_LABEL_ROOM = 6.0
_MOSTLY = 0.6
_NARROW = 20.0


@dataclass(frozen=True)
class Style:
    """How a kind of bar looks: the name of its colour, the share of the lane's height, and its filling:
    `full`, `hollow` (an outline), `hatched`, `level` (filled from below by a share) or `double` (a second
    outline inside). `hatch` names the colour of its lines where bars are too many for single ones.
    """

    colour: str
    height: float = 1.0
    filling: str = "full"
    hatch: str = ""


@dataclass
class Source:
    """Where a lane's bars come from: the bars, whether they follow the words (`heard`) in audio time, the
    label of a row for so many pixels, its tip, and the share that a `level` bar is filled by.
    """

    bars: Callable[[], Bars]
    heard: bool
    label: Callable[[int, float], str]
    tip: Callable[[int], str]
    level: Callable[[int], float] = lambda row: 1.0  # noqa: ARG005


class BarLane(Lane):
    """A lane of bars."""

    def __init__(
        self, view: View, key: str, title: str, about: str, styles: Sequence[Style], source: Source
    ) -> None:
        super().__init__(view, key, title, about)
        self._styles = tuple(styles)
        self._source = source
        self._projected = Kept(lambda: view.model.audio_time.project(source.bars(), heard=source.heard))

    def bars(self) -> Bars:
        """The bars in the axis that is shown."""
        if not self.view.audio_time:
            return self._source.bars()
        return self._projected.get(self.view.model.version)

    def draw(self, painter: QPainter) -> None:
        bars = self.bars()
        axis = self.view.axis
        first, last = bars.visible(axis.begin, axis.end)
        wide = np.zeros(0, np.int64)
        narrow = True
        if last - first <= _MOST_SINGLE:
            lengths = bars.ends[first:last] - bars.begins[first:last]
            is_wide = lengths >= WIDE * axis.ns_per_pixel
            wide = first + np.flatnonzero(is_wide)
            narrow = len(wide) < last - first or bars.archive.span is not None
        if narrow:
            self._draw_shares(painter, bars)
        if len(wide):
            self._draw_single(painter, bars, wide)

    def row_at(self, x: float) -> int | None:
        bars = self.bars()
        axis = self.view.axis
        t = axis.t(x)
        reach = round(3 * axis.ns_per_pixel)
        first, last = bars.visible(t - reach, t + reach)
        if first == last:
            return None
        rows = np.arange(first, last)
        away = np.maximum(bars.begins[first:last] - t, 0) + np.maximum(t - bars.ends[first:last], 0)
        row = int(rows[int(np.argmin(away))])
        return row if bars.rows is None else int(bars.rows[row])

    def tip(self, x: float) -> str:
        row = self.row_at(x)
        return "" if row is None else self._source.tip(row)

    def tip_of(self, row: int) -> str:
        """What a row reads."""
        return self._source.tip(row)

    def span_of(self, row: int) -> tuple[int, int]:
        """Begin and end of a row in the axis that is shown."""
        bars = self.bars()
        if bars.rows is not None:
            row = int(np.flatnonzero(bars.rows == row)[0])
        return int(bars.begins[row]), int(bars.ends[row])

    def _draw_shares(self, painter: QPainter, bars: Bars) -> None:
        columns = self.columns()
        edges = self.view.axis.edges(columns)
        colours = self.view.colours
        draw_coverage(
            painter,
            QRectF(0, 1, self._rect.width(), self.height - 2),
            bars.coverage(edges),
            (self.view.axis.end - self.view.axis.begin) / columns,
            self.rows(2),
            [colours.argb(style.colour) for style in self._styles],
            [colours.argb(style.hatch or style.colour) for style in self._styles],
            [style.height for style in self._styles],
        )

    def _draw_single(
        self, painter: QPainter, bars: Bars, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> None:
        axis, width = self.view.axis, self._rect.width()
        left = np.clip((bars.begins[rows] - axis.begin) / axis.ns_per_pixel, -8, width + 8)
        right = np.clip((bars.ends[rows] - axis.begin) / axis.ns_per_pixel, -8, width + 8)
        left, right = np.rint(left), np.rint(right)
        # A pixel of background tells neighbours apart where they are wide enough to lose one.
        right = np.where(right - left >= 5, right - 1, right)
        background = self.view.colours["lane"]
        folded = self.height <= FOLDED_HEIGHT
        kinds = bars.kind[rows]
        original = rows if bars.rows is None else bars.rows[rows]
        spans = zip(left.tolist(), right.tolist(), kinds.tolist(), original.tolist(), strict=True)
        for x, end, kind, row in spans:
            style = self._styles[kind]
            painter.fillRect(QRectF(x, 1, end - x + 1, self.height - 2), background)
            height = (self.height - 4) * style.height
            box = QRectF(x, self.height - 2 - height, max(end - x, 2), height)
            self._draw_box(painter, box, style, row)
            if not folded and end - x >= 10:
                self._draw_label(painter, box, style, row, x, end)

    def _draw_box(self, painter: QPainter, box: QRectF, style: Style, row: int) -> None:
        share = self._source.level(row) if style.filling == "level" else 1.0
        paint_bar(painter, box, style, self.view.colours, share)

    def _draw_label(
        self, painter: QPainter, box: QRectF, style: Style, row: int, x: float, end: float
    ) -> None:
        seen = QRectF(max(x, 0), box.y(), min(end, self._rect.width()) - max(x, 0), box.height())
        if box.height() < self.view.metrics.height() - 4 or seen.width() < 10:
            return
        text = self._source.label(row, seen.width() - _LABEL_ROOM / 2)
        if not text:
            return
        pale = style.filling in ("hollow", "hatched", "level")
        mostly = style.filling == "level" and self._source.level(row) >= _MOSTLY
        if style.filling in ("hatched", "level") and not mostly and seen.width() < _NARROW:
            return  # a plate behind the text would cover the signs of the bar
        if mostly:
            pale = False
        elif pale and style.filling != "hollow":
            room = min(self.view.metrics.horizontalAdvance(text) + 6, seen.width())
            back = QRectF(seen.center().x() - room / 2, seen.y() + 1, room, seen.height() - 2)
            painter.fillRect(back, self.view.colours.translucent("background", 225))
        painter.setPen(self.view.colours["text"] if pale else self.view.colours.text_on(style.colour))
        painter.drawText(seen, Qt.AlignmentFlag.AlignCenter, text)


def paint_bar(painter: QPainter, box: QRectF, style: Style, colours: Colours, share: float) -> None:
    """Paint one bar; `share`: how much of a `level` one is filled."""
    colour = colours[style.colour]
    if style.filling == "full":
        painter.fillRect(box, colour)
    elif style.filling == "hollow":
        painter.fillRect(box, colours.translucent(style.colour, 70))
        _outline(painter, box, colour)
    elif style.filling == "double":
        painter.fillRect(box, colour)
        if box.width() >= 7:
            _outline(painter, box.adjusted(2, 2, -2, -2), colours.text_on(style.colour))
    elif style.filling == "hatched":
        _hatch(painter, box, style.colour, colours)
    else:
        _hatch(painter, box, style.hatch, colours)
        filled = box.height() * share
        painter.fillRect(QRectF(box.x(), box.bottom() - filled, box.width(), filled), colour)


def _hatch(painter: QPainter, box: QRectF, name: str, colours: Colours) -> None:
    painter.fillRect(box, colours.translucent(name, 110))
    painter.fillRect(box, QBrush(colours[name], Qt.BrushStyle.BDiagPattern))
    _outline(painter, box, colours[name])


def _outline(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.setPen(colour)
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
