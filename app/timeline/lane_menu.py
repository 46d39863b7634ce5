"""Which lanes are shown, and what can be done with one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from as2d.app.timeline.canvas import Canvas
from as2d.app.timeline.controls import Controls
from as2d.app.timeline.lane import Lane
from as2d.app.translation import tr


class LaneButton(QToolButton):
    """Lists all lanes, hidden ones too, each to be shown or hidden; says how many are hidden."""

    def __init__(self, canvas: Canvas, controls: Controls, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._controls = controls
        self.setAutoRaise(True)
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(tr("Show and hide lanes (H hides the chosen one, Shift+H shows all)"))
        self.setAccessibleName(tr("Show and hide lanes"))
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        controls.lane_changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Say how many lanes are hidden."""
        hidden = sum(lane.hidden for lane in self._canvas.lanes)
        words = tr("Lanes ({n} hidden)", n=hidden) if hidden else tr("Lanes")
        self.setText(f"{words} ▾")

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for lane in self._canvas.lanes:
            action = menu.addAction(lane.title)
            action.setCheckable(True)
            action.setChecked(not lane.hidden)
            action.setToolTip(lane.about)
            action.toggled.connect(partial(self._set, lane))
        menu.addSeparator()
        menu.addAction(tr("Show all lanes")).triggered.connect(self._controls.show_all_lanes)

    def _set(self, lane: Lane, *_: object) -> None:
        self._controls.set_hidden(lane, not lane.hidden)


def open_lane_menu(controls: Controls, lane: Lane, place: QPoint, parent: QWidget) -> None:
    """What can be done with a lane, at a place of the screen."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    deeds: tuple[tuple[str, Callable[[Lane], None]], ...] = (
        (tr("Unfold the lane (C)") if lane.folded else tr("Fold the lane (C)"), controls.toggle_fold),
        (
            tr("Let the lane go (P)") if lane.pinned else tr("Pin the lane to the top (P)"),
            controls.toggle_pin,
        ),
        (tr("Hide the lane (H)"), lambda lane: controls.set_hidden(lane, True)),
    )
    for text, deed in deeds:
        menu.addAction(text).triggered.connect(partial(deed, lane))
    menu.addSeparator()
    menu.addAction(tr("Show all lanes")).triggered.connect(controls.show_all_lanes)
    menu.popup(place)
