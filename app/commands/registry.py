"""Commands by name: what menus, toolbar, palette, shortcuts and tests have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from as2d.app.commands.names import plain_name
from as2d.app.theme.theme import Theme


@dataclass(frozen=True)
class Command:
    """One thing that the user can do. `text` is translated; `shortcuts` are Qt's portable names."""

    id: str
    group: str
    text: str
    run: Callable[[], None]
    shortcuts: tuple[str, ...] = ()
    icon: str | None = None
    checkable: bool = False
    enabled: bool = True


class CommandRegistry(QObject):
    """All commands of a window, each with its action."""

    changed = Signal()

    def __init__(self, window: QWidget, theme: Theme, shortcuts: dict[str, list[str]]) -> None:
        """`shortcuts`: the user's own, by command."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._own = dict(shortcuts)
        self._held_back: set[str] = set()
        self._places: dict[str, QWidget] = {}
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        theme.changed.connect(self._draw_icons)

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands.values())

    def add(self, command: Command) -> QAction:
        """Add a command to the window; its action."""
        if command.id in self._commands:
            raise ValueError(f"there are two commands '{command.id}'")
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setCheckable(command.checkable)
        action.setEnabled(command.enabled)
        action.triggered.connect(lambda _checked=False: command.run())
        self._commands[command.id] = command
        self._actions[command.id] = action
        self._set_shortcuts(command.id)
        self._window.addAction(action)
        self._draw_icons()
        return action

    def action(self, name: str) -> QAction:
        """The action of a command."""
        return self._actions[name]

    def run(self, name: str) -> None:
        """Do what the command does, if it is enabled."""
        self._actions[name].trigger()

    def enable(self, name: str, enabled: bool) -> None:
        """Let a command be used, or not now."""
        self._actions[name].setEnabled(enabled)

    def rename(self, name: str, text: str) -> None:
        """Say more exactly what a command would do now."""
        self._actions[name].setText(text)
        self._set_shortcuts(name)

    def shortcuts(self, name: str) -> list[str]:
        """The shortcuts in force."""
        own = self._own.get(name)
        return list(self._commands[name].shortcuts) if own is None else list(own)

    def own_shortcuts(self) -> dict[str, list[str]]:
        """The shortcuts that the user changed."""
        return dict(self._own)

    def change_shortcuts(self, name: str, shortcuts: list[str] | None) -> None:
        """Give a command other shortcuts; None: its own again."""
        if shortcuts is None or shortcuts == list(self._commands[name].shortcuts):
            self._own.pop(name, None)
        else:
            self._own[name] = list(shortcuts)
        self._set_shortcuts(name)
        self.changed.emit()

    def hold_back(self, shortcut: str, held: bool) -> None:
        """Leave a shortcut to the control that has the focus, or no longer."""
        if held == (shortcut in self._held_back):
            return
        (self._held_back.add if held else self._held_back.discard)(shortcut)
        for name in self._commands:
            if shortcut in self.shortcuts(name):
                self._set_shortcuts(name)

    def keep_to(self, name: str, place: QWidget) -> None:
        """Let a command's shortcuts act only while `place`, or what is in it, has the focus."""
        action = self._actions[name]
        self._places[name] = place
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._window.removeAction(action)  # everything is in the window
        place.addAction(action)

    def holder_of(self, shortcut: str, wanted_by: str) -> Command | None:
        """The command that has this shortcut where `wanted_by` would have it; not that command itself."""
        wanted = QKeySequence(shortcut)
        for name, command in self._commands.items():
            if name == wanted_by or not self.may_collide(name, wanted_by):
                continue
            if any(QKeySequence(own) == wanted for own in self.shortcuts(name)):
                return command
        return None

    def may_collide(self, name: str, other: str) -> bool:
        """Whether one key could mean both commands: not where each has a place of its own."""
        places = self._places.get(name), self._places.get(other)
        return None in places or places[0] is places[1]

    def _set_shortcuts(self, name: str) -> None:
        action = self._actions[name]
        sequences = [QKeySequence(shortcut) for shortcut in self.shortcuts(name)]
        action.setShortcuts([QKeySequence(own) for own in self.shortcuts(name) if own not in self._held_back])
        plain = plain_name(action.text())
        action.setIconText(plain)
        keys = sequences[0].toString(QKeySequence.SequenceFormat.NativeText) if sequences else ""
        action.setToolTip(f"{plain} ({keys})" if keys else plain)

    def _draw_icons(self) -> None:
        for name, command in self._commands.items():
            if command.icon is not None:
                self._actions[name].setIcon(self._theme.icon(command.icon))
