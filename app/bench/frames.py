"""How long a frame of the timeline takes, by the number of bars."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication

from as2d.app.bench.stream import repeated
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent

WIDTH, HEIGHT = 1920, 1080
FRAMES = 60


@dataclass(frozen=True)
class FrameTimes:
    """Times of the frames of one movement, in ms: by the clock, and of the GUI thread's processor time, which
    other programs do not lengthen.
    """

    bars: int
    hours: float
    movement: str
    median_ms: float
    p95_ms: float
    most_ms: float
    cpu_median_ms: float
    cpu_p95_ms: float


def model_with(events: Sequence[RecordedEvent], bars: int) -> TimelineModel:
    """A timeline of at least so many bars."""
    model = TimelineModel()
    for part in repeated(events):
        for event in part:
            model.feed(event)
        if bars_of(model) >= bars:
            return model
    raise AssertionError("the stream has no end")


def bars_of(model: TimelineModel) -> int:
    """How many bars a timeline holds."""
    return len(model.audio) + len(model.drafter) + len(model.target) + len(model.committed)


def frame_times(events: Sequence[RecordedEvent], bars: int) -> list[FrameTimes]:
    """Fit, zoom in from the whole run to single calls, and pan there, one frame a step."""
    model = model_with(events, bars)
    view = TimelineView(model)
    view.resize(WIDTH, HEIGHT)
    view.show()
    QApplication.processEvents()
    navigator = view.navigator
    span = model.span or (0, 1)

    def fit(step: int) -> None:  # noqa: ARG001
        navigator.fit()

    factor = (2e9 / (span[1] - span[0])) ** (1 / FRAMES)

    def zoom(step: int) -> None:  # noqa: ARG001
        navigator.zoom(factor, WIDTH * 0.4)

    def pan(step: int) -> None:  # noqa: ARG001
        navigator.pan(60)

    def pan_wide(step: int) -> None:  # noqa: ARG001
        navigator.pan(20)

    found = [_measure(view, model, "fit", fit), _measure(view, model, "zoom", zoom)]
    found.append(_measure(view, model, "pan, close", pan))
    navigator.fit()
    navigator.zoom(0.3)
    found.append(_measure(view, model, "pan, far", pan_wide))
    view.close()
    view.deleteLater()
    return found


def _measure(
    view: TimelineView, model: TimelineModel, movement: str, step: Callable[[int], None]
) -> FrameTimes:
    times, work = [], []
    for frame in range(FRAMES):
        before, worked = time.perf_counter(), time.thread_time()
        step(frame)
        view.canvas.viewport().repaint()
        times.append((time.perf_counter() - before) * 1e3)
        work.append((time.thread_time() - worked) * 1e3)
        QApplication.processEvents()
    span = model.span or (0, 0)
    return FrameTimes(
        bars_of(model),
        (span[1] - span[0]) / 3.6e12,
        movement,
        statistics.median(times),
        statistics.quantiles(times, n=20)[-1],
        max(times),
        statistics.median(work),
        statistics.quantiles(work, n=20)[-1],
    )
