"""The card of measured call costs: plot, table and evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.cards import ActionButton, Card, FactGrid, clear
from as2d.app.plotting import when_plots_are_loaded
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_costs import CostTable, cost_facts, cost_table

if TYPE_CHECKING:
    from as2d.app.device.call_plot import CallPlot
    from as2d.backend.devices.evidence import Measured

_COLOURS = ("target-only", "correction", "accepted")
_MARK = 9
_PLOT_HEIGHT = 190


class _Mark(QWidget):
    """The sign of a line: round, square or triangle as in the plot."""

    def __init__(self, theme: Theme, place: int) -> None:
        super().__init__()
        self._theme = theme
        self._place = place
        self.setFixedSize(_MARK + 2, _MARK + 2)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.data[_COLOURS[self._place]])
        if self._place == 0:
            painter.drawEllipse(1, 1, _MARK, _MARK)
        else:
            painter.drawRect(1, 1, _MARK, _MARK)


class CostTableView(QWidget):
    """The numbers of the plot: a row a thread setting, a column a width."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._table: CostTable | None = None
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(12)
        self._layout.setVerticalSpacing(3)

    def show_table(self, table: CostTable) -> None:
        """Show this."""
        if table == self._table:
            return
        self._table = table
        clear(self._layout)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self._layout.addWidget(_label("K", "note"), 0, 0)
        for place, line in enumerate(table.lines):
            head = QWidget()
            row = QHBoxLayout(head)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(5)
            row.addStretch(1)
            row.addWidget(_Mark(self._theme, place))
            row.addWidget(_label(line.name, "note"))
            self._layout.addWidget(head, 0, 1 + 2 * place, 1, 2)
        for number, k in enumerate(table.widths, start=1):
            self._layout.addWidget(_label(str(k), "secondary"), number, 0)
            for place, line in enumerate(table.lines):
                found = next(((ms, spread) for width, ms, spread in line.points if width == k), None)
                if found is None:
                    continue
                ms, spread = found
                value = _label(f"{ms:.1f} ms", "figure")
                value.setAccessibleName(
                    tr("K = {k}, {setting}: {ms} ms", k=k, setting=line.name, ms=f"{ms:.1f}")
                )
                self._layout.addWidget(value, number, 1 + 2 * place, right)
                self._layout.addWidget(_label(f"± {spread:.1f}", "note"), number, 2 + 2 * place, right)
        for column in range(1, 1 + 2 * len(table.lines), 2):
            self._layout.setColumnStretch(column, 1)


class PlotPlace(QWidget):
    """The place of the plot, which is made when there is something to draw."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._table: CostTable | None = None
        self.drawn: CallPlot | None = None
        self.setFixedHeight(_PLOT_HEIGHT)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def show_table(self, table: CostTable) -> None:
        """Draw this."""
        self._table = table
        if self.drawn is not None:
            self.drawn.show_table(table)
        else:
            when_plots_are_loaded(self._make)

    def _make(self) -> None:
        if self.drawn is None and self._table is not None:
            from as2d.app.device.call_plot import CallPlot

            self.drawn = CallPlot(self._theme)
            self._layout.addWidget(self.drawn)
            self.drawn.show_table(self._table)


class CostCard(Card):
    """Shows the cost profile of the device for the models that are chosen."""

    def __init__(self, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__(
            tr("Cost of a target call"), [ActionButton(registry.action("device.measure"), tr("Measure"))]
        )
        self.plot = PlotPlace(theme)
        self.table = CostTableView(theme)
        self.facts = FactGrid()
        for widget in (self.plot, self.table, self.facts):
            self.body.addWidget(widget)

    def show_measured(self, measured: Measured | None) -> None:
        """Show what was measured; None: it is not known yet."""
        costs = measured.costs if measured is not None else None
        for widget in (self.plot, self.table, self.facts):
            widget.setVisible(costs is not None)
        if costs is None:
            if measured is not None and measured.missing is not None:
                self.say(tr("{model} is not installed yet; measuring installs it.", model=measured.missing))
            else:
                self.say(
                    tr(
                        "Not measured on this device with these models and threads yet. Measuring takes some "
                        "minutes and wants the device for itself."
                    )
                )
            return
        table = cost_table(costs.profile)
        self.say(table.headline)
        self.plot.show_table(table)
        self.table.show_table(table)
        self.facts.show_facts(cost_facts(costs))


def _label(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    return label
