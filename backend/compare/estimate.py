"""How long a plan may take, by what decoding took on its devices before."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.cells import cells_of_window
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import prepare_seconds
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.runs.index import RunRow
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken

WINDOW_SECONDS = 30.0
"""A window holds at most so much audio."""
_MOST_RUNS = 4
_MOST_BYTES = 4_000_000


@dataclass
class Pace:
    """What decoding by a target took on a device: sums in seconds, of the preparations, and by method of the
    decodes and of the audio that they decoded.
    """

    preparations: int = 0
    prepare_s: float = 0.0
    decode_s: dict[str, float] = field(default_factory=dict)
    audio_s: dict[str, float] = field(default_factory=dict)

    def take(self, fold: RunFold) -> None:
        """Take what a run decoded."""
        for request in fold.finished_requests():
            result, window = request.result, fold.windows[request.preparation.window]
            if result is None:
                continue
            self.preparations += 1
            self.prepare_s += prepare_seconds(request)
            took = (result.times.end - result.times.prefill_start) / NANOSECONDS
            audio = window.end_s - window.start_s
            self.decode_s[result.method] = self.decode_s.get(result.method, 0.0) + took
            self.audio_s[result.method] = self.audio_s.get(result.method, 0.0) + audio

    def of(self, method: str) -> float:
        """Decode time in seconds per second of audio. A method that was never used there counts as the
        slowest of those that were.
        """
        paces = {
            name: took / self.audio_s[name] for name, took in self.decode_s.items() if self.audio_s[name]
        }
        return paces.get(method, max(paces.values(), default=0.0))

    @property
    def of_preparing(self) -> float:
        """Seconds a window."""
        return self.prepare_s / max(self.preparations, 1)


def past_pace(
    store: RunStore, device: str, target: str, methods: Collection[str], cancel: CancelToken
) -> Pace | None:
    """What decoding took in the newest runs on a device, by its name in their manifests, that used a method
    which newer ones did not; None: there is none.

    Raises:
        Cancelled: cancelled meanwhile.
    """
    pace, left = Pace(), set(methods)
    for row in _told(store.list(), device, target)[:_MOST_RUNS]:
        cancel.check()
        used = set(row.method.split(","))
        if pace.preparations and not used & left:
            continue
        stored = store.find(row.run)
        if stored.manifest.replayed is None:
            pace.take(stored.fold())
            left -= set(pace.decode_s)
    return pace if pace.preparations else None


def estimated_seconds(
    plan: ComparePlan, lengths: Sequence[float], paces: Mapping[tuple[str, str], Pace]
) -> float | None:
    """How long a plan on recordings of these lengths (s) may take, by the paces of its devices and targets;
    None: one is missing.
    """
    arms, windows, audio = plan.arms(), windows_of(lengths), sum(lengths)
    longest = 0.0
    for device in plan.devices:
        whole = 0.0
        for target in plan.targets:
            pace = paces.get((device, target))
            if pace is None:
                return None
            cells = cells_of_window(plan, arms, device, target, "", 0)
            waited = {cell.preparation: cell for cell in cells if cell.drafts_beforehand}
            decodes = sum(pace.of(cell.arm.method) for cell in (*cells, *waited.values()))
            ahead = sum(cell.arm.preparing == "ahead" for cell in cells)
            preparations = len({cell.preparation for cell in cells}) + ahead
            whole += audio * decodes + windows * preparations * pace.of_preparing
        longest = max(longest, whole)
    return longest


def windows_of(lengths: Sequence[float]) -> int:
    """How many windows recordings of these lengths have at least."""
    return sum(max(1, math.ceil(length / WINDOW_SECONDS)) for length in lengths)


def _told(rows: Sequence[RunRow], device: str, target: str) -> list[RunRow]:
    """The runs that can tell, the newest first; those from elsewhere were made on another device of the
    name.
    """
    return [
        row
        for row in rows
        if (row.device, row.target, row.origin) == (device, target, None)
        and row.tokens > 0
        and row.status != "running"
        and row.bytes <= _MOST_BYTES
    ]
