"""The button that begins something long, and ends it while it goes on."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPushButton

from as2d.app.commands.registry import CommandRegistry
from as2d.app.theme.theme import Theme

_WIDTH = 104


class RunButton(QPushButton):
    """Runs one command or another, by what goes on. From the moment that an end was asked for, until it has
    come, it says so: its command to end is then disabled.
    """

    def __init__(
        self, theme: Theme, registry: CommandRegistry, begin: str, end: str, words: tuple[str, str]
    ) -> None:
        """`begin` and `end` are the ids of its commands, `words` what it says to end, and while that is
        awaited.
        """
        super().__init__()
        self.setObjectName("primary")
        self.setMinimumWidth(_WIDTH)
        self.setIconSize(QSize(16, 16))
        self._theme = theme
        self._registry = registry
        self._begin = begin
        self._end = end
        self._words = words
        self._running = False
        self.clicked.connect(lambda: registry.run(end if self._running else begin))

    def follow(self, text: str, *, running: bool) -> None:
        """Begin, in these words, or end what goes on."""
        self._running = running
        action = self._registry.action(self._end if running else self._begin)
        end, ending = self._words
        shown = (end if action.isEnabled() else ending) if running else text
        self.setText(shown)
        self.setAccessibleName(shown)
        self.setIcon(self._theme.icon("stop" if running else "run", on_accent=True))
        self.setToolTip(action.toolTip())
        self.setEnabled(action.isEnabled())
