"""Cards: a title, its buttons and a body; facts in two columns; and the flow of cards over the page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.names import plain_name
from as2d.app.viewmodels.device_facts import Fact

_COLUMN_WIDTH = 290
_MOST_COLUMNS = 4
_GAP = 14


def value_label(text: str, name: str = "") -> QLabel:
    """A label that wraps and can be selected; its object name is its style."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def clear(layout: QLayout) -> None:
    """Take all widgets out of a layout and let them go."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


class ActionButton(QPushButton):
    """A button of a command: its text without access key, enabled as the command is.

    `comes_and_goes`: it is hidden while the command can do nothing.
    """

    def __init__(self, action: QAction, text: str | None = None, *, comes_and_goes: bool = False) -> None:
        super().__init__()
        self.setObjectName("small")
        self._comes_and_goes = comes_and_goes
        self._action = action
        self._text = text
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setText(self._text or plain_name(self._action.text()).removesuffix("…").rstrip())
        self.setAccessibleName(plain_name(self._action.text()))
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        if self._comes_and_goes:
            self.setVisible(self._action.isEnabled())


class FactGrid(QWidget):
    """Captions on the left, values on the right, notes behind them."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[Fact] | None = None
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(14)
        self._layout.setVerticalSpacing(5)
        self._layout.setColumnStretch(1, 1)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these in place of the last."""
        if facts == self._facts:
            return
        self._facts = facts
        clear(self._layout)
        for row, fact in enumerate(facts):
            caption = QLabel(fact.name)
            caption.setObjectName("secondary")
            caption.setMinimumWidth(92)
            value = value_label(fact.text, "" if fact.told else "secondary")
            value.setAccessibleName(f"{fact.name}: {fact.text}" if fact.name else fact.text)
            top = Qt.AlignmentFlag.AlignTop
            self._layout.addWidget(caption, row, 0, top)
            cell = QWidget()
            column = QVBoxLayout(cell)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(value)
            if fact.note:
                column.addWidget(value_label(fact.note, "note"))
            self._layout.addWidget(cell, row, 1, top)
        self.setVisible(bool(facts))


class Card(QFrame):
    """A titled section. `lead` is a sentence below the title, shown where there is one."""

    def __init__(self, title: str, actions: Sequence[QPushButton] = ()) -> None:
        super().__init__()
        self.setObjectName("card")
        self.title = title
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        heading = QLabel(title)
        heading.setObjectName("cardTitle")
        self._buttons = list(actions)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(heading, 1)
        for button in actions:
            head.addWidget(button)
        self.lead = value_label("", "secondary")
        self.lead.hide()
        self.body = QVBoxLayout()
        self.body.setSpacing(10)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 14)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.lead)
        layout.addLayout(self.body)

    def say(self, text: str) -> None:
        """Show a sentence below the title; empty: none."""
        self.lead.setText(text)
        self.lead.setVisible(bool(text))


class CardFlow(QWidget):
    """Cards in as many columns as fit, each below the shortest column so far."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: list[Card] = []
        self._columns: list[QVBoxLayout] = []
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 14, 16, 16)
        self._row.setSpacing(_GAP)

    @property
    def cards(self) -> list[Card]:
        """All of them, hidden ones too, in order."""
        return list(self._cards)

    def set_cards(self, cards: Sequence[Card]) -> None:
        """Show these."""
        self._cards = list(cards)
        self.arrange()

    def arrange(self) -> None:
        """Spread the cards anew, as when one was shown or hidden."""
        count = self._count()
        while len(self._columns) < count:
            column = QVBoxLayout()
            column.setSpacing(_GAP)
            column.addStretch(1)
            self._columns.append(column)
            self._row.addLayout(column, 1)
        heights = [0] * count
        places: list[list[Card]] = [[] for _ in range(count)]
        for card in self._cards:
            if card.isHidden() and card.parentWidget() is not None:
                continue
            shortest = heights.index(min(heights))
            places[shortest].append(card)
            heights[shortest] += card.sizeHint().height() + _GAP
        # Items that are taken out by hand stay behind with the height that they had: cards are removed.
        for column in self._columns:
            for card in self._cards:
                column.removeWidget(card)
        for column, cards in zip(self._columns, places, strict=False):
            for card in cards:
                column.insertWidget(column.count() - 1, card)
        for place in range(len(self._columns)):
            self._row.setStretch(place, 1 if place < count else 0)
        self._shown = count

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer columns."""
        super().resizeEvent(event)
        if self._cards and self._count() != self._shown:
            self.arrange()

    def minimumSizeHint(self) -> QSize:
        """One column at least, whatever the number now."""
        return QSize(_COLUMN_WIDTH // 2, super().minimumSizeHint().height())

    def _count(self) -> int:
        fitting = (self.width() - 32 + _GAP) // (_COLUMN_WIDTH + _GAP)
        return max(1, min(int(fitting), _MOST_COLUMNS, max(len(self._cards), 1)))
