"""Keeps the panels in step with what goes on."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from as2d.app.operations.operation import Operation
from as2d.app.sentences import step_in_window
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.recordings import ENDED, RecordingItem
from as2d.app.viewmodels.transcript import Piece
from as2d.app.window.hints import hint_for
from as2d.app.window.taking_away import run_to_take
from as2d.backend.paths import runs_dir

if TYPE_CHECKING:
    from as2d.app.viewmodels.run import RunViewModel
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.runs.index import RunRow


class Follower(QObject):
    """Shows the current recording while it is decoded, the state of the run, and the list of runs."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self._studio = window.studio
        self._item: RecordingItem | None = None
        self._follows_run = True
        self._active: int | None = None
        self._steps: set[str] = set()
        self._lists = itertools.count(1)
        self._listed = 0
        self._runs_changed = False
        self._problem: str | None = None
        self._studio.updated.connect(self.follow_all)
        window.waveform.changed.connect(self._follow_problem)
        self._studio.running_changed.connect(self._running_changed)
        self._studio.stop_asked.connect(self.follow_running)
        self._studio.run_shown.connect(self._run_shown)
        self._studio.run_recorded.connect(self.list_runs)
        self._studio.operations.changed.connect(self._follow_operations)
        self._studio.operations.changed.connect(self._follow_cancel)
        for runner in (self._studio, window.long_runs, window.comparisons):
            runner.running_changed.connect(self._list_late)
        window.status.cancel_wanted.connect(self.cancel_operation)
        self._studio.recordings.listen(self._recordings_changed)

    @property
    def item(self) -> RecordingItem | None:
        """The recording whose transcript is shown."""
        return self._item

    def show_item(self, item: RecordingItem | None) -> None:
        """Show a recording's transcript."""
        if item is not self._item:
            self._window.desk.finish()
        self._item = item
        self._window.sounding.show_item(item)
        self._follows_run = item is None or item.key == self._active
        self._show_transcript()
        self.follow_running()

    def show_piece(self, piece: Piece) -> None:
        """Show the call that committed a token in the timeline and the inspector."""
        if piece.call is not None:
            self._window.calls.show_call(piece.request, piece.call)

    def show_words(self, request: str, index: int) -> None:
        """Show the words that a call committed, in the transcript of its recording."""
        model = self._window.calls.model
        run = next((run for run in self._studio.runs.values() if run.timeline is model), None)
        found = model.request_named(request)
        if run is not None and found is not None and not self._window.desk.editing:
            item = self._studio.recordings.of(run.number, found.preparation.window.recording)
            if item is not None and item is not self._item:
                self._window.recordings.select(item)
        self._window.transcript.view.select_call(request, index)

    def follow_all(self) -> None:
        """Bring everything up to date."""
        self._follow_active()
        self._show_transcript()
        self._window.sounding.follow_item()
        self.follow_running()

    def follow_running(self) -> None:
        """Bring what depends on whether a run goes on up to date."""
        window, registry = self._window, self._window.registry
        running = self._studio.running
        ended = self._enable_for_selection()
        free = not window.decoding
        registry.enable("run.start", free and (ended or bool(self._studio.recordings.waiting())))
        registry.enable("run.cancel", running and not self._studio.stopping)
        window.top_bar.show_running(running)
        live = self._studio.live
        if running and live is not None:
            active = next((item for item in self._studio.recordings.items if item.key == self._active), None)
            decoding = active if active is not None and active.status == "active" else None
            name, fraction = (decoding.name, decoding.fraction) if decoding is not None else (None, None)
            if self._studio.stopping:
                window.status.show_operation(tr("Cancelling"))
            elif live.paused:
                window.status.show_paused(live.step)
            else:
                window.status.show_run(live, name, fraction)
            self._tell_step(live)
        else:
            self._follow_operations()
        device = window.device.name_of(live.device) if live else window.top_bar.device.currentText()
        window.status.show_device(device, live.telemetry if live else None)
        self._enable_for_transcript()

    def follow_undo(self) -> None:
        """Say what undo and redo would do."""
        undo, registry = self._studio.undo, self._window.registry
        registry.enable("edit.undo", undo.canUndo())
        registry.enable("edit.redo", undo.canRedo())
        undone, redone = undo.undoText(), undo.redoText()
        registry.rename("edit.undo", tr("&Undo {what}", what=undone) if undone else tr("&Undo"))
        registry.rename("edit.redo", tr("&Redo {what}", what=redone) if redone else tr("&Redo"))

    def follow_history(self) -> None:
        """What can be done depends on the selected runs."""
        chosen = bool(self._window.history.selected())
        for name in (
            "history.open",
            "history.compare",
            "history.rename",
            "history.tag",
            "history.bundle",
            "history.delete",
        ):
            self._window.registry.enable(name, chosen)
        free = not self._window.comparisons.running
        self._window.registry.enable("history.compare", chosen and free)

    def search_runs(self, words: str) -> None:
        """Look for runs in which these words are said."""

        def look(_operation: Operation) -> object:
            from as2d.backend.runs.store import RunStore

            return RunStore(runs_dir()).search(words)

        operation = Operation(tr("Searching the runs"), look)
        operation.succeeded.connect(lambda found: self._window.history.show_found(words, found))
        operation.failed.connect(lambda error: self._window.say("error", error.message))
        self._studio.operations.start(operation)

    def list_runs_when_free(self) -> None:
        """Read the list of runs after what is decoded now: all of a run that goes on would be read."""
        self._runs_changed = self._window.decoding
        if not self._runs_changed:
            self.list_runs()

    def list_runs(self) -> None:
        """Read the list of runs."""
        self._runs_changed = False

        def read(_operation: Operation) -> object:
            from as2d.backend.runs.store import RunStore

            return RunStore(runs_dir()).list()

        number = next(self._lists)

        def show(rows: list[RunRow]) -> None:
            if number > self._listed:  # a list that was read earlier may come later
                self._listed = number
                self._window.history.show_runs(rows)

        operation = Operation(tr("Reading the list of runs"), read)
        operation.succeeded.connect(show)
        operation.failed.connect(lambda error: self._window.say("error", error.message))
        self._studio.operations.start(operation)

    def _list_late(self) -> None:
        if self._runs_changed:
            self.list_runs_when_free()

    def _running_changed(self, running: bool) -> None:
        self.follow_running()
        run = self._studio.shown
        if not running and run is not None:
            states = [item.status for item in self._studio.recordings.items if item.run == run.number]
            done, failed = states.count("done"), states.count("failed")
            parts = []
            if done:
                parts.append(tr_count(done, "{n} recording was decoded.", "{n} recordings were decoded."))
            if failed:
                parts.append(tr_count(failed, "{n} failed.", "{n} failed."))
            if parts:
                self._window.status.show_idle(" ".join(parts))

    def _follow_active(self) -> None:
        active = next((item for item in self._studio.recordings.items if item.status == "active"), None)
        if active is not None and active.key != self._active:
            self._active = active.key
            if (self._follows_run or self._item is None) and not self._window.desk.editing:
                self._window.recordings.select(active)

    def _show_transcript(self) -> None:
        item, panel = self._item, self._window.transcript
        run = self._studio.run_of(item) if item is not None else None
        if run is not None:
            self._window.calls.show_model(run.timeline)
        self._window.calls.show_recording(item.recording if item is not None and run is not None else None)
        if item is None:
            panel.show_hint(
                tr("The transcript appears here"),
                tr("Drop a recording on the window, or add one with Ctrl+O, and press Run."),
                runnable=False,
            )
            return
        text = run.transcript.recordings.get(item.recording) if run is not None and item.recording else None
        if run is not None and text is not None and any(window.pieces for window in text.windows):
            growing = item.status == "active"
            panel.show_text(item.name, self._window.desk.shown(run, text), growing=growing)
            panel.show_corrected(self._window.desk.is_corrected(item))
            panel.show_figures(run.figures([text.recording]))
            return
        self._problem = self._window.waveform.problem_of(item.path)
        hint, runnable = hint_for(
            item,
            self._problem,
            running=self._studio.running,
            first=self._studio.recordings.is_next(item),
        )
        panel.show_hint(item.name, hint, runnable=runnable)

    def _follow_problem(self) -> None:
        """The recording that is shown cannot be read, or can."""
        item = self._item
        if item is not None and self._window.waveform.problem_of(item.path) != self._problem:
            self._show_transcript()

    def _enable_for_selection(self) -> bool:
        """What can be done depends on the selected recordings; whether one of them has ended."""
        selected, registry = self._window.recordings.selected(), self._window.registry
        ended = any(item.status in ENDED for item in selected)
        in_run = any(item.run is not None and item.status not in ENDED for item in selected)
        waiting = any(item.status == "waiting" for item in selected)
        registry.enable("recordings.again", ended)
        registry.enable("recordings.cancel", in_run)
        registry.enable("recordings.up", waiting)
        registry.enable("recordings.down", waiting)
        registry.enable("recordings.remove", bool(selected))
        return ended

    def _enable_for_transcript(self) -> None:
        shown = self._window.transcript.text is not None
        for name in ("transcript.copy", "transcript.copy_times", "transcript.find"):
            self._window.registry.enable(name, shown)
        ended = run_to_take(self._window) is not None
        for name in ("transcript.export", "transcript.export_all", "timeline.export", "run.bundle"):
            self._window.registry.enable(name, ended)
        desk, registry = self._window.desk, self._window.registry
        corrected = shown and desk.is_corrected(self._item)
        registry.enable("transcript.correct", shown)  # where it cannot be, the command says why
        registry.enable("transcript.decoded", corrected)
        registry.enable("transcript.restore", corrected)
        registry.action("transcript.correct").setChecked(desk.editing)
        registry.action("transcript.decoded").setChecked(desk.as_decoded)

    def _recordings_changed(self, item: RecordingItem | None) -> None:
        if item is None and self._item is not None:
            same = next((own for own in self._studio.recordings.items if own.key == self._item.key), None)
            if same is None:
                same = self._window.recordings.model.item(self._window.recordings.view.currentIndex())
            if same is not self._item:  # decoded again, or gone: its text and its sound go with it
                self.show_item(same)
            else:
                self._show_transcript()
        self.follow_running()

    def _run_shown(self, run: RunViewModel) -> None:
        self._follows_run = True
        self._steps.clear()
        self._window.calls.show_model(run.timeline)
        if run is not self._studio.live:
            items = [item for item in self._studio.recordings.items if item.run == run.number]
            if items:
                words = self._window.history.found_words(run.folder) if run.folder is not None else ""
                said = next(((item, hit) for item in items if (hit := self._hit(run, item, words))), None)
                self._window.recordings.select(said[0] if said is not None else items[0])
                self._window.docks.show("transcript")
                if said is not None:
                    self._window.transcript.find_bar.open_bar(said[1])

    def _hit(self, run: RunViewModel, item: RecordingItem, words: str) -> str | None:
        """What to find in a recording in which the words that were searched for are said, as corrected."""
        text = run.transcript.recordings.get(item.recording) if item.recording is not None else None
        if text is None or not words:
            return None
        said = self._window.desk.shown(run, text).text().casefold()
        if words.casefold() in said:
            return words
        single = words.split()
        return single[0] if all(word.casefold() in said for word in single) else None

    def _tell_step(self, run: RunViewModel) -> None:
        step = run.step
        if step is not None and step.total == 0 and step.text not in self._steps:
            self._steps.add(step.text)
            self._window.log.say("note", step_in_window(step.text))

    def _follow_operations(self) -> None:
        if self._studio.running:
            return
        others = self._studio.operations.running()
        if others:
            self._window.status.show_operation(others[0].title)
        else:
            self._window.status.show_idle()

    def _follow_cancel(self) -> None:
        """Offer to cancel the newest of what can be."""
        found = [other for other in self._studio.operations.running() if other.can_be_cancelled]
        self._window.status.show_cancel(found[-1].title if found else None)

    def cancel_operation(self) -> None:
        """Cancel what is offered to be."""
        found = [other for other in self._studio.operations.running() if other.can_be_cancelled]
        if found:
            found[-1].cancel.cancel()
