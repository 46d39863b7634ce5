"""The models of the last run are loaded behind the opening of the window, and stay loaded from run to run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr
from as2d.backend.transcribe.ready import ModelChoice, ReadyModels

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.transcribe.cancel import CancelToken
    from as2d.backend.transcribe.loaded_helper import LoadedHelper

_LATER_MS = 400
"""The window's own first steps come before."""


class Readiness(QObject):
    """Loads models that a run on this computer is likely to use next, if the settings want it. `settled`:
    that has ended, also where they were let go or cannot be loaded, which the run that needs them tells.
    """

    settled = Signal()

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.settings
        self._quiet = Operations(self)
        self.models = ReadyModels()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_LATER_MS)
        self._later.timeout.connect(self._load)
        window.studio.ready = self._for_run
        window.studio.running_changed.connect(self.follow)  # the settings may have changed in a run
        for changed in (
            window.long_runs.running_changed,
            window.comparisons.running_changed,
            window.works.changed,
        ):
            changed.connect(self._make_room)

    def begin(self) -> None:
        """Load, in a moment, what the last run used."""
        self._later.start()

    def follow(self) -> None:
        """Take over what the settings say now."""
        if not self._wanted():
            self._let_go()

    def leave(self) -> None:
        """End the helper, and load nothing any more."""
        self._later.stop()
        self._quiet.cancel()
        self.models.close()

    def close(self, seconds: float) -> bool:
        """As `leave`, waiting for at most so long; whether all ended."""
        self.leave()
        return self._quiet.close(seconds)

    def _wanted(self) -> bool:
        current = self._settings.current
        return current.keep_models and current.decode.device is None

    def _for_run(self) -> ReadyModels | None:
        """Where a run that begins now finds its models, and leaves them; None: it ends its helper itself."""
        self._later.stop()
        if not self._wanted():
            self._let_go()
            return None
        return self.models

    def _let_go(self) -> None:
        self._later.stop()
        self.models.let_go()

    @property
    def _measuring(self) -> bool:
        window = self._window
        work = window.works.of(None)
        return window.long_runs.running or window.comparisons.running or (work is not None and work.alone)

    def _make_room(self) -> None:
        """What measures has memory and processor for itself."""
        if self._measuring:
            self._let_go()

    def _load(self) -> None:
        # A run that goes on has loaded models of its own, and leaves them here.
        if not self._wanted() or self._window.studio.running or self._measuring:
            return
        # On the window's thread: what begins while the modules below are read knows of it already.
        loading = self.models.begin()
        if loading is None:
            return
        settings = self._settings.current.decode.for_run()

        def load(cancel: CancelToken, chosen: Callable[[ModelChoice], None]) -> LoadedHelper:
            # Imported here: the window is there before them.
            from as2d.backend.transcribe.preloading import loader_of

            cancel.check()
            return loader_of(settings)(cancel, chosen)

        def work(_operation: Operation) -> None:
            self.models.fill(loading, load)

        operation = Operation(tr("Loading the models"), work)
        operation.ended.connect(self.settled)
        self._quiet.start(operation)
