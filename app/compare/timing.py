"""How long the plan of the form may take: worked out beside the window, once it has stayed for a moment."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr
from as2d.app.viewmodels.plan_words import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from as2d.backend.compare.plan import ComparePlan

_PAUSE_MS = 300
_MOST_RECORDINGS = 200


class PlanTiming(QObject):
    """Knows the newest plan's estimate; `changed` is emitted when there is one."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._quiet = Operations(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_PAUSE_MS)
        self._soon.timeout.connect(self._begin)
        self._wanted: tuple[ComparePlan, Mapping[str, str]] | None = None
        self._asked = ""
        self._known: Estimate | None = None
        self._lengths: dict[str, float | None] = {}

    def of(self, plan: ComparePlan, names: Mapping[str, str]) -> Estimate | None:
        """The estimate of a plan; None: nothing tells, or there is none yet and it is worked out now.
        `names`: what runs call the plan's phones.
        """
        if plan.digest != self._asked:
            self._asked, self._known = plan.digest, None
            self._wanted = (plan, names) if plan.replay is None else None
            self._soon.start()
        return self._known

    def forget(self) -> None:
        """A run was recorded, which tells more."""
        self._asked = ""

    def close(self, seconds: float) -> bool:
        """Work nothing out any more, waiting for at most so long; whether all ended."""
        self._soon.stop()
        return self._quiet.close(seconds)

    def _begin(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or self._quiet.closed:
            return
        plan, names = wanted
        operation = Operation(tr("Estimating"), partial(_estimate, plan, names, self._lengths))
        operation.succeeded.connect(lambda found: self._take(plan.digest, found))
        self._quiet.start(operation)

    def _take(self, digest: str, found: object) -> None:
        if digest == self._asked and isinstance(found, Estimate):
            self._known = found
            self.changed.emit()


def _estimate(
    plan: ComparePlan, names: Mapping[str, str], known: dict[str, float | None], operation: Operation
) -> Estimate | None:
    """What a plan comes to; None where a length is not known. `known`: lengths that were read before."""
    from as2d.backend.compare.estimate import estimated_seconds, past_pace, windows_of
    from as2d.backend.compare.plan import THIS_COMPUTER
    from as2d.backend.compare.running.cells import count_cells
    from as2d.backend.devices.this_computer import this_computer
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    if len(plan.recordings) > _MOST_RECORDINGS:
        return None
    lengths: list[float] = []
    for name in plan.recordings:
        operation.cancel.check()
        if name not in known:
            known[name] = _length_of(Path(name))
        length = known[name]
        if length is None:
            return None
        lengths.append(length)
    store, paces = RunStore(runs_dir()), {}
    methods = {arm.method for arm in plan.arms()}
    names = {THIS_COMPUTER: this_computer().name, **names}
    for device in plan.devices:
        for target in plan.targets:
            pace = past_pace(store, names.get(device, device), _name_of(target), methods, operation.cancel)
            if pace is not None:
                paces[device, target] = pace
    seconds = estimated_seconds(plan, lengths, paces)
    return Estimate(sum(lengths), count_cells(plan, windows_of(lengths)), seconds)


def _name_of(model: str) -> str:
    """What runs call a model of the catalogue, or one in a folder."""
    from as2d.backend.errors import UserError
    from as2d.backend.models.manifest import MANIFEST_NAME, read_manifest

    try:
        return read_manifest(Path(model))[0].name if (Path(model) / MANIFEST_NAME).is_file() else model
    except UserError:  # running it tells what is wrong with it
        return model


def _length_of(path: Path) -> float | None:
    """Seconds of a file; None: it does not tell, or is no recording."""
    from as2d.backend.audio import open_recording
    from as2d.backend.errors import UserError

    try:
        with open_recording(path) as recording:
            return recording.info.duration_s
    except UserError:
        return None
