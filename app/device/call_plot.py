"""The cost of a target call by its width, drawn."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.theme.axes import dress_axis
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_costs import CostTable

_COLOURS = ("target-only", "correction", "accepted")
_SYMBOLS = ("o", "s", "t")


class CallPlot(pg.PlotWidget):  # type: ignore[misc]
    """Milliseconds over K, one line a thread setting, with the standard error of the repeats."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(background=None)
        pass_drops_on(self)
        self._theme = theme
        self._table: CostTable | None = None
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Milliseconds of a target call for each K"))
        self.setMenuEnabled(False)
        self.hideButtons()
        self.plotItem.setMouseEnabled(x=False, y=False)
        self.setFrameShape(self.Shape.NoFrame)
        theme.changed.connect(self._draw)

    def wheelEvent(self, event: object) -> None:
        """The page scrolls, not the plot."""
        event.ignore()  # type: ignore[attr-defined]

    def show_table(self, table: CostTable) -> None:
        """Draw this."""
        if table != self._table:
            self._table = table
            self._draw()

    def _draw(self) -> None:
        self.clear()
        table = self._table
        if table is None:
            return
        colours = self._theme.colours
        for name, label in (("bottom", tr("K, tokens in a call")), ("left", "ms")):
            axis = self.getAxis(name)
            dress_axis(axis, colours, self.font(), label)
            axis.setStyle(tickLength=-4)
        self.showGrid(x=False, y=True, alpha=0.18)
        highest = 0.0
        for line, name, symbol in zip(table.lines, _COLOURS, _SYMBOLS, strict=False):
            colour = QColor(self._theme.data[name])
            xs = [k for k, _, _ in line.points]
            ys = [ms for _, ms, _ in line.points]
            spread = [deviation for _, _, deviation in line.points]
            highest = max([highest, *ys])
            self.addItem(
                pg.ErrorBarItem(
                    x=np.array(xs), y=np.array(ys), height=2 * np.array(spread), beam=0.15,
                    pen=pg.mkPen(colour, width=1),
                )
            )  # fmt: skip
            self.plot(
                xs, ys, pen=pg.mkPen(colour, width=2), symbol=symbol, symbolSize=7,
                symbolBrush=colour, symbolPen=pg.mkPen(colours.surface, width=1), antialias=True,
            )  # fmt: skip
        widths = table.widths
        self.getAxis("bottom").setTicks([[(k, str(k)) for k in widths]])
        self.setXRange(min(widths) - 0.3, max(widths) + 0.3, padding=0)
        self.setYRange(0, highest * 1.12, padding=0)
