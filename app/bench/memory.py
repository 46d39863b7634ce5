"""Memory of the window while a long run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QApplication

from as2d.app.bench.frames import HEIGHT, WIDTH
from as2d.app.bench.stream import repeated
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent

_PAGE = 4096
_HOUR = 3600 * 10**9


@dataclass(frozen=True)
class MemoryAt:
    """Memory after so many simulated hours: of the process and of the timeline's columns, MiB."""

    hours: float
    events: int
    process_mib: float
    columns_mib: float


def memory_over(events: Sequence[RecordedEvent], hours: int) -> list[MemoryAt]:
    """Feed a run of so many hours to a visible timeline, painting as it goes on."""
    model = TimelineModel()
    view = TimelineView(model)
    view.resize(WIDTH, HEIGHT)
    view.show()
    QApplication.processEvents()
    found = [_now(model, 0.0, 0)]
    fed = 0
    for part in repeated(events):
        for event in part:
            model.feed(event)
        fed += len(part)
        view.refresh()
        view.canvas.viewport().repaint()
        span = model.span or (0, 0)
        passed = (span[1] - span[0]) / _HOUR
        if passed >= len(found):
            found.append(_now(model, passed, fed))
        if passed >= hours:
            break
    view.close()
    view.deleteLater()
    return found


def _now(model: TimelineModel, hours: float, events: int) -> MemoryAt:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return MemoryAt(hours, events, pages * _PAGE / 2**20, model.nbytes / 2**20)
