"""Texts with names that others gave, where Qt would take what looks like HTML for it."""

from __future__ import annotations

import html

from PySide6.QtGui import Qt


def plain_tip(text: str) -> str:
    """A tooltip that shows a text as it stands."""
    if not Qt.mightBeRichText(text):
        return text
    return f"<span>{html.escape(text)}</span>".replace("\n", "<br>")
