"""Models that stay loaded between the runs of a program, and are loaded before its first one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

if TYPE_CHECKING:
    from as2d.backend.transcribe.loaded_helper import LoadedHelper
    from as2d.backend.transcribe.threads import TargetThreads


@dataclass(frozen=True)
class ModelChoice:
    """What a helper has loaded: models by the SHA-256 of their model.json, `drafter` null: none."""

    helper: str
    target: str
    drafter: str | None
    threads: TargetThreads


Loader = Callable[[CancelToken, Callable[[ModelChoice], None]], "LoadedHelper"]
"""Loads models, once it has said which; raises UserError and Cancelled."""


class ReadyModels:
    """At most one helper that has models loaded, or is loading them, and that no run uses.

    A run takes it if it has just the run's models, and gives it back at its end; one with other models ends
    it. Members may be called on any thread.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._loading: CancelToken | None = None
        self._choice: ModelChoice | None = None
        self._loaded: LoadedHelper | None = None
        self._closed = False

    @property
    def loaded(self) -> bool:
        """Whether models are loaded and wait for a run."""
        with self._changed:
            return self._loaded is not None and self._loaded.process.alive

    def begin(self) -> CancelToken | None:
        """Announce models that `fill` is going to load with this token: from now on they are waited for and
        can be let go. None: they are loaded, or being loaded.
        """
        with self._changed:
            if self._closed or self._loading is not None or self._loaded is not None:
                return None
            self._loading = CancelToken()
            self._choice = None
            return self._loading

    def fill(self, cancel: CancelToken, load: Loader) -> None:
        """Load the models that `begin` has announced, unless they were let go. Why it failed is not told: the
        run that loads them itself tells it.
        """
        loaded: LoadedHelper | None = None
        try:
            cancel.check()
            loaded = load(cancel, self._choose)
        except (UserError, Cancelled):
            loaded = None
        finally:
            with self._changed:
                self._loading = None
                wanted = not cancel()
                self._loaded = loaded if wanted else None
                self._changed.notify_all()
            if loaded is not None and not wanted:
                loaded.end()

    def take(self, choice: ModelChoice, cancel: CancelToken) -> LoadedHelper | None:
        """The helper, if it has loaded this, which then belongs to who asked; while it is being loaded it is
        waited for. What else was loaded, or is being loaded, is ended.

        Raises:
            Cancelled: cancelled meanwhile.
        """
        with cancel.calling(self._wake), self._changed:
            while self._loading is not None:
                cancel.check()
                if self._choice not in (None, choice):
                    self._loading.cancel()
                self._changed.wait()
            loaded, self._loaded = self._loaded, None
            suits = self._choice == choice
        if loaded is None:
            return None
        if suits and loaded.process.alive:
            return loaded
        loaded.end()
        return None

    def keep(self, choice: ModelChoice, loaded: LoadedHelper) -> None:
        """Take a helper back that a run has used."""
        with self._changed:
            wanted = not self._closed and self._loading is None and self._loaded is None
            if wanted:
                self._choice, self._loaded = choice, loaded
        if not wanted:
            loaded.end()

    def let_go(self) -> None:
        """End the helper, also one that is still loading."""
        with self._changed:
            if self._loading is not None:
                self._loading.cancel()
            loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded.end()

    def close(self) -> None:
        """End the helper, and keep none any more."""
        with self._changed:
            self._closed = True
        self.let_go()

    def _choose(self, choice: ModelChoice) -> None:
        with self._changed:
            self._choice = choice
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
