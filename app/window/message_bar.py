"""A message over the panels that stays until it is closed; nothing makes room for it, so nothing moves."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from as2d.app.theme.icons import drawn_icon
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr

Kind = Literal["error", "note"]
_ICON = 18
_WIDTH, _MARGIN = 560, 14


class MessageBar(QFrame):
    """Shows the last message; those before it are in the log."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self._theme = theme
        self._kind: Kind = "note"
        self._icon = QLabel()
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names in it may be those of others
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.close_button = QToolButton()
        self.close_button.setToolTip(tr("Close this message"))
        self.close_button.setAccessibleName(tr("Close this message"))
        self.close_button.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignVCenter)
        theme.changed.connect(self._draw)
        self.hide()

    def say(self, kind: Kind, text: str) -> None:
        """Show a message in place of the last."""
        self._kind = kind
        self.text.setText(text)
        self.text.setAccessibleName(text)
        self.setProperty("kind", kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self._draw()
        self._settle()
        self.show()
        self.raise_()

    def float_over(self, place: QWidget) -> None:
        """Appear in the lower right corner of this, over what is there."""
        self.setParent(place)  # which hides it
        place.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner, whatever its size."""
        if event.type() == QEvent.Type.Resize:
            self._settle()
        return super().eventFilter(watched, event)

    def take_back(self, text: str) -> None:
        """Hide this message, if it is the one that is shown: it does not hold any more."""
        if text == self.text.text():
            self.hide()

    def _settle(self) -> None:
        place = self.parentWidget()
        if place is None:
            return
        width = min(_WIDTH, place.width() - 2 * _MARGIN)
        height = self.heightForWidth(width)
        self.setGeometry(place.width() - width - _MARGIN, place.height() - height - _MARGIN, width, height)

    def _draw(self) -> None:
        colours = self._theme.colours
        name, colour = ("warning", colours.danger) if self._kind == "error" else ("info", colours.warning)
        pixmap: QPixmap = drawn_icon(name, colour, colour).pixmap(_ICON, _ICON)
        self._icon.setPixmap(pixmap)
        self.close_button.setIcon(self._theme.icon("close"))
