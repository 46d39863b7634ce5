"""The lane of committed text: what fits, joined where single commits are narrow."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from as2d.app.timeline.backdrop import visible_requests
from as2d.app.timeline.bar_lane import BarLane
from as2d.app.timeline.lane import FOLDED_HEIGHT
from as2d.app.timeline.raster import draw_coverage

_ROOM = 64.0
_STRIP = 4.0
_LONGEST = 240


class TextLane(BarLane):
    """Commits as text, with a strip below that tells where their tokens came from."""

    largest = 44  # its text is one line

    def draw(self, painter: QPainter) -> None:
        bars = self.bars()
        axis, colours = self.view.axis, self.view.colours
        strip = self.height - 2 if self.height <= FOLDED_HEIGHT else _STRIP
        columns = self.columns()
        draw_coverage(
            painter,
            QRectF(0, self.height - 1 - strip, self._rect.width(), strip),
            bars.coverage(axis.edges(columns)),
            (axis.end - axis.begin) / columns,
            max(1, round(strip * self.view.ratio)),
            [colours.argb(style.colour) for style in self._styles],
            [colours.argb(style.hatch or style.colour) for style in self._styles],
            [1.0] * len(self._styles),
        )
        if self.height > FOLDED_HEIGHT:
            self._draw_texts(painter)

    def _draw_texts(self, painter: QPainter) -> None:
        bars, axis = self.bars(), self.view.axis
        row, last = bars.visible(axis.begin, axis.end)
        texts, metrics = self.view.model.commit_texts, self.view.metrics
        ink, grid = self.view.colours["text"], self.view.colours["muted"]
        room = round(_ROOM * axis.ns_per_pixel)
        marked = {request.number: request.decode for request in visible_requests(self.view)}
        requests = self.view.model.commit_requests.values
        while row < last:
            begin = max(int(bars.begins[row]), axis.begin)
            own = int(requests[row]) if bars.rows is None else None
            line = marked.get(own) if own is not None else None
            if line is not None and begin < line < begin + room:
                begin = line  # the line would go through the text
            behind = int(np.searchsorted(bars.begins, begin + room, "right"))
            behind = min(max(behind - 1, row + 1), len(bars))
            if own in marked:  # what the next request commits stands behind its own line
                behind = row + int(np.argmin(np.append(requests[row:behind] == own, False)))
            x = max(axis.x(begin), 0.0)
            end = min(axis.x(int(bars.ends[behind - 1])), self._rect.width())
            if bars.rows is None:
                text = texts.joined(row, min(behind, row + _LONGEST))
            else:
                text = "".join(texts.row(int(r)) for r in bars.rows[row : min(behind, row + _LONGEST)])
            # No letter is narrower than two pixels: what cannot fit is not measured.
            text = " ".join(text.split())[: int((end - x) / 2) + 2]
            if end - x >= 8 and text:
                box = QRectF(x, 1, end - x, self.height - 2 - _STRIP)
                painter.setPen(grid)
                painter.drawLine(round(x), 2, round(x), round(self.height - 2 - _STRIP))
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, end - x - 5)
                painter.setPen(ink)
                painter.drawText(box.adjusted(4, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shown)
            row = behind
