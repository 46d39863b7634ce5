"""Changes to the recorded runs, one after another on a thread beside the window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr
from as2d.backend.errors import UserError


class HistoryWriter(QObject):
    """Does what is asked for in its order, so that undoing comes behind what it undoes. `changed` comes when
    nothing more is to be done, `failed` with a sentence for everything that could not be.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._waiting: deque[Callable[[], None]] = deque()
        self._operation: Operation | None = None

    def do(self, works: list[Callable[[], None]]) -> None:
        """Do these; one that raises a UserError does not keep the others from being done."""
        self._waiting.extend(works)
        self._begin()

    def _begin(self) -> None:
        if self._operation is not None or not self._waiting:
            return
        operation = self._operation = Operation(tr("Changing the list of runs"), self._work)
        operation.succeeded.connect(self._tell)
        operation.failed.connect(lambda error: self.failed.emit(error.message))
        operation.ended.connect(self._end)
        self._operations.start(operation)

    def _work(self, _operation: Operation) -> list[str]:
        """On the operation's thread; closing the window waits for it."""
        problems = []
        while self._waiting:
            try:
                self._waiting.popleft()()
            except UserError as error:
                problems.append(error.message)
        return problems

    def _tell(self, problems: list[str]) -> None:
        for problem in problems:
            self.failed.emit(problem)

    def _end(self) -> None:
        self._operation = None
        if self._waiting:
            self._begin()
        else:
            self.changed.emit()
