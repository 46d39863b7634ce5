"""Records the trace of one window after the other with a helper of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from as2d.backend.bench.corpus import Split
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.ops import Prepare, Trace
from as2d.backend.replay.trace_file import TraceLine, trace_line
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.threads import TargetThreads

TASK: Final = "transcribe"
_TARGET = "target"
_DRAFTER = "drafter"


@dataclass(frozen=True)
class WindowToTrace:
    """A window with its recording's name in the stream, its path as it was given, and its language; null: it
    is still to be detected.
    """

    recording: str
    window: str
    path: str
    split: Split | None
    start_s: float
    end_s: float
    pcm: NDArray[np.int16]
    language: str | None


class WindowTracer:
    """A session's helper with both models loaded. The language of a recording is detected once, on the first
    of its windows that comes without one.
    """

    def __init__(
        self, session: Session, target: InstalledModel, drafter: InstalledModel, threads: TargetThreads
    ) -> None:
        """Start the helper and load the models; the session is closed by whoever made it.

        Raises:
            UserError: they cannot be had.
        """
        self._session = session
        self._target = target
        self._drafter = drafter
        self._threads = threads
        self._languages: dict[str, str] = {}
        session.open()
        session.load_target(_TARGET, target, threads)
        session.load_drafter(_DRAFTER, drafter)

    def trace(self, window: WindowToTrace) -> TraceLine:
        """Record a window.

        Raises:
            UserError: the helper failed.
        """
        language = window.language or self._languages.get(window.recording)
        engine, name = self._session.engine, window.window
        prepare = Prepare(
            window=name,
            target=_TARGET,
            drafter=_DRAFTER,
            audio=None,
            start_condition="request-start",
            language=language,
            task=TASK,
        )
        engine.prepare(prepare, name, window.pcm)
        traced = engine.trace(Trace(window=name, language=language, task=TASK))
        engine.release(name)
        self._languages.setdefault(window.recording, traced.language)
        return trace_line(
            traced,
            window=name,
            recording=window.path,
            split=window.split,
            start_s=window.start_s,
            end_s=window.end_s,
            target=self._target.digest,
            drafter=self._drafter.digest,
            helper=self._session.hello.build,
            device=self._session.description.name,
            threads=self._threads.alone,
            shared_threads=self._threads.shared,
        )
