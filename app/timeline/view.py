"""The timeline as a widget: lanes and counters, a row of controls above and the sums of a span below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from as2d.app.timeline.canvas import Canvas
from as2d.app.timeline.controls import ZOOM, Controls
from as2d.app.timeline.help import TimelineHelp
from as2d.app.timeline.lane_menu import LaneButton, open_lane_menu
from as2d.app.timeline.navigator import Navigator
from as2d.app.timeline.span_bar import SpanBar
from as2d.app.translation import tr
from as2d.app.viewmodels.call import call_view, row_of_call
from as2d.app.viewmodels.recording_stretch import RecordingStretch
from as2d.app.viewmodels.timeline import TimelineModel

TICK_MS = 15
"""How often the view looks whether there is something new."""
FRAME_MS = 45
"""Frames are at least this far apart: more would cost the decoding on this computer its processor time."""
SUMS_MS = 200


@dataclass(frozen=True)
class Arrangement:
    """The keys of the lanes that are folded, pinned and hidden, and which time the axis shows."""

    folded: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    audio_time: bool = False
    hidden: tuple[str, ...] = ()


class TimelineView(QWidget):
    """Shows a model live and afterwards. `span_selected` gives ns of the clock, `play_from` seconds of the
    recording that lies there (`play_recording_from` names it too).
    """

    call_selected = Signal(str, int)
    span_selected = Signal(object, object)
    play_from = Signal(float)
    play_recording_from = Signal(str, float)

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown = self._summed = -1
        self._position: tuple[str, float] | None = None
        self._stretch = RecordingStretch(model, None)
        self._since_sums = QElapsedTimer()
        self._since_frame = QElapsedTimer()
        self.canvas = Canvas(model, self)
        self.navigator = Navigator(self.canvas)
        self.controls = Controls(self.canvas, self.navigator)
        self._axis_button = self._button(
            tr("By audio"), tr("Switch between the time of the run and that of the audio (T)")
        )
        self._axis_button.setCheckable(True)
        self._lanes = LaneButton(self.canvas, self.controls, self)
        self._sums = SpanBar(model, self)
        self._empty = QLabel(
            tr("Here decoding appears step by step: add recordings and run, or open a run of the history."),
            self.canvas,
        )
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._build()
        self._connect()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.canvas.setFocusProxy(self)
        self.setAccessibleName(tr("Timeline"))
        self.setAccessibleDescription(tr("Press ? for its keys."))
        self.setMinimumSize(420, 150)

    def refresh(self) -> None:
        """Show what the model was fed since the last time; called by itself while visible."""
        if self._shown != self._model.version:
            self._since_frame.restart()
            self._shown = self._model.version
            self._empty.setVisible(self._model.span is None)
            self.canvas.keep_laid_out()
            self._mark_recording()
            self.navigator.follow()
            if self._position is not None and self.canvas.overlay.playhead is None:
                self._mark_position()  # its tokens are committed by now
        if self._summed != self._model.version and self._since_sums.hasExpired(SUMS_MS):
            self._summed = self._model.version
            self._since_sums.restart()
            self._sums.refresh()

    def _tick(self) -> None:
        if not self._since_frame.isValid() or self._since_frame.hasExpired(FRAME_MS):
            self.refresh()

    def show_call(self, request: str, index: int) -> None:
        """Focus a call and bring it into view; one that is not there changes nothing."""
        row = row_of_call(self._model, request, index)
        if row is not None:
            self.navigator.focus_call(row)

    def show_position(self, recording: str, seconds: float | None) -> None:
        """Mark the place of playback in a recording; None: no playback."""
        self._position = None if seconds is None else (recording, seconds)
        self._mark_position()

    def show_recording(self, recording: str | None) -> None:
        """Mark the stretch of a recording; None: of none."""
        self._stretch = RecordingStretch(self._model, recording)
        self._mark_recording()
        self.canvas.repaint_overlay()

    def _mark_recording(self) -> None:
        self.canvas.overlay.recording = self._stretch.span(audio_time=self.canvas.view.audio_time)

    def _mark_position(self) -> None:
        overlay = self.canvas.overlay
        overlay.playhead = None
        audio = None if self._position is None else self._model.audio_seconds(*self._position)
        if audio is not None:
            ns = round(audio * 1e9)
            overlay.playhead = ns if self.canvas.view.audio_time else self._model.audio_time.clock_at(ns)
        self.canvas.repaint_overlay()

    @property
    def arrangement(self) -> Arrangement:
        """How the user arranged the view, to be kept."""
        lanes = self.canvas.lanes
        return Arrangement(
            tuple(lane.key for lane in lanes if lane.folded),
            tuple(lane.key for lane in lanes if lane.pinned),
            self.canvas.view.audio_time,
            tuple(lane.key for lane in lanes if lane.hidden),
        )

    def arrange(self, arrangement: Arrangement) -> None:
        """Arrange the view as it was; lanes that there are no longer are left out."""
        for lane in self.canvas.lanes:
            lane.folded = lane.key in arrangement.folded
            lane.pinned = lane.key in arrangement.pinned
            lane.show_if(lane.key not in arrangement.hidden)
        self._lanes.follow()
        self.set_audio_time(arrangement.audio_time)
        self.canvas.lay_out()
        self.navigator.follow()

    def set_audio_time(self, audio_time: bool) -> None:
        """Show audio time instead of decode time, or the other way round."""
        self.navigator.set_audio_time(audio_time)
        self._mark_recording()
        self._mark_position()
        self._axis_button.setChecked(audio_time)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.controls.key_pressed(event):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.canvas.follow_palette(self.palette())

    def _build(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(6, 4, 6, 4)
        tools.setSpacing(4)
        tools.addWidget(self._axis_button)
        for text, about, action in (
            ("−", tr("Zoom out (S)"), lambda: self.navigator.zoom(1 / ZOOM)),
            ("+", tr("Zoom in (W)"), lambda: self.navigator.zoom(ZOOM)),
            (tr("Fit"), tr("Fit the selected span, then everything (F)"), self.navigator.fit),
        ):
            button = self._button(text, about)
            button.clicked.connect(action)
            tools.addWidget(button)
        tools.addWidget(self._lanes)
        tools.addWidget(self._sums, 1)
        help_button = self._button("?", tr("Keys and signs of the timeline (?)"))
        help_button.clicked.connect(self._show_help)
        tools.addWidget(help_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(tools)
        layout.addWidget(self.canvas, 1)

    def _connect(self) -> None:
        self._axis_button.clicked.connect(self.set_audio_time)
        self.canvas.resized.connect(self._resized)
        self.navigator.span_changed.connect(self._span_changed)
        self.navigator.call_changed.connect(self._call_changed)
        self.controls.call_opened.connect(self._open_call)
        self.controls.place_opened.connect(self._play_from)
        self.controls.help_asked.connect(self._show_help)
        self.controls.menu_asked.connect(lambda lane, at: open_lane_menu(self.controls, lane, at, self))
        self.controls.axis_switched.connect(lambda: self.set_audio_time(not self.canvas.view.audio_time))

    def _button(self, text: str, about: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(about)
        button.setAccessibleName(about)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _resized(self) -> None:
        self._empty.setGeometry(self.canvas.viewport().rect().adjusted(140, 40, -20, -10))
        self.navigator.follow()

    def _span_changed(self, span: tuple[int, int] | None) -> None:
        clock = None if span is None else self._clock_span(span)
        self._sums.show_span(clock)
        if clock is not None:
            self.span_selected.emit(*clock)

    def _clock_span(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """A span of the axis in ns of the clock; None where nothing was committed in that audio."""
        if not self.canvas.view.audio_time:
            return span
        begin, end = (self._model.audio_time.clock_at(t) for t in span)
        return None if begin is None or end is None or end < begin else (begin, end)

    def _call_changed(self, row: int | None) -> None:
        if row is None:
            self.setAccessibleDescription(tr("Press ? for its keys."))
            return
        view = call_view(self._model, row)
        self.setAccessibleDescription(self.canvas.bar_lane("target").tip_of(row))
        self.call_selected.emit(view.request, view.index)

    def _open_call(self, row: int) -> None:
        view = call_view(self._model, row)
        self.call_selected.emit(view.request, view.index)

    def _play_from(self, t: int) -> None:
        audio_ns = t if self.canvas.view.audio_time else self._model.audio_time.audio_at(t)
        place = self._model.recording_at(audio_ns / 1e9)
        if place is not None:
            self.play_from.emit(place[1])
            self.play_recording_from.emit(*place)

    def _show_help(self) -> None:
        TimelineHelp(self).open()
