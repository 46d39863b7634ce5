"""Traces that workers record: a few windows at a time, each worker with a helper of its own."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.ops import Role
from as2d.backend.replay.trace_file import TraceLine
from as2d.backend.replay.window_tracer import WindowToTrace, WindowTracer
from as2d.backend.sweep.identity import WorkersFailed
from as2d.backend.sweep.work import Here, Workers
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.run_log import RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.threads import TargetThreads

# A window takes seconds, and so does starting a helper with its models.
_WINDOWS = 4


@dataclass(frozen=True)
class TraceShared:
    """The models as they were named, the SHA-256 of the model.json that these names mean, and the threads of
    the target on every worker.
    """

    target: str
    target_digest: str
    drafter: str
    drafter_digest: str
    threads: TargetThreads


def trace_part(
    all_shared: Sequence[TraceShared], part: tuple[WindowToTrace, ...], here: Here
) -> list[TraceLine]:
    """On a worker: the traces of a few windows.

    Raises:
        UserError: a model cannot be had or is another one here, or the helper failed.
        Cancelled: nobody wants it any more.
    """
    (shared,) = all_shared
    cancel = CancelToken()
    log = RunLog([])
    log.record_into(None)
    session = Session(log, cancel)
    try:
        target = _model(session, shared.target, "target", shared.target_digest)
        drafter = _model(session, shared.drafter, "drafter", shared.drafter_digest)
        tracer = WindowTracer(session, target, drafter, shared.threads)
        lines = []
        for window in part:
            if here.left():
                raise Cancelled
            lines.append(tracer.trace(window))
        return lines
    finally:
        session.close("done")


def traced_by(workers: Workers, shared: TraceShared, windows: Iterator[WindowToTrace]) -> Iterator[TraceLine]:
    """The traces of windows, in their order."""
    languages: dict[str, str] = {}
    given: deque[tuple[WindowToTrace, ...]] = deque()
    parts = parts_of_windows(windows, languages, given)
    with closing(workers.map(trace_part, [shared], parts)) as found:
        for lines in found:
            yield from lines
            for window, line in zip(given.popleft(), lines, strict=True):
                languages.setdefault(window.recording, line.language)


def parts_of_windows(
    windows: Iterator[WindowToTrace],
    languages: Mapping[str, str],
    given: deque[tuple[WindowToTrace, ...]],
) -> Iterator[tuple[WindowToTrace, ...] | None]:
    """The windows in parts, kept in `given` too; null while the next window's language is being detected in a
    part before it.
    """
    part: list[WindowToTrace] = []

    def take() -> tuple[WindowToTrace, ...]:
        taken = tuple(part)
        part.clear()
        given.append(taken)
        return taken

    asked: set[str] = set()
    for window in windows:
        language = window.language or languages.get(window.recording)
        if language is None and window.recording in asked:
            if part:
                yield take()
            while (language := languages.get(window.recording)) is None:
                yield None
        part.append(replace(window, language=language))
        if len(part) == _WINDOWS:
            asked |= {each.recording for each in part if each.language is None}
            yield take()
    if part:
        yield take()


def _model(session: Session, name: str, role: Role, digest: str) -> InstalledModel:
    model = session.find_model(name, role)
    if model.digest != digest:
        raise WorkersFailed(
            f"The {role} {name} on {socket.gethostname()} is another one than here; install the same version "
            "on all computers."
        )
    return model
