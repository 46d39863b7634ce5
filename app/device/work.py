"""Long work on a device: one piece at a time for each, with progress, rate and cancel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from as2d.app.device.knowledge import Key
from as2d.app.operations.operation import Operation, Operations
from as2d.app.sentences import step_in_window
from as2d.app.translation import tr
from as2d.app.viewmodels.sizes import size_text

_BYTES_FROM = 100_000
_RATE_SECONDS = 0.5


@dataclass
class Work:
    """One piece of work; `alone`: no run may begin on the device. `rate` in bytes a second, 0: not known."""

    key: Key
    title: str
    operation: Operation
    alone: bool = False
    stage: str = ""
    done: int = 0
    total: int = 0
    rate: float = 0.0
    _begun: tuple[float, int] = field(default=(0.0, 0))

    def take(self, stage: str, done: int, total: int) -> None:
        """Take a report."""
        now = time.monotonic()
        if stage != self.stage:
            self._begun = (now, done)
            self.rate = 0.0
        self.stage, self.done, self.total = stage, done, total
        seconds = now - self._begun[0]
        if total > _BYTES_FROM and seconds > _RATE_SECONDS:
            self.rate = (done - self._begun[1]) / seconds

    @property
    def text(self) -> str:
        """What is being done, and how far it is."""
        step = step_in_window(self.stage)
        if step:
            parts = [tr("{what}: {step} …", what=self.title, step=step)]
        else:
            parts = [tr("{what} …", what=self.title)]
        if self.total > _BYTES_FROM:
            parts.append(tr("{done} of {total}", done=size_text(self.done), total=size_text(self.total)))
            if self.rate > 0:
                parts.append(f"{self.rate / 1e6:.1f} MB/s")
        elif self.total > 1:
            parts.append(tr("{done} of {total}", done=self.done, total=self.total))
        return "  ·  ".join(parts)


class DeviceWorks(QObject):
    """The work on all devices. `changed` is emitted with a device's key when its work goes on or ends."""

    changed = Signal(object)

    def __init__(self, operations: Operations, parent: QObject) -> None:
        super().__init__(parent)
        self._operations = operations
        self._works: dict[Key, Work] = {}

    def of(self, key: Key) -> Work | None:
        """What is being done to a device."""
        return self._works.get(key)

    def begin(
        self,
        key: Key,
        title: str,
        work: Callable[[Operation], object],
        done: Callable[[object], None],
        *,
        alone: bool = False,
    ) -> Operation | None:
        """Begin a piece of work, unless one goes on at this device; `done` takes its result."""
        if key in self._works:
            return None
        operation = Operation(title, work)
        self._works[key] = Work(key, title, operation, alone)
        operation.progressed.connect(lambda *report: self._report(key, *report))
        operation.succeeded.connect(done)
        operation.ended.connect(lambda: self._end(key))
        self._operations.start(operation)
        self.changed.emit(key)
        return operation

    def cancel(self, key: Key) -> None:
        """End what is being done to a device."""
        work = self._works.get(key)
        if work is not None:
            work.operation.cancel.cancel()

    def _report(self, key: Key, stage: str, done: int, total: int) -> None:
        work = self._works.get(key)
        if work is not None:
            work.take(stage, done, total)
            self.changed.emit(key)

    def _end(self, key: Key) -> None:
        self._works.pop(key, None)
        self.changed.emit(key)


class WorkBar(QWidget):
    """Shows the work on one device, with a button that ends it."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("workBar")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(130)
        self.bar.setAccessibleName(tr("Progress"))
        self.button = QPushButton(tr("Cancel"))
        self.button.setObjectName("small")
        self.button.clicked.connect(cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 16, 6)
        row.setSpacing(12)
        row.addWidget(self.text, 1)
        row.addWidget(self.bar)
        row.addWidget(self.button)
        self.hide()

    def show_work(self, work: Work | None) -> None:
        """Show this; None: nothing goes on."""
        self.setVisible(work is not None)
        if work is None:
            return
        self.text.setText(work.text)
        if work.total > 0:
            self.bar.setRange(0, 1000)
            self.bar.setValue(int(1000 * work.done / work.total))
        else:
            self.bar.setRange(0, 0)
