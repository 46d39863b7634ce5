"""Cards: a title, its buttons and a body; facts in two columns; and the flow of cards over the page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
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
_SIDE, _TOP = 16, 14


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
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
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
    """Cards in as many columns as fit, each below the shortest column so far and as high as its texts need.

    It places the cards itself: what arrives in a card, or wraps anew, changes the heights of all below it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cards: list[Card] = []
        self._height = 0
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def cards(self) -> list[Card]:
        """All of them, hidden ones too, in order."""
        return list(self._cards)

    def set_cards(self, cards: Sequence[Card]) -> None:
        """Show these, but for those that were hidden."""
        self._cards = list(cards)
        for card in self._cards:
            hidden = card.isHidden() and card.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
            card.setParent(self)
            card.setVisible(not hidden)
        self.arrange()

    def arrange(self) -> None:
        """Place the cards anew, as when one was shown, hidden, or has another text."""
        count = self._count()
        width = (self.width() - 2 * _SIDE - _GAP * (count - 1)) // count
        bottoms = [_TOP] * count
        for card in self._cards:
            if card.isHidden():
                continue
            column = bottoms.index(min(bottoms))
            height = max(card.heightForWidth(width), card.minimumSizeHint().height())
            card.setGeometry(_SIDE + column * (width + _GAP), bottoms[column], width, height)
            bottoms[column] += height + _GAP
        height = max(bottoms) - _GAP + _SIDE
        if height != self._height:
            self._height = height
            self.setMinimumHeight(height)

    def event(self, event: QEvent) -> bool:
        """A card has grown or shrunk."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.arrange()
        return bool(super().event(event))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer columns, other widths."""
        super().resizeEvent(event)
        self.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed unseen."""
        super().showEvent(event)
        self.arrange()

    def sizeHint(self) -> QSize:
        """Two columns, as high as the cards are now."""
        return QSize(2 * _COLUMN_WIDTH, self._height)

    def minimumSizeHint(self) -> QSize:
        """One column at least, whatever the number now."""
        return QSize(_COLUMN_WIDTH // 2, self._height)

    def _count(self) -> int:
        fitting = (self.width() - 2 * _SIDE + _GAP) // (_COLUMN_WIDTH + _GAP)
        return max(1, min(int(fitting), _MOST_COLUMNS, max(len(self._cards), 1)))
