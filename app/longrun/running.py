"""The long run that goes on, and the one that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from as2d.app.operations.draining import Drain
from as2d.app.operations.operation import Operation, Operations
from as2d.app.settings.store import DecodeSettings
from as2d.app.translation import tr
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.app.viewmodels.sustained import LongRunModel
    from as2d.backend.protocol.lines import RecordedEvent

_TICK_MS = 30


class LongRuns(QObject):
    """At most one long run at a time. `updated` is emitted when the one that is shown has changed."""

    updated = Signal()
    shown_changed = Signal()
    running_changed = Signal(bool)
    stop_asked = Signal()
    failed = Signal(str)
    recorded = Signal()

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self.shown: LongRunModel | None = None
        self.live: LongRunModel | None = None
        self._operation: Operation | None = None
        self._events: Drain[RecordedEvent] | None = None
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._drain)

    @property
    def running(self) -> bool:
        """Whether one goes on."""
        return self._operation is not None

    @property
    def stopping(self) -> bool:
        """Whether the one that goes on was told to end, and has not ended yet."""
        return self._operation is not None and self._operation.ending

    def start(
        self, decode: DecodeSettings, methods: Sequence[str], paths: Sequence[Path], minutes: float
    ) -> None:
        """Begin to decode these recordings again and again."""
        if self.running:
            return
        from as2d.app.viewmodels.sustained import LongRunModel

        model = LongRunModel(minutes, decode.device)
        if decode.device is not None:
            from as2d.backend.devices.battery_memory import remembered_current

            model.calibrate(remembered_current(decode.device))
        events: Drain[RecordedEvent] = Drain(lambda event: model.feed([event]), self.failed.emit)
        self._events = events

        def work(operation: Operation) -> object:
            from as2d.backend.devices.available import open_device
            from as2d.backend.models.progress import Cancelled
            from as2d.backend.sustained.service import LongRunChoices, LongRunReport, run_long

            device = open_device(decode.device, operation.cancel)
            choices = LongRunChoices(decode.for_run(), tuple(methods), tuple(paths), minutes, device)
            report = LongRunReport()
            try:
                return run_long(choices, [events.put], operation.cancel, report)
            except Cancelled:
                if report.storage_problem is not None:  # what was decoded until now was not recorded
                    raise report.storage_problem from None
                raise

        self.live = model
        self.show_run(model)
        self._operation = Operation(tr("Long run"), work)
        self._operation.succeeded.connect(self._tell_report)
        self._operation.failed.connect(self._tell_failure)
        self._operation.ended.connect(self._ended)
        self._operations.start(self._operation)
        self._timer.start()
        self.running_changed.emit(True)

    def stop(self) -> None:
        """End it; what was decoded stays."""
        if self._operation is not None:
            self._operation.cancel.cancel()
            self.stop_asked.emit()  # what the helper does has still to end

    def show_run(self, model: LongRunModel) -> None:
        """Look at a run."""
        self.shown = model
        self.shown_changed.emit()
        self.updated.emit()

    def _drain(self) -> None:
        if self._events is not None and self._events.some():
            self.updated.emit()

    def _tell_report(self, report: object) -> None:
        from as2d.backend.sustained.service import LongRunReport

        if isinstance(report, LongRunReport):
            for error in (*report.refused, report.storage_problem):
                if error is not None:
                    self.failed.emit(error.message)

    def _tell_failure(self, error: object) -> None:
        self.failed.emit(error.message if isinstance(error, UserError) else str(error))

    def _ended(self) -> None:
        if self._events is not None:
            self._events.all()
        self._timer.stop()
        self._operation = None
        self.live = None
        self.running_changed.emit(False)
        self.updated.emit()
        self.recorded.emit()
