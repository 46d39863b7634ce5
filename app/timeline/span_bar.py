"""The sums of the selected span in one row."""

from __future__ import annotations

import html
from itertools import accumulate

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from as2d.app.plain import plain_tip
from as2d.app.timeline.sums import sum_parts
from as2d.app.translation import tr, tr_marked
from as2d.app.viewmodels.selection import span_sums
from as2d.app.viewmodels.timeline import TimelineModel

_GAP = "&nbsp;&nbsp;&nbsp; "


class SpanBar(QLabel):
    """Shows as many of the sums as fit and how many more there are, all of them in its tip; without a span
    those of the whole run.
    """

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._span: tuple[int, int] | None = None
        self._parts: list[tuple[str, str]] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(tr("Sums of the span"))

    def show_span(self, span: tuple[int, int] | None) -> None:
        """Show the sums of a span of the clock; None: of everything."""
        self._span = span
        self.refresh()

    def refresh(self) -> None:
        """Sum up anew."""
        span = self._span or self._model.span
        if span is None:
            self._parts = []
            self.clear()
            return
        sums = span_sums(self._model, *span)
        self._parts = sum_parts(sums)
        if self._span is None:
            self._parts[0] = (tr("Whole run"), self._parts[0][1])
        lines = [f"{name}: {value}" for name, value in self._parts]
        if sums.joules_missing is not None:
            lines.append(tr("No energy: {reason}", reason=tr_marked(sums.joules_missing)))
        self.setToolTip(plain_tip("\n".join(lines)))
        self.setAccessibleDescription("; ".join(lines))
        self._fill()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill()

    def _fill(self) -> None:
        room = self.width() - 16
        metrics = self.fontMetrics()
        widths = [metrics.horizontalAdvance(f"{name} {value}    ") + 4 for name, value in self._parts]
        if sum(widths) > room:
            room -= metrics.horizontalAdvance(_more(len(widths))) + 4
        fitting = sum(whole <= room for whole in accumulate(widths))
        shown = [f"{html.escape(name)} <b>{html.escape(value)}</b>" for name, value in self._parts[:fitting]]
        if fitting < len(widths):
            shown.append(html.escape(_more(len(widths) - fitting)))
        self.setText(_GAP.join(shown))


def _more(count: int) -> str:
    return tr("+{n} more", n=count)
