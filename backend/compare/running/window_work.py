"""The cells of one window: prepared once, warmed up, decoded in their order, each noted when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from as2d.backend.audio import AudioWindow
from as2d.backend.bench.arm_engine import ArmEngine, Asked
from as2d.backend.bench.arms import Arm
from as2d.backend.compare.running.ahead import Ahead
from as2d.backend.compare.running.cells import Cell
from as2d.backend.compare.running.described import arm_label
from as2d.backend.compare.running.gate import PhoneGate
from as2d.backend.compare.running.journal import CellDone
from as2d.backend.compare.running.recorded_cells import done_cell
from as2d.backend.compare.running.shared import Surroundings
from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.helper.endings import ConnectionLost, HelperDied, HelperRefused
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.message import now_ns
from as2d.backend.transcribe.reading import SpokenWindow
from as2d.backend.transcribe.session import MOST_LOSSES
from as2d.backend.transcribe.tries import MOST_DEATHS

_MOST_GIVEN_UP = 3


class WindowWork:
    """Decodes windows with loaded models; `requests` counts those that were sent."""

    def __init__(
        self,
        around: Surroundings,
        engine: ArmEngine,
        gate: PhoneGate | None,
    ) -> None:
        self._around = around
        self._engine = engine
        self._session = engine.session
        self._gate = gate
        self._count = 0
        self._warmed: Counter[tuple[str, Arm]] = Counter()
        self._at = ""
        self._deaths: Counter[str] = Counter()
        self._following: Callable[[], SpokenWindow | None] = lambda: None
        self.ahead = Ahead(engine)
        self._given_up = 0
        self.requests = 0

    def decode(
        self,
        name: str,
        window: AudioWindow,
        cells: Sequence[Cell],
        language: str | None,
        following: Callable[[], SpokenWindow | None] = lambda: None,
    ) -> str | None:
        """Decode a window by its cells; the language in which that was. `following` gives the window behind
        it, which cells that prepare ahead prepare meanwhile. A helper that dies over a cell is started again
        once; a device that is away is waited for.

        Raises:
            UserError: the device cannot go on.
            Cancelled: the end was asked for.
        """
        around = self._around
        self._following = following
        self._deaths.clear()
        losses = 0
        while left := [cell for cell in cells if not around.journal.is_done(cell.key)]:
            self._at = left[0].key
            try:
                around.cancel.check()
                if not self._session.engine.alive:
                    self._restart()
                language = self._pass(name, window, left, language)
            except ConnectionLost:
                self.ahead.lost(died=False)
                around.cancel.check()
                losses += 1
                if losses == MOST_LOSSES:
                    raise
                around.tell("away", "the connection was lost; wait for the device")
            except HelperDied as death:
                self.ahead.lost(died=True)
                around.cancel.check()
                self._deaths[self._at] += 1
                if self._deaths[self._at] >= MOST_DEATHS:
                    self._give_up(self._at, death)
        return language

    def _restart(self) -> None:
        """Start the helper again. One that dies before it decodes anything does so for no cell's sake."""
        self._warmed.clear()
        for start in range(1, MOST_DEATHS + 1):
            try:
                self._session.restart(self._around.cancel)
                return
            except ConnectionLost:
                raise
            except HelperDied as death:
                self._around.cancel.check()
                if start == MOST_DEATHS:
                    raise HelperFailed(death.message) from death

    def _pass(
        self, name: str, window: AudioWindow, cells: Sequence[Cell], language: str | None
    ) -> str | None:
        """Decode the cells that are left, with one helper."""
        around = self._around
        prepared = self._prepare_all(name, window, cells, language)
        self._warm_up([cell for cell in cells if not around.journal.is_done(cell.key)], prepared, language)
        for place, cell in enumerate(cells):
            if around.journal.is_done(cell.key):  # given up before its turn came
                continue
            self._at = cell.key
            if self._gate is not None:
                self._gate.wait(around.cancel, lambda what: around.tell("cooling", what))
            around.tell("decoding", "")
            try:
                result = self._request(prepared[cell.preparation], cell, language, warm_up=False)
            except HelperRefused as error:
                self.ahead.end(keep=False)
                self._give_up(cell.key, error)
                continue
            self._given_up = 0
            language = language or result.language
            self._session.run.recorder.settle()
            around.journal.note(done_cell(cell.key, self._session.run.manifest.run, result))
            self.ahead.end(keep=all(later.preparation != cell.preparation for later in cells[place + 1 :]))
        for preparation in prepared.values():
            self._session.engine.release(preparation)
        return language

    def _prepare_all(
        self, name: str, window: AudioWindow, cells: Sequence[Cell], language: str | None
    ) -> dict[tuple[str, str], str]:
        """Prepare the window as its cells need it. What drafts beforehand is waited for by a request at once,
        so that nothing else runs beside it.
        """
        self._around.tell("preparing", "encode the audio of a window")
        prepared = self.ahead.take(name)
        waited = set(prepared)
        for cell in cells:
            self._at, key = cell.key, cell.preparation
            try:
                if key not in prepared:
                    prepared[key] = self._prepare(name, window, cell, language)
                if cell.drafts_beforehand and key not in waited:
                    self._warm(prepared[key], cell, language)
                    waited.add(key)
            except HelperRefused as error:
                self._give_up(cell.key, error)
        return prepared

    def _warm_up(
        self, cells: Sequence[Cell], prepared: Mapping[tuple[str, str], str], language: str | None
    ) -> None:
        """Each arm as often with a new helper as the plan says."""
        each: dict[tuple[str, Arm], Cell] = {}
        for cell in cells:
            each.setdefault((cell.drafter, cell.arm), cell)
        for times in range(self._around.plan.warm_up):
            for kind, cell in each.items():
                if self._warmed[kind] > times or self._around.journal.is_done(cell.key):
                    continue
                self._at = cell.key
                try:
                    self._warm(prepared[cell.preparation], cell, language)
                except HelperRefused as error:
                    self._give_up(cell.key, error)

    def _warm(self, preparation: str, cell: Cell, language: str | None) -> None:
        self._around.tell("preparing", "warm up with decodes that are not counted")
        self._request(preparation, cell, language, warm_up=True)
        self._warmed[cell.drafter, cell.arm] += 1

    def _prepare(self, name: str, window: AudioWindow, cell: Cell, language: str | None) -> str:
        self._count += 1
        preparation = f"{name}.p{self._count}"
        self._engine.prepare(cell.arm, preparation, name, window.pcm, language, drafter=cell.drafter)
        return preparation

    def _request(self, preparation: str, cell: Cell, language: str | None, *, warm_up: bool) -> Result:
        self._count += 1
        self.requests += 1
        request = f"{preparation}.r{self._count}"
        asked = Asked(
            cell.repeat,
            warm_up,
            label=arm_label(self._around.plan, cell.drafter, cell.arm),
            cell=None if warm_up else cell.key,
        )
        beside = cell.arm.preparing == "ahead" and not warm_up
        # A window that ends the helper while it is prepared must not do so to this cell twice.
        ahead = beside and not self._deaths[cell.key]
        # Read before, so that a short decode is not over by then.
        following = self._following() if beside else None
        known = language or self._session.log.fold.preparations[preparation].language

        def prepare_following() -> None:
            self.ahead.begin(cell, request, following, known)

        result = self._engine.decode(
            cell.arm,
            request,
            preparation,
            language,
            asked,
            self._around.cancel,
            meanwhile=prepare_following if ahead else None,
        )
        if following is not None and not self.ahead.begun:
            self._tell_alone(preparation, cell)
        return result

    def _tell_alone(self, preparation: str, cell: Cell) -> None:
        """Say that a cell of an arm prepared ahead had the device for itself, unlike the others."""
        fold = self._session.log.fold
        window = fold.windows[fold.preparations[preparation].window]
        number, arm = window.index + 1, arm_label(self._around.plan, cell.drafter, cell.arm)
        message = f"Window {number} was decoded once by '{arm}' with nothing prepared beside it."
        self._session.log.host(
            host_events.RecordingWarned(t=now_ns(), recording=window.recording, message=message)
        )

    def _give_up(self, cell: str, problem: UserError) -> None:
        """Leave a cell out; where several in a row cannot be decoded it is the device that cannot go on."""
        self._given_up += 1
        if self._given_up == _MOST_GIVEN_UP:
            raise problem
        self._around.journal.note(CellDone(cell=cell, run=None, request=None, problem=problem.message))
