"""Marks in a text that several parts of the window make: each kind is replaced on its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from as2d.app.theme.theme import Theme

Kind = Literal["found", "spoken"]
_PROPERTY = "marks"
_ORDER: tuple[Kind, ...] = ("found", "spoken")


def show_marks(view: QTextEdit, kind: Kind, marks: Sequence[QTextEdit.ExtraSelection]) -> None:
    """Show marks in place of those of the same kind."""
    kinds = cast("dict[str, list[QTextEdit.ExtraSelection]]", view.property(_PROPERTY) or {})
    kinds = {**kinds, kind: list(marks)}
    view.setProperty(_PROPERTY, kinds)
    view.setExtraSelections([mark for own in _ORDER for mark in kinds.get(own, [])])


def spoken_mark(view: QTextEdit, begin: int, end: int, theme: Theme) -> QTextEdit.ExtraSelection:
    """The word that is heard: dark ground, bright letters."""
    mark = QTextEdit.ExtraSelection()
    cursor = QTextCursor(view.document())
    cursor.setPosition(begin)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    form = QTextCharFormat()
    form.setBackground(QColor(theme.colours.accent))
    form.setForeground(QColor(theme.colours.accent_text))
    mark.cursor = cursor
    mark.format = form
    return mark
