"""Events a second that a visible timeline takes, and how long the GUI thread is held at most."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEventLoop, QTimer

from as2d.app.bench.frames import HEIGHT, WIDTH
from as2d.app.bench.stream import repeated
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent, parse_recorded, to_line

DRAIN_MS = 30
_WARM_UP_S = 1.0


@dataclass(frozen=True)
class Feeding:
    """A stretch of live events: those sent and shown a second, and the longest times in ms that the GUI
    thread was held and that an event waited before it was in the timeline. `longest_work_ms` is the most
    processor time of a hold, which other programs do not lengthen.
    """

    asked: int
    seconds: float
    shown: float
    longest_stall_ms: float
    longest_work_ms: float
    longest_wait_ms: float


class _Feeder(threading.Thread):
    """Parses lines as the reader of a helper does, at a steady rate."""

    def __init__(self, lines: Sequence[bytes], rate: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.queue: queue.SimpleQueue[tuple[float, RecordedEvent]] = queue.SimpleQueue()
        self._lines, self._rate, self._seconds = lines, rate, seconds

    def run(self) -> None:
        begin = time.perf_counter()
        sent = 0
        lines = itertools.cycle(self._lines)
        while (passed := time.perf_counter() - begin) < self._seconds:
            for _ in range(int(passed * self._rate) - sent):
                self.queue.put((time.perf_counter(), parse_recorded(next(lines))))
                sent += 1
            time.sleep(0.002)


def feeding(events: Sequence[RecordedEvent], rate: int, seconds: float) -> Feeding:
    """Send `rate` events a second for so long to a visible timeline."""
    needed = round(rate * seconds * 1.05)
    parts = itertools.islice(repeated(events), needed // len(events) + 2)
    lines = [to_line(event) for part in parts for event in part]
    feeder = _Feeder(lines, rate, seconds)
    model = TimelineModel()
    view = TimelineView(model)
    view.resize(WIDTH, HEIGHT)
    view.show()
    loop = QEventLoop()
    state = {"shown": 0, "wait": 0.0, "stall": 0.0, "last": 0.0, "work": 0.0, "worked": 0.0}
    begin = time.perf_counter()

    def drain() -> None:
        while not feeder.queue.empty():
            sent, event = feeder.queue.get()
            model.feed(event)
            state["shown"] += 1
            state["wait"] = max(state["wait"], time.perf_counter() - sent)
        if not feeder.is_alive() and feeder.queue.empty():
            loop.quit()

    def beat() -> None:
        now = time.perf_counter()
        if now - begin > _WARM_UP_S:
            state["stall"] = max(state["stall"], now - state["last"])
            state["work"] = max(state["work"], time.thread_time() - state["worked"])
        state["last"], state["worked"] = now, time.thread_time()

    drainer, heart = QTimer(), QTimer()
    drainer.timeout.connect(drain)
    heart.timeout.connect(beat)
    feeder.start()
    drainer.start(DRAIN_MS)
    heart.start(0)
    loop.exec()
    passed = time.perf_counter() - begin
    view.close()
    view.deleteLater()
    return Feeding(
        rate,
        passed,
        state["shown"] / passed,
        state["stall"] * 1e3,
        state["work"] * 1e3,
        state["wait"] * 1e3,
    )
