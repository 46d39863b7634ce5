"""What the timeline shows and what is chosen in it: zoom, pan, fit, calls and spans. Paints nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Signal

from as2d.app.timeline.canvas import Canvas
from as2d.app.timeline.header import WIDTH
from as2d.app.viewmodels.axis import TimeAxis, fitted

_MARGIN = 0.15


class Navigator(QObject):
    """Moves the axis of a canvas. While a run goes on the view follows: whole, or its end where the user
    zoomed in and the end was visible.
    """

    call_changed = Signal(object)
    span_changed = Signal(object)
    axis_changed = Signal()

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._whole = True
        self._at_end = True
        self.call: int | None = None
        """The row of the focused call among all calls of the run, the forgotten ones included."""
        self.span: tuple[int, int] | None = None

    @property
    def axis(self) -> TimeAxis:
        """The axis that is shown."""
        return self._canvas.view.axis

    def data_span(self) -> tuple[int, int] | None:
        """Everything that there is, in the axis that is shown."""
        view = self._canvas.view
        if not view.audio_time:
            return view.model.span
        spans = [
            self._canvas.bar_lane(key).bars().span for key in ("audio", "drafter", "target", "committed")
        ]
        known = [span for span in spans if span is not None]
        return (min(span[0] for span in known), max(span[1] for span in known)) if known else None

    def fit(self) -> None:
        """Show the selected span, or everything where that is shown already or nothing is selected."""
        if self.span is not None and not self._shows(self.span):
            self.show(self.span)
            self._whole = False
            return
        self._whole = self._at_end = True
        self.follow()

    def show(self, span: tuple[int, int]) -> None:
        """Show a span whole."""
        self.set_axis(fitted(span, self.axis.width))

    def zoom(self, factor: float, at_x: float | None = None) -> None:
        """Zoom by a factor (below 1: in) around a pixel, the middle by default."""
        self._whole = False
        self.set_axis(self.axis.zoomed(factor, self.axis.width / 2 if at_x is None else at_x))

    def pan(self, pixels: float) -> None:
        """Move to what lies later by so many pixels."""
        self._whole = False
        self.set_axis(self.axis.panned(pixels))

    def set_axis(self, axis: TimeAxis) -> None:
        """Show another part; something of the run stays visible."""
        span = self.data_span()
        if span is not None:
            axis = axis.kept_near(span)
            self._at_end = axis.end >= span[1]
        self._canvas.view.axis = axis
        self._place_marks()
        self._canvas.repaint_all()
        self.axis_changed.emit()

    def follow(self) -> None:
        """The run has gone on: keep what is followed in view."""
        span = self.data_span()
        if span is None:
            self._canvas.repaint_all()
            return
        if self._whole:
            axis = fitted(span, self.axis.width)
        elif self._at_end and span[1] > self.axis.end:
            length = self.axis.end - self.axis.begin
            end = span[1] + length // 20
            axis = TimeAxis(end - length, end, self.axis.width)
        else:
            axis = self.axis
        self._canvas.view.axis = axis
        self._place_marks()
        self._canvas.repaint_all()
        self.axis_changed.emit()

    def select_span(self, span: tuple[int, int] | None) -> None:
        """Select a span of the axis; None: nothing."""
        self.span = None if span is None else (min(span), max(span))
        self._place_marks()
        self._canvas.repaint_overlay()
        self.span_changed.emit(self.span)

    def focus_call(self, row: int | None) -> None:
        """Focus a call by its row among those that are kept, and bring it into view; None: no call."""
        model = self._canvas.view.model
        self.call = None if row is None else row + model.forgotten_calls
        if row is not None:
            begin, end = self._canvas.bar_lane("target").span_of(row)
            self._bring_into_view(begin, end)
        self._place_marks()
        self._canvas.repaint_overlay()
        self.call_changed.emit(row)

    def call_row(self) -> int | None:
        """The row of the focused call among those that are kept."""
        if self.call is None or self.call < self._canvas.view.model.forgotten_calls:
            return None
        return self.call - self._canvas.view.model.forgotten_calls

    def step_call(self, by: int, *, extend: bool = False) -> None:
        """Focus the call before or after; without a focus the first visible one. `extend`: select from
        where the span began to that call.
        """
        model = self._canvas.view.model
        count = len(model.target)
        if not count:
            return
        row = self.call_row()
        if row is None:
            bars = self._canvas.bar_lane("target").bars()
            first, last = bars.visible(self.axis.begin, self.axis.end)
            place = min(first if by > 0 else max(last - 1, first), count - 1)
            row = place if bars.rows is None else int(bars.rows[place])
        else:
            before = self._canvas.bar_lane("target").span_of(row)
            row = min(max(row + by, 0), count - 1)
            if extend:
                now = self._canvas.bar_lane("target").span_of(row)
                kept = self.span or before
                self.select_span((kept[0], now[1]) if by > 0 else (now[0], kept[1]))
        self.focus_call(row)

    def focus_end(self, last: bool) -> None:
        """Focus the first or the last call."""
        count = len(self._canvas.view.model.target)
        if count:
            self.focus_call(count - 1 if last else 0)

    def set_audio_time(self, audio_time: bool) -> None:
        """Switch between decode time and audio time; a selection belongs to its axis and is given up."""
        view = self._canvas.view
        if view.audio_time == audio_time:
            return
        view.audio_time = audio_time
        self.select_span(None)
        self._whole = self._at_end = True
        self.follow()

    def _shows(self, span: tuple[int, int]) -> bool:
        axis = fitted(span, self.axis.width)
        near = self.axis.ns_per_pixel * 4
        return abs(axis.begin - self.axis.begin) <= near and abs(axis.end - self.axis.end) <= near

    def _bring_into_view(self, begin: int, end: int) -> None:
        axis = self.axis
        room = (axis.end - axis.begin) * _MARGIN
        if begin >= axis.begin and end <= axis.end:
            return
        middle = (begin + end) // 2
        length = max(axis.end - axis.begin, round((end - begin) * 1.2))
        start = middle - length // 2
        if end > axis.end and end - axis.end < length:
            start = round(end + room - length)
        elif begin < axis.begin and axis.begin - begin < length:
            start = round(begin - room)
        self._whole = False
        self.set_axis(TimeAxis(start, start + length, axis.width))

    def _place_marks(self) -> None:
        overlay = self._canvas.overlay
        overlay.selection = self.span
        overlay.call = None
        row = self.call_row()
        lane = self._canvas.bar_lane("target")
        if row is None or lane.hidden or row >= len(self._canvas.view.model.target):
            return
        begin, end = lane.span_of(row)
        left, right = self.axis.x(begin), self.axis.x(end)
        if right < 0 or left > self.axis.width:
            return
        width = max(right - left, 3.0)
        overlay.call = QRectF(WIDTH + left - 1, lane.y(), width + 1, lane.height)
