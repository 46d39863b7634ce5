"""Mouse and keys of the timeline."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from as2d.app.timeline.backdrop import RULER
from as2d.app.timeline.bar_lane import BarLane
from as2d.app.timeline.canvas import Canvas
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.lane import Lane
from as2d.app.timeline.navigator import Navigator

ZOOM = 0.8
_WHEEL = 0.0015
_DRAG = 4
_PAN = 0.1
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class Controls(QObject):
    """Turns what the user does into moves of the navigator."""

    call_opened = Signal(int)
    place_opened = Signal(object)
    help_asked = Signal()
    axis_switched = Signal()
    lane_changed = Signal()
    menu_asked = Signal(object, object)
    """A lane, and the place of the screen."""

    def __init__(self, canvas: Canvas, navigator: Navigator) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._navigator = navigator
        self._pressed: QPointF | None = None
        self._dragging: str | None = None
        self._last = QPointF()
        self.focused_lane: Lane | None = None
        canvas.viewport().installEventFilter(self)
        key = Qt.Key
        self._keys: dict[Qt.Key, Callable[[bool], None]] = {
            key.Key_W: lambda shift: navigator.zoom(ZOOM, self._pointer_x()),  # noqa: ARG005
            key.Key_S: lambda shift: navigator.zoom(1 / ZOOM, self._pointer_x()),  # noqa: ARG005
            key.Key_Plus: lambda shift: navigator.zoom(ZOOM),  # noqa: ARG005
            key.Key_Equal: lambda shift: navigator.zoom(ZOOM),  # noqa: ARG005
            key.Key_Minus: lambda shift: navigator.zoom(1 / ZOOM),  # noqa: ARG005
            key.Key_A: lambda shift: navigator.pan(-navigator.axis.width * _PAN * (5 if shift else 1)),
            key.Key_D: lambda shift: navigator.pan(navigator.axis.width * _PAN * (5 if shift else 1)),
            key.Key_F: lambda shift: navigator.fit(),  # noqa: ARG005
            key.Key_T: lambda shift: self.axis_switched.emit(),  # noqa: ARG005
            key.Key_Left: lambda shift: navigator.step_call(-1, extend=shift),
            key.Key_Right: lambda shift: navigator.step_call(1, extend=shift),
            key.Key_Home: lambda shift: navigator.focus_end(last=False),  # noqa: ARG005
            key.Key_End: lambda shift: navigator.focus_end(last=True),  # noqa: ARG005
            key.Key_Up: lambda shift: self.step_lane(-1),  # noqa: ARG005
            key.Key_Down: lambda shift: self.step_lane(1),  # noqa: ARG005
            key.Key_C: lambda shift: self._with_lane(self.toggle_fold),  # noqa: ARG005
            key.Key_P: lambda shift: self._with_lane(self.toggle_pin),  # noqa: ARG005
            key.Key_H: lambda shift: self.show_all_lanes() if shift else self._with_lane(self._hide),
            key.Key_Return: lambda shift: self._open_call(),  # noqa: ARG005
            key.Key_Enter: lambda shift: self._open_call(),  # noqa: ARG005
            key.Key_Escape: lambda shift: self._give_up(),  # noqa: ARG005
            key.Key_Question: lambda shift: self.help_asked.emit(),  # noqa: ARG005
        }

    def key_pressed(self, event: QKeyEvent) -> bool:
        """Do what a key means; False where it means nothing here."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        action = self._keys.get(Qt.Key(event.key()))
        if action is None or modifiers & ~_SHIFT:
            return False
        action(bool(modifiers & _SHIFT))
        return True

    def step_lane(self, by: int) -> None:
        """Focus the lane above or below."""
        order = sorted((lane for lane in self._canvas.lanes if not lane.hidden), key=lambda lane: lane.y())
        place = (
            order.index(self.focused_lane) + by if self.focused_lane else (0 if by > 0 else len(order) - 1)
        )
        self._focus_lane(order[min(max(place, 0), len(order) - 1)])

    def toggle_fold(self, lane: Lane) -> None:
        """Fold a lane to a strip, or unfold it."""
        lane.folded = not lane.folded
        self._canvas.lay_out()
        self._navigator.follow()
        self.lane_changed.emit()

    def toggle_pin(self, lane: Lane) -> None:
        """Keep a lane at the top and always visible, or let it go."""
        lane.pinned = not lane.pinned
        self._canvas.lay_out()
        self._navigator.follow()
        self.lane_changed.emit()

    def set_hidden(self, lane: Lane, hidden: bool) -> None:
        """Hide a lane, or show it again; the last one stays."""
        if hidden and sum(not other.hidden for other in self._canvas.lanes) == 1:
            return
        lane.show_if(not hidden)
        if hidden and self.focused_lane is lane:
            self._focus_lane(None)
        self._canvas.lay_out()
        self._navigator.follow()
        self.lane_changed.emit()

    def show_all_lanes(self) -> None:
        """Show what was hidden."""
        for lane in self._canvas.lanes:
            lane.show_if(True)
        self._canvas.lay_out()
        self._navigator.follow()
        self.lane_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002
        kind = event.type()
        if isinstance(event, QWheelEvent):
            self._wheel(event)
            return True
        if isinstance(event, QMouseEvent):
            if kind == QEvent.Type.MouseButtonPress:
                self._press(event)
            elif kind == QEvent.Type.MouseMove:
                self._move(event)
            elif kind == QEvent.Type.MouseButtonRelease:
                self._release(event)
            elif kind == QEvent.Type.MouseButtonDblClick:
                self._double_click(event)
            return False
        if kind == QEvent.Type.Leave:
            self._canvas.overlay.pointer = None
            self._canvas.repaint_overlay()
        return False

    def _wheel(self, event: QWheelEvent) -> None:
        x = event.position().x() - WIDTH
        delta = event.angleDelta()
        if x < 0 and self._canvas.overflow:
            self._canvas.scrolled -= delta.y() / 4
            self._canvas.lay_out()
            self._navigator.follow()
        elif event.modifiers() & _SHIFT or abs(delta.x()) > abs(delta.y()):
            self._navigator.pan(-(delta.x() or delta.y()))
        elif delta.y():
            self._navigator.zoom(2.0 ** (-delta.y() * _WHEEL * 2), max(x, 0.0))

    def _press(self, event: QMouseEvent) -> None:
        self._pressed = self._last = event.position()
        self._dragging = None
        lane = self._canvas.lane_at(self._pressed)
        if self._pressed.x() < WIDTH and lane is not None:
            self._focus_lane(lane)
            if event.button() == Qt.MouseButton.RightButton:
                self._pressed = None
                self.menu_asked.emit(lane, event.globalPosition().toPoint())
                return
            part = self._canvas.header_of(lane).part_at(self._pressed.x())
            if part == "fold":
                self.toggle_fold(lane)
            elif part == "pin":
                self.toggle_pin(lane)
            self._pressed = None

    def _move(self, event: QMouseEvent) -> None:
        at = event.position()
        overlay = self._canvas.overlay
        overlay.pointer = at.x() - WIDTH if at.x() >= WIDTH else None
        if self._pressed is not None and event.buttons():
            if self._dragging is None and abs(at.x() - self._pressed.x()) >= _DRAG:
                middle = event.buttons() & Qt.MouseButton.MiddleButton
                self._dragging = "pan" if middle or event.modifiers() & _SHIFT else "select"
            if self._dragging == "pan":
                self._navigator.pan(self._last.x() - at.x())
            elif self._dragging == "select":
                axis = self._navigator.axis
                self._navigator.select_span((axis.t(self._pressed.x() - WIDTH), axis.t(at.x() - WIDTH)))
            self._last = at
            return
        self._canvas.repaint_overlay()
        self._show_tip(event)

    def _show_tip(self, event: QMouseEvent) -> None:
        lane = self._canvas.lane_at(event.position())
        tip = ""
        if lane is not None:
            x = event.position().x() - WIDTH
            tip = f"{lane.title}: {lane.about}" if x < 0 else lane.tip(x)
        QToolTip.showText(event.globalPosition().toPoint(), tip, self._canvas)

    def _release(self, event: QMouseEvent) -> None:
        pressed, dragging = self._pressed, self._dragging
        self._pressed = self._dragging = None
        if pressed is None or dragging is not None or event.button() != Qt.MouseButton.LeftButton:
            return
        lane = self._canvas.lane_at(pressed)
        x = pressed.x() - WIDTH
        if isinstance(lane, BarLane) and lane.key == "target":
            row = lane.row_at(x)
            if row is not None:
                self._navigator.focus_call(row)
                self.call_opened.emit(row)
                return
        if pressed.y() >= RULER:
            self._give_up()

    def _double_click(self, event: QMouseEvent) -> None:
        if event.position().x() >= WIDTH:
            self.place_opened.emit(self._navigator.axis.t(event.position().x() - WIDTH))

    def _hide(self, lane: Lane) -> None:
        self.set_hidden(lane, True)

    def _focus_lane(self, lane: Lane | None) -> None:
        self.focused_lane = lane
        for header in self._canvas.headers:
            header.focused = header.lane is lane
            header.update()
        self.lane_changed.emit()

    def _with_lane(self, action: Callable[[Lane], None]) -> None:
        if self.focused_lane is not None:
            action(self.focused_lane)

    def _open_call(self) -> None:
        row = self._navigator.call_row()
        if row is not None:
            self.call_opened.emit(row)

    def _give_up(self) -> None:
        self._navigator.select_span(None)
        self._navigator.focus_call(None)

    def _pointer_x(self) -> float | None:
        return self._canvas.overlay.pointer
