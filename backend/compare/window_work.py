"""The cells of one window: prepared once, warmed up, decoded in their order, each noted when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from as2d.backend.audio import AudioWindow
from as2d.backend.bench.arm_ops import prepare_op, request_op
from as2d.backend.bench.arms import Arm
from as2d.backend.compare.cells import Cell
from as2d.backend.compare.described import arm_label
from as2d.backend.compare.gate import PhoneGate
from as2d.backend.compare.journal import CellDone
from as2d.backend.compare.recorded_cells import done_cell
from as2d.backend.compare.shared import Surroundings
from as2d.backend.errors import UserError
from as2d.backend.helper.endings import ConnectionLost, HelperDied, HelperRefused
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.message import now_ns
from as2d.backend.transcribe.session import MOST_LOSSES, Session

_MOST_DEATHS = 2
_MOST_GIVEN_UP = 3


class WindowWork:
    """Decodes windows with loaded models; `requests` counts those that were sent."""

    def __init__(
        self,
        around: Surroundings,
        session: Session,
        gate: PhoneGate | None,
        drafters: Mapping[tuple[str, Arm], str],
    ) -> None:
        """`drafters`: the loaded drafter for a drafter of the plan and an arm."""
        self._around = around
        self._session = session
        self._gate = gate
        self._drafters = drafters
        self._count = 0
        self._warm = False
        self._at = ""
        self._given_up = 0
        self.requests = 0

    def decode(
        self, name: str, window: AudioWindow, cells: Sequence[Cell], language: str | None
    ) -> str | None:
        """Decode a window by its cells; the language in which that was. A helper that dies over a cell is
        started again once; a device that is away is waited for.

        Raises:
            UserError: the device cannot go on.
            Cancelled: the end was asked for.
        """
        around = self._around
        deaths: Counter[str] = Counter()
        losses = 0
        while left := [cell for cell in cells if not around.journal.is_done(cell.key)]:
            try:
                around.cancel.check()
                if not self._session.engine.alive:
                    self._warm = False
                    self._session.restart(around.cancel)
                language = self._pass(name, window, left, language)
            except ConnectionLost:
                around.cancel.check()
                losses += 1
                if losses == MOST_LOSSES:
                    raise
                around.tell("away", "the connection was lost; wait for the device")
            except HelperDied as death:
                around.cancel.check()
                deaths[self._at] += 1
                if deaths[self._at] == _MOST_DEATHS:
                    self._give_up(self._at or left[0].key, death)
        return language

    def _pass(
        self, name: str, window: AudioWindow, cells: Sequence[Cell], language: str | None
    ) -> str | None:
        """Decode the cells that are left, with one helper."""
        self._at = cells[0].key
        prepared: dict[tuple[str, str], str] = {}
        for cell in cells:
            if (key := _preparation(cell)) not in prepared:
                prepared[key] = self._prepare(name, window, cell, language)
        self._warm_up(cells, prepared, language)
        for cell in cells:
            self._at = cell.key
            if self._gate is not None:
                self._gate.wait(self._around.cancel, lambda what: self._around.tell("cooling", what))
            self._around.tell("decoding", "")
            try:
                result = self._request(prepared[_preparation(cell)], cell, language, warm_up=False)
            except HelperRefused as error:
                self._give_up(cell.key, error)
                continue
            self._given_up = 0
            language = language or result.language
            self._session.run.recorder.settle()
            self._around.journal.note(done_cell(cell.key, self._session.run.manifest.run, result))
        for preparation in prepared.values():
            self._session.engine.release(preparation)
        return language

    def _warm_up(
        self, cells: Sequence[Cell], prepared: Mapping[tuple[str, str], str], language: str | None
    ) -> None:
        """Each arm once with a new helper, as often as the plan says; else one that drafted beforehand: its
        first request waits for the producer.
        """
        if not self._warm:
            each = {(cell.drafter, cell.arm): cell for cell in cells}.values()
            for _ in range(self._around.plan.warm_up):
                for cell in each:
                    self._request(prepared[_preparation(cell)], cell, language, warm_up=True)
            self._warm = True
            if self._around.plan.warm_up:
                return
        waiting = {
            _preparation(cell): cell
            for cell in cells
            if cell.arm.drafts and cell.arm.start_condition == "pre-drafted"
        }
        for cell in waiting.values():
            self._request(prepared[_preparation(cell)], cell, language, warm_up=True)

    def _prepare(self, name: str, window: AudioWindow, cell: Cell, language: str | None) -> str:
        self._count += 1
        preparation = f"{name}.p{self._count}"
        drafter = self._drafters.get((cell.drafter, cell.arm))
        self._session.engine.prepare(prepare_op(cell.arm, preparation, language, drafter), name, window.pcm)
        return preparation

    def _request(self, preparation: str, cell: Cell, language: str | None, *, warm_up: bool) -> Result:
        self._count += 1
        self.requests += 1
        request = f"{preparation}.r{self._count}"
        sent = host_events.RequestSent(
            t=now_ns(),
            request=request,
            preparation=preparation,
            task="transcribe",
            arm=arm_label(self._around.plan, cell.drafter, cell.arm),
            repeat=cell.repeat,
            warm_up=warm_up,
            cell=None if warm_up else cell.key,
        )
        op = request_op(cell.arm, request, preparation, language)
        return self._session.engine.request(op, sent, self._around.cancel)

    def _give_up(self, cell: str, problem: UserError) -> None:
        """Leave a cell out; where several in a row cannot be decoded it is the device that cannot go on."""
        self._given_up += 1
        if self._given_up == _MOST_GIVEN_UP:
            raise problem
        self._around.journal.note(CellDone(cell=cell, run=None, request=None, problem=problem.message))


def _preparation(cell: Cell) -> tuple[str, str]:
    """Cells of a window with the same one share a preparation."""
    return (cell.drafter if cell.arm.drafts else "", cell.arm.preparation)
