"""What the commands about long runs do, and what the tab shows of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from as2d.app.sentences import status_of_step
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.clock import clock_text
from as2d.app.window.quiet import why_not_now

if TYPE_CHECKING:
    from as2d.app.viewmodels.sustained import LongRunModel
    from as2d.app.window.main_window import StudioWindow


class LongRunDeeds(QObject):
    """Begins and ends long runs, and keeps the tab in step with them. `minutes` is less in tests; None: what
    the form says.
    """

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self.minutes: float | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.follow)

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "longrun.start": self._start,
            "longrun.stop": self._window.long_runs.stop,
            "view.longrun": lambda: self._window.docks.show("longrun"),
        }

    def why_no_run(self) -> str | None:
        """Why nothing else may decode now."""
        if not self._window.long_runs.running:
            return None
        return tr("A long run is going on; run when it has ended, or stop it in its tab.")

    def connect_all(self) -> None:
        """Follow what the tab depends on."""
        window, runs = self._window, self._window.long_runs
        runs.updated.connect(self._update)
        runs.shown_changed.connect(self._show)
        runs.running_changed.connect(lambda _running: self._running_changed())
        runs.stop_asked.connect(self.follow)
        runs.failed.connect(lambda text: window.say("error", text))
        runs.recorded.connect(window.follower.list_runs)
        runs.recorded.connect(window.device.read_again)
        window.studio.long_run_opened.connect(self._opened)
        window.studio.running_changed.connect(lambda _running: self.follow())
        window.comparisons.running_changed.connect(lambda _running: self.follow())
        window.studio.recordings.listen(lambda item: self.follow() if item is None else self._soon.start())
        window.works.changed.connect(lambda _key: self.follow())
        window.top_bar.changed.connect(self.follow)
        window.theme.changed.connect(self.follow)
        window.long_run.form.changed.connect(self.follow)

    def follow(self) -> None:
        """Bring what can be done, and what the form says of it, up to date."""
        window = self._window
        running = window.long_runs.running
        paths = self._paths()
        window.registry.enable("longrun.start", bool(paths) and self._why_not() is None)
        window.registry.enable("longrun.stop", running and not window.long_runs.stopping)
        form = window.long_run.form
        form.show_running(running)
        if running:
            self._tell_progress()
            return
        form.show_progress(None)
        if not paths:
            form.show_what(tr("Add recordings to the list first: they are decoded again and again."))
        else:
            form.show_what(
                tr_count(
                    len(paths),
                    "{n} recording of the list, again and again, on {device}",
                    "{n} recordings of the list, again and again, on {device}",
                    device=window.top_bar.device.currentText(),
                )
            )

    def _why_not(self) -> str | None:
        """Why a long run may not begin now."""
        return why_not_now(self._window, [self._window.settings.current.decode.device])

    def _start(self) -> None:
        window = self._window
        chosen = window.settings.current.long_run
        window.docks.show("longrun")
        reason = self._why_not()
        if reason is not None:
            window.say("note", reason)
            return
        minutes = self.minutes if self.minutes is not None else float(chosen.minutes)
        window.long_runs.start(window.settings.current.decode, chosen.methods, self._paths(), minutes)

    def _paths(self) -> list[Path]:
        return self._window.studio.recordings.files()

    def _show(self) -> None:
        model = self._window.long_runs.shown
        self._window.long_run.show_run(model)
        if model is not None:
            self._window.calls.show_model(model.timeline)

    def _opened(self, model: object) -> None:
        from as2d.app.viewmodels.sustained import LongRunModel

        if isinstance(model, LongRunModel):
            self._window.long_runs.show_run(model)
            self._window.docks.show("longrun")

    def _update(self) -> None:
        self._window.long_run.follow()
        if self._window.long_runs.running:
            self._tell_progress()

    def _running_changed(self) -> None:
        self.follow()
        self._window.follower.follow_running()
        self._window.device_deeds.follow()
        self._window.long_run.follow()

    def _tell_progress(self) -> None:
        model, form = self._window.long_runs.live, self._window.long_run.form
        if model is None:
            return
        if self._window.long_runs.stopping:
            form.show_what(tr("Stopping …"))
            return
        if model.fold.parts == 0:
            step = model.step
            form.show_what(_beginning(model))
            form.show_progress(step.done / step.total if step is not None and step.total else 0.0)
            return
        seconds, whole = model.fold.seconds, 60 * model.minutes
        form.show_progress(seconds / whole)
        passed, of = clock_text(seconds), clock_text(whole)
        text = tr("{passed} of {whole}", passed=passed, whole=of)
        if model.paused:
            text = tr("Paused")
        form.show_what(text)


def _beginning(model: LongRunModel) -> str:
    """What goes on before the first decode that counts."""
    if model.step is not None:
        return status_of_step(model.step.text)
    if model.warming_up:
        return tr("Warming up: each method decodes once, which is not counted …")
    return tr("Starting …")
