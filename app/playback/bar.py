"""The row above the transcript: play, waveform, time, speed and loudness."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSlider, QToolButton, QWidget, QWidgetAction

from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.playback.player import SPEEDS, Player
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.waveform.reader import WaveformReader
from as2d.app.waveform.strip import WaveformStrip, position_text


class SoundBar(QWidget):
    """Shows a `Player` and lets it be used."""

    def __init__(
        self,
        player: Player,
        reader: WaveformReader,
        theme: Theme,
        registry: CommandRegistry,
        settings: SettingsStore,
    ) -> None:
        super().__init__()
        self.setObjectName("strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._player = player
        self._reader = reader
        self._theme = theme
        self._registry = registry
        self._settings = settings
        self.strip = WaveformStrip(reader, theme)
        self.play = self._command_button("playback.toggle", 22)
        self.time = QLabel()
        self.time.setObjectName("secondary")
        self.time.setAccessibleName(tr("Place and length"))
        self.speed = self._menu_button(tr("Speed"))
        self._speeds = self._speed_menu()
        self.volume = QSlider(Qt.Orientation.Horizontal)
        self.loudness = self._menu_button(tr("Volume"))
        self._volume_menu()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 5, 8, 5)
        layout.setSpacing(6)
        layout.addWidget(self.play)
        layout.addWidget(self.strip, 1)
        layout.addWidget(self.time)
        layout.addWidget(self.speed)
        layout.addWidget(self.loudness)
        self.strip.asked.connect(player.seek)
        player.moved.connect(self.follow)
        player.changed.connect(self._follow_state)
        reader.changed.connect(self._follow_state)
        theme.changed.connect(self._follow_state)
        self._follow_state()

    def follow(self) -> None:
        """Show the place that is heard."""
        player = self._player
        text = position_text(player.position, player.duration)
        if text != self.time.text():
            self.time.setText(text)
        self.strip.show_position(player.position, follow=player.playing)

    def _follow_state(self) -> None:
        player = self._player
        self.setVisible(player.path is not None or self._reader.problem is not None)
        self.play.setEnabled(player.path is not None and self._reader.problem is None)
        self.strip.show_length(player.duration)
        # The label is as wide as its longest text, so that the waveform beside it does not jump.
        widest = position_text(player.duration or 0.0, player.duration)
        self.time.setMinimumWidth(self.time.fontMetrics().horizontalAdvance(widest) + 4)
        self.play.setIcon(self._theme.icon("pause" if player.playing else "run"))
        name = tr("Pause") if player.playing else tr("Play")
        self.play.setAccessibleName(name)
        keys = self._registry.action("playback.toggle").shortcut().toString()
        self.play.setToolTip(f"{name} ({keys})" if keys else name)
        self.speed.setText(f"{player.speed:g}×")
        for speed, action in self._speeds.items():
            action.setChecked(speed == player.speed)
        self.loudness.setIcon(self._theme.icon("speaker" if player.volume else "muted"))
        self.loudness.setToolTip(tr("Volume {percent} %", percent=player.volume))
        self.follow()

    def _command_button(self, command: str, size: int) -> QToolButton:
        action = self._registry.action(command)
        button = QToolButton()
        button.setIconSize(QSize(size, size))
        button.setAccessibleName(plain_name(action.text()))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._registry.run(command))
        return button

    def _menu_button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.setIconSize(QSize(18, 18))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        return button

    def _speed_menu(self) -> dict[float, QAction]:
        menu = QMenu(self.speed)
        group = QActionGroup(menu)
        actions: dict[float, QAction] = {}
        for speed in SPEEDS:
            action = menu.addAction(f"{speed:g}×")
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, own=speed: self._player.set_speed(own))
            group.addAction(action)
            actions[speed] = action
        self.speed.setMenu(menu)
        self.speed.setMinimumWidth(46)
        return actions

    def _volume_menu(self) -> None:
        self.volume.setRange(0, 100)
        self.volume.setValue(self._player.volume)
        self.volume.setFixedWidth(150)
        self.volume.setAccessibleName(tr("Volume"))
        self.volume.valueChanged.connect(self._player.set_volume)
        menu = QMenu(self.loudness)
        entry = QWidgetAction(menu)
        entry.setDefaultWidget(self.volume)
        menu.addAction(entry)
        menu.aboutToShow.connect(self.volume.setFocus)
        menu.aboutToHide.connect(lambda: self._settings.change(volume=self.volume.value()))
        self.loudness.setMenu(menu)
