"""How wide the lines of a text are at most."""

from __future__ import annotations

from PySide6.QtWidgets import QTextEdit

_CHARACTERS = 90  # longer lines lose the eye on its way to the next


def keep_measure(view: QTextEdit) -> None:
    """Wrap a text at the view's width or its widest measure, the lesser; for every change of either."""
    margins = 2 * round(view.document().documentMargin())
    widest = _CHARACTERS * view.fontMetrics().averageCharWidth() + margins
    width = min(view.viewport().width(), widest)
    if view.lineWrapMode() != QTextEdit.LineWrapMode.FixedPixelWidth:
        view.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
    if view.lineWrapColumnOrWidth() != width:
        view.setLineWrapColumnOrWidth(width)
