"""The following window of a recording, prepared while cells of the one before it are decoded."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from as2d.backend.bench.arm_engine import ArmEngine
from as2d.backend.compare.running.cells import Cell
from as2d.backend.helper.endings import HelperDied, HelperRefused
from as2d.backend.helper.pending import Pending
from as2d.backend.transcribe.reading import SpokenWindow
from as2d.backend.transcribe.tries import MOST_DEATHS

_Key = tuple[str, str]


class Ahead:
    """Prepares the following window beside each decode that is to have that, and keeps one of its
    preparations of each kind.
    """

    def __init__(self, engine: ArmEngine) -> None:
        self._arms = engine
        self._engine = engine.session.engine
        self._count = 0
        self._window = ""
        self._kept: dict[_Key, str] = {}
        self._begun: tuple[_Key, str, Pending] | HelperDied | None = None
        self._beside: str | None = None
        self._deaths: Counter[str] = Counter()

    def begin(self, cell: Cell, request: str, following: SpokenWindow | None, language: str | None) -> None:
        """Begin to prepare the following window beside the request of a cell; null: there is none. One over
        which the helper died too often is left to its own turn.
        """
        if following is None or language is None or self._deaths[following.name] >= MOST_DEATHS:
            return
        self._count += 1
        self._window = self._beside = following.name
        preparation = f"{following.name}.ahead{self._count}"
        op = self._arms.prepare_op(cell.arm, preparation, language, drafter=cell.drafter, beside=request)
        try:
            pending = self._engine.begin_preparing(op, following.name, following.window.pcm)
            self._begun = cell.preparation, preparation, pending
        except HelperDied as death:  # the request may have ended before
            self._begun = death

    @property
    def begun(self) -> bool:
        """Whether something was begun whose end nobody has waited for."""
        return self._beside is not None

    def end(self, *, keep: bool) -> None:
        """Wait for what was begun, and keep it for its window or let the helper forget it. What is refused is
        told in the window's own turn.

        Raises:
            HelperDied: the helper ended over it.
        """
        if self._begun is None:
            return
        if isinstance(self._begun, HelperDied):
            raise self._begun
        key, preparation, pending = self._begun
        try:
            self._engine.prepared(pending)
        except HelperRefused:
            keep = False
        self._begun = self._beside = None
        if keep:
            self._kept[key] = preparation
        else:
            self._engine.release(preparation)

    def take(self, window: str) -> dict[_Key, str]:
        """What was kept of a window whose turn it is, by what its cells need."""
        if window != self._window:
            self.forget()
        kept, self._kept = self._kept, {}
        return kept

    def lost(self, *, died: bool) -> None:
        """The helper ended, and all that was prepared with it; `died`: by itself, so perhaps over that."""
        if died and self._beside is not None:
            self._deaths[self._beside] += 1
        self._kept, self._begun, self._beside = {}, None, None

    def forget(self) -> None:
        """Let the helper forget what was kept."""
        kept, self._kept = self._kept, {}
        with suppress(HelperDied):  # it took everything with it
            for preparation in kept.values():
                self._engine.release(preparation)
