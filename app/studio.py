"""What the window does: the recordings, the runs that decode them, and what is shown of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QUndoStack

from as2d.app.operations.bundles import open_bundles
from as2d.app.operations.decoding import Decoding, RunEnd
from as2d.app.operations.operation import Operation, Operations
from as2d.app.recordings.dropping import Found, find_recordings
from as2d.app.recordings.removal import Removal
from as2d.app.settings.store import SettingsStore
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.recordings import ENDED, RecordingItem, RecordingList
from as2d.backend.audio import shown_name
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.app.viewmodels.run import RunViewModel
    from as2d.backend.protocol.lines import RecordedEvent
    from as2d.backend.transcribe.ready import ReadyModels

_TICK_MS = 15
_BUNDLE = ".as2d"
_DRAIN_SECONDS = 0.008


class Studio(QObject):
    """The window's state and deeds, without widgets. Everything runs on the window's thread but the runs.

    `refusal` says why no run may begin now, None: it may; `ready` where it finds loaded models. `refused` and
    `troubled` (error or warning, and the sentence) tell of single recordings, `failed` of everything that the
    user has to hear at once, `told` of what went well.
    """

    running_changed = Signal(bool)
    stop_asked = Signal()
    updated = Signal()
    run_shown = Signal(object)
    run_recorded = Signal()
    failed = Signal(str)
    refused = Signal(str)
    troubled = Signal(str, str)
    noted = Signal(str)
    told = Signal(str)
    long_run_opened = Signal(object)
    comparison_opened = Signal(object)

    def __init__(self, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self.operations = Operations(self)
        self.undo = QUndoStack(self)
        self.recordings = RecordingList()
        self.runs: dict[int, RunViewModel] = {}
        self.live: RunViewModel | None = None
        self.shown: RunViewModel | None = None
        self._decoding: Decoding | None = None
        self._operation: Operation | None = None
        self._goes_on = False
        self._stumbled = False
        self.refusal: Callable[[], str | None] = lambda: None
        self.ready: Callable[[], ReadyModels | None] = lambda: None
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._pump)

    @property
    def running(self) -> bool:
        """Whether a run is going on."""
        return self._decoding is not None

    @property
    def stopping(self) -> bool:
        """Whether the run was told to end, and has not ended yet."""
        return self._operation is not None and self._operation.ending

    def add(self, paths: Sequence[Path]) -> None:
        """Put files, and the recordings below folders, into the list; a run that is going on takes them. Run
        bundles among them are opened.
        """
        bundles = [path for path in paths if path.suffix.lower() == _BUNDLE and not path.is_dir()]
        if bundles:
            self.open_bundles(bundles)
            paths = [path for path in paths if path not in bundles]
        if not paths:
            return
        if any(path.is_dir() for path in paths):
            operation = Operation(tr("Looking into the folders"), lambda _operation: find_recordings(paths))
            operation.succeeded.connect(self._add_found)
            operation.failed.connect(self._tell_failure)
            self.operations.start(operation)
        else:
            self._add_found(find_recordings(paths))

    def start(self) -> None:
        """Decode what waits."""
        waiting = [item for item in self.recordings.waiting() if item.run is None]
        if self.running or not waiting or self.operations.closed:
            return
        refusal = self.refusal()
        if refusal is not None:
            self.recordings.take_back()
            self.noted.emit(refusal)
            return
        from as2d.app.viewmodels.run import RunViewModel

        run = RunViewModel()
        run.device = self.settings.current.decode.device
        if run.device is not None:
            from as2d.backend.devices.battery_memory import remembered_current

            run.timeline.calibrate(remembered_current(run.device))
        self.live = self._show(run)
        self._stumbled = False
        self.recordings.begin(self.live.number)
        self._decoding = Decoding(self.settings.current.decode, [item.path for item in waiting], self.ready())
        self._operation = Operation(tr("Decoding"), self._decoding.work)
        self._operation.succeeded.connect(self._ended)
        self._operation.failed.connect(self._tell_failure)
        self._operation.ended.connect(self._close_run)
        self.operations.start(self._operation)
        self._timer.start()
        self.running_changed.emit(True)

    def cancel_all(self) -> None:
        """End the run; what is decoded stays."""
        if self._operation is not None:
            self._operation.cancel.cancel()
            self.stop_asked.emit()  # what the helper does has still to end

    def cancel(self, items: Sequence[RecordingItem]) -> None:
        """End some recordings; the others go on."""
        for item in items:
            if self._decoding is not None and item.recording is not None and self._is_live(item):
                self._decoding.cancel(item.recording)

    def again(self, items: Sequence[RecordingItem]) -> None:
        """Let recordings that have ended wait once more; a run that is going on takes them."""
        for item in items:
            renewed = self.recordings.again(item)
            if renewed is not None:
                self._hand_over(renewed)

    def move(self, item: RecordingItem, by: int) -> None:
        """Move a waiting recording up or down."""
        if item.status != "waiting" or item not in self.recordings.items:
            return
        self.recordings.move(item, self.recordings.items.index(item) + by)
        if self._decoding is not None and item.recording is not None:
            waiting = [other for other in self.recordings.waiting() if other.run == item.run]
            self._decoding.move(item.recording, waiting.index(item))

    def move_before(self, items: Sequence[RecordingItem], row: int) -> None:
        """Put waiting recordings, in their order, before the one that stands in a row now."""
        after = self.recordings.items[row:]
        stays = next((item for item in after if item not in items), None)
        for item in items:
            own = self.recordings.items.index(item)
            place = len(self.recordings.items) if stays is None else self.recordings.items.index(stays)
            self.move(item, place - own - (1 if place > own else 0))

    def remove(self, items: Sequence[RecordingItem]) -> None:
        """Take recordings off the list, which can be undone; those in a run are cancelled only."""
        self.cancel(items)
        free = [item for item in items if item.status in ENDED or item.run is None]
        if free:
            self.undo.push(Removal(self.recordings, free))

    def run_of(self, item: RecordingItem) -> RunViewModel | None:
        """The run that decodes or decoded a recording."""
        return self.runs.get(item.run) if item.run is not None else None

    def open_run(self, folder: Path) -> None:
        """Show a recorded run again, in place of what is listed of it; the one that goes on is shown live."""
        if self.live is not None and self.live.folder == folder:
            self._show(self.live)
            self.updated.emit()
            return
        from as2d.app.viewmodels.stored_run import read_any_run

        operation = Operation(tr("Opening the run"), partial(read_any_run, folder))
        operation.succeeded.connect(self._opened)
        operation.failed.connect(self._tell_failure)
        self.operations.start(operation)

    def open_bundles(self, paths: Sequence[Path]) -> None:
        """Take the runs of bundles in, and show the first."""
        operation = Operation(
            tr("Opening the run bundle"), partial(open_bundles, paths), can_be_cancelled=True
        )
        operation.succeeded.connect(self._bundles_opened)
        operation.failed.connect(self._tell_failure)
        self.operations.start(operation)

    def leave(self) -> None:
        """Let everything end and begin nothing any more; a run that goes on is kept as an interrupted one."""
        if self._decoding is not None:
            self._decoding.leave()
        self.undo.blockSignals(True)  # it tells that it is emptied even while it is being deleted
        self.operations.cancel()

    def close(self, seconds: float) -> bool:
        """End everything, waiting for at most so long; whether all ended."""
        self.leave()
        return self.operations.close(seconds)

    def _add_found(self, found: Found) -> None:
        for item in self.recordings.add_all(found.recordings, found.refused):
            self._hand_over(item)
        if len(found.refused) == 1:
            self.failed.emit(found.refused[0][1])
        elif found.refused:
            for _, message in found.refused:
                self.refused.emit(message)
            self.failed.emit(
                tr_count(
                    len(found.refused),
                    "{n} file was refused; the list says why.",
                    "{n} files were refused; the list says why.",
                )
            )
        if found.passed_over:
            self.noted.emit(
                tr_count(
                    len(found.passed_over),
                    "{n} file was passed over, not named as a recording is: {first}. To try it, add it by "
                    "itself.",
                    "{n} files were passed over, not named as recordings are: {first} … To try one, add it "
                    "by itself.",
                    first=shown_name(found.passed_over[0]),
                )
            )
        if found.recordings and self.settings.current.run_on_drop:
            self.start()

    def _hand_over(self, item: RecordingItem) -> None:
        """Give a recording to the run that goes on; one that takes none any more is followed by another."""
        if self._decoding is not None and not self._decoding.add(item.path):
            self._goes_on = True

    def _show(self, run: RunViewModel) -> RunViewModel:
        self.runs[run.number] = run
        self.shown = run
        self.run_shown.emit(run)
        return run

    def _pump(self) -> None:
        if self._decoding is None or self.live is None:
            return
        if self.live.folder is None:
            self.live.folder = self._decoding.folder  # what is done can be corrected while others are decoded
        self._feed(self.live, self._decoding.new_events(_DRAIN_SECONDS))

    def _feed(self, run: RunViewModel, events: Iterable[RecordedEvent]) -> None:
        """Show events as they are taken, so that the time for taking is that for showing too."""
        shown = False
        for event in events:
            shown = True
            try:
                run.feed([event])
                self.recordings.feed(event)
                if (trouble := self.recordings.trouble_of(event)) is not None:
                    self.troubled.emit(*trouble)
            except Exception as surprise:  # noqa: BLE001  (told once a run; the events behind it are shown)
                self._stumble(surprise)
        if shown:
            self.updated.emit()

    def _stumble(self, surprise: Exception) -> None:
        from as2d.backend.transcribe.outcome import unexpected

        error = unexpected(tr("Showing the run"), surprise)
        if not self._stumbled:
            self._stumbled = True
            self.failed.emit(error.message)

    def _ended(self, end: object) -> None:
        if isinstance(end, RunEnd):
            if self.live is not None:
                self.live.folder = end.folder
            if end.problem is not None:
                self.failed.emit(end.problem.message)

    def _tell_failure(self, error: object) -> None:
        self.failed.emit(error.message if isinstance(error, UserError) else str(error))

    def _close_run(self) -> None:
        begun = True
        try:
            while self._decoding is not None and self._decoding.has_events():
                self._pump()
            begun = self.recordings.end()
        except Exception as surprise:  # noqa: BLE001  (whatever it is, the run is over)
            self._stumble(surprise)
        self._timer.stop()
        self._decoding = None
        self._operation = None
        self.live = None
        restored = [] if begun else self.recordings.take_back()
        if restored and (run := self.run_of(restored[0])) is not None:
            self._show(run)
        self.running_changed.emit(False)
        self.updated.emit()
        self.run_recorded.emit()
        if self._goes_on:
            self._goes_on = False
            self.start()

    def _opened(self, view: object) -> None:
        from as2d.app.viewmodels.kept_comparison import KeptComparison
        from as2d.app.viewmodels.stored_run import StoredRunView

        if isinstance(view, StoredRunView):
            before = [run.number for run in self.runs.values() if run.folder == view.folder]
            self.recordings.remove([item for item in self.recordings.items if item.run in before])
            self.recordings.show_stored(view.run.number, view.run.fold, view.sounds)
            self._show(view.run)
            self.updated.emit()
            if view.problem is not None:
                self.noted.emit(view.problem)
        elif isinstance(view, KeptComparison):
            self.comparison_opened.emit(view)
        else:
            self.long_run_opened.emit(view)

    def _bundles_opened(self, opened: object) -> None:
        folders, new, errors = cast("tuple[list[Path], int, list[str]]", opened)
        for message in errors:
            self.failed.emit(message)
        if not folders:
            return
        self.run_recorded.emit()
        self.open_run(folders[0])
        if not new:
            self.told.emit(tr("This run is here already; it is shown."))
        elif len(folders) > 1:
            self.told.emit(
                tr_count(new, "{n} run was added to the history.", "{n} runs were added to the history.")
            )

    def _is_live(self, item: RecordingItem) -> bool:
        return self.live is not None and item.run == self.live.number
