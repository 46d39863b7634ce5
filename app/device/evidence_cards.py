"""The cards of the budget and of the margin guard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.cards import ActionButton, Card, FactGrid, value_label
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_evidence import Rate, budget_view, gap_facts

if TYPE_CHECKING:
    from as2d.backend.devices.evidence import Measured

_ROW = 20
_NUMBER, _VALUE = 26, 92


class RateBars(QWidget):
    """The speed of every budget that was measured, as bars with numbers; the chosen one is marked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rates: Sequence[Rate] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_rates(self, rates: Sequence[Rate]) -> None:
        """Draw these."""
        self._rates = rates
        self.setFixedHeight(max(len(rates), 1) * _ROW)
        self.setVisible(bool(rates))
        self.setAccessibleName(
            "; ".join(
                tr("budget {n}: {tps} tokens/s", n=rate.budget, tps=f"{rate.tps:.1f}") for rate in rates
            )
        )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw number, bar and speed."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.colours
        whole = max(self.width() - _NUMBER - _VALUE, 20)
        middle = Qt.AlignmentFlag.AlignVCenter
        font = painter.font()
        for row, rate in enumerate(self._rates):
            top = row * _ROW
            font.setBold(rate.chosen)
            painter.setFont(font)
            painter.setPen(QColor(colours.text if rate.chosen else colours.secondary))
            number = QRectF(0, top, _NUMBER - 10, _ROW)
            painter.drawText(number, middle | Qt.AlignmentFlag.AlignRight, str(rate.budget))
            value = QRectF(self.width() - _VALUE, top, _VALUE, _ROW)
            text = tr("{tps} tokens/s", tps=f"{rate.tps:.1f}")
            painter.drawText(value, middle | Qt.AlignmentFlag.AlignRight, text)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent if rate.chosen else colours.control_border))
            painter.drawRoundedRect(QRectF(_NUMBER, top + 5, whole * rate.share, _ROW - 10), 3, 3)


class BudgetCard(Card):
    """Shows the budget in force and what it was chosen by."""

    def __init__(self, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__(tr("Budget"), [ActionButton(registry.action("device.budget"), tr("Choose"))])
        self.number = QLabel()
        self.number.setObjectName("big")
        self._unit = QLabel(tr("candidates a call"))
        self._unit.setObjectName("secondary")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.number, 0, Qt.AlignmentFlag.AlignBaseline)
        row.addWidget(self._unit, 1, Qt.AlignmentFlag.AlignBaseline)
        self.headline = value_label("")
        self.bars = RateBars(theme)
        self.facts = FactGrid()
        self.weak = value_label("", "secondary")
        self.body.addLayout(row)
        for widget in (self.headline, self.bars, self.facts, self.weak):
            self.body.addWidget(widget)

    def show_measured(self, measured: Measured, threads: int | None, given: int | None) -> None:
        """Show the budget of a target with so many threads; `given`: what the user set, None: nothing."""
        view = budget_view(measured, threads, given)
        self.number.setText(str(view.budget))
        self.number.setAccessibleName(tr("Budget: {n} candidates a call", n=view.budget))
        self.headline.setText(view.headline)
        self.bars.show_rates(view.rates)
        self.facts.show_facts(view.facts)
        self.weak.setText(view.weak)
        self.weak.setVisible(bool(view.weak))


class GuardCard(Card):
    """Shows the self-test's logit gap, below which the guard checks a decision."""

    def __init__(self) -> None:
        super().__init__(tr("Margin guard"))
        self.facts = FactGrid()
        self.body.addWidget(self.facts)

    def show_measured(self, measured: Measured, helper: str | None, threads: int | None) -> None:
        """Show the gap of the target on this device."""
        facts = gap_facts(measured, helper, threads)
        self.say(
            tr("How far wide calls may move a logit, by the self-test; closer decisions are computed again.")
            if facts
            else tr("The self-test runs once, before the first decoding on this device.")
        )
        self.facts.show_facts(facts)
