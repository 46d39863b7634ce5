"""Measures the cost profile of a device: behind `as2d calibrate` and the window."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Self

from as2d.backend.calibration.cost_profile import (
    CostProfile,
    EncoderCost,
    Interference,
    StepCost,
    TurnCost,
)
from as2d.backend.calibration.plan import CalibrationPlan, widths_that_fit
from as2d.backend.devices.device import Device
from as2d.backend.models.manifest import ModelManifest
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.events import MeasuredCalls, MeasuredDrafter, TurnTimes
from as2d.backend.runs.store import utc_text
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.threads import DrafterThreads, TargetThreads

_ROUNDS = 3
_TARGET = "target"
_DRAFTER = "drafter"
_STEP = "calibrate"

Measure = Callable[[str, Sequence[int], int, int, int, float], MeasuredCalls | MeasuredDrafter]
_Times = dict[tuple[int, int, float, int], list[float]]
_WHOLE = 30.0
"""Seconds of a whole window: a target hears all of it, however short the audio."""


@dataclass(frozen=True)
class CalibrationChoices:
    """What to calibrate. `target` and `drafter` are names of the catalogue or model folders."""

    target: str
    drafter: str
    threads: TargetThreads
    drafter_threads: DrafterThreads
    plan: CalibrationPlan

    @classmethod
    def of(
        cls,
        device: Device,
        target: str,
        drafter: str,
        plan: CalibrationPlan,
        *,
        threads: int | None = None,
        drafter_threads: int | None = None,
        drafter_shared_threads: int = 1,
    ) -> Self:
        """What was asked for, the rest as it suits the device, which is ready."""
        of_target = TargetThreads.chosen(device, threads)
        of_drafter = DrafterThreads(drafter_threads or of_target.alone, drafter_shared_threads)
        return cls(target, drafter, of_target, of_drafter, plan)


def calibrate(
    choices: CalibrationChoices,
    observers: Sequence[Observer] = (),
    cancel: CancelToken | None = None,
    device: Device | None = None,
) -> CostProfile:
    """Measure the cost profile of a pair of models on a device; nothing is written.

    Without a `device` it is this computer.

    Raises:
        UserError: a model cannot be had, or the helper failed.
        Cancelled: the end was asked for.
    """
    log = RunLog(observers)
    log.record_into(None)
    cancel = cancel or CancelToken()
    session = Session(log, cancel, device)
    try:
        target = session.find_model(choices.target, "target")
        drafter = session.find_model(choices.drafter, "drafter")
        session.open()
        session.load_target(_TARGET, target, choices.threads, exact=False)
        session.load_drafter(_DRAFTER, drafter, choices.drafter_threads)
        return _Calibration(session, choices, cancel).profile(target, drafter)
    finally:
        session.close("done")


class _Calibration:
    """One calibration with its progress."""

    def __init__(self, session: Session, choices: CalibrationChoices, cancel: CancelToken) -> None:
        self._session = session
        self._choices = choices
        self._cancel = cancel
        plan = choices.plan
        self._done = 0
        self._total = (
            min(_ROUNDS, plan.repeats)
            * (
                len(plan.contexts) * len(self._target_threads)
                + len(plan.drafter_contexts) * len(plan.drafter_seconds) * (len(self._drafter_threads) + 1)
                + len(plan.contexts)
            )
            + len(plan.seconds) * (len(self._target_threads) + len(self._drafter_threads))
            + 1
        )

    @property
    def _target_threads(self) -> list[int]:
        threads = self._choices.threads
        return sorted({threads.alone, threads.shared})

    @property
    def _drafter_threads(self) -> list[int]:
        threads = self._choices.drafter_threads
        return sorted({threads.waited_for, threads.shared})

    def profile(self, target: InstalledModel, drafter: InstalledModel) -> CostProfile:
        session, choices, plan = self._session, self._choices, self._choices.plan
        engine = session.engine
        device = session.description
        calls = self._steps(
            self._measure_calls,
            _TARGET,
            target.manifest,
            plan.widths,
            plan.contexts,
            [_WHOLE],
            self._target_threads,
        )
        steps = self._steps(
            engine.measure_drafter,
            _DRAFTER,
            drafter.manifest,
            plan.drafter_widths,
            plan.drafter_contexts,
            plan.drafter_seconds,
            self._drafter_threads,
        )
        call_turns, step_turns = self._turns(target.manifest, drafter.manifest)
        encoders = [
            *self._encoders(_TARGET, "target", self._target_threads),
            *self._encoders(_DRAFTER, "drafter", self._drafter_threads),
        ]
        return CostProfile(
            device=device.name,
            cpu=device.cpu,
            cores=device.cores,
            helper=session.hello.build,
            target=target.digest,
            drafter=drafter.digest,
            threads=choices.threads.alone,
            shared_threads=choices.threads.shared,
            drafter_threads=choices.drafter_threads.waited_for,
            drafter_shared_threads=choices.drafter_threads.shared,
            measured=utc_text(datetime.now(UTC)),
            repeats=plan.repeats,
            target_calls=calls,
            drafter_steps=steps,
            target_turns=call_turns,
            drafter_turns=step_turns,
            encoders=tuple(encoders),
            interference=self._interference(),
        )

    def _measure_calls(
        self,
        model: str,
        widths: Sequence[int],
        context: int,
        threads: int,
        repeats: int,
        _seconds: float,
    ) -> MeasuredCalls:
        return self._session.engine.measure_calls(model, widths, context, threads, repeats)

    def _steps(
        self,
        measure: Measure,
        model: str,
        manifest: ModelManifest,
        widths: Sequence[int],
        contexts: Sequence[int],
        lengths: Sequence[float],
        threads: Sequence[int],
    ) -> tuple[StepCost, ...]:
        """The settings take turns in rounds, so that a machine that grows slower does so for all."""
        times: _Times = {}
        for share in _shares(self._choices.plan.repeats):
            for count, context, seconds in itertools.product(threads, contexts, lengths):
                self._advance()
                fitting = widths_that_fit(manifest, widths, context)
                measured = measure(model, fitting, context, count, share, seconds)
                for row in measured.rows:
                    times.setdefault((count, context, seconds, row.k), []).extend(row.ms)
        return tuple(
            _cost(values, threads=count, context=context, k=k, seconds=seconds)
            for (count, context, seconds, k), values in times.items()
        )

    def _turns(
        self, target: ModelManifest, drafter: ModelManifest
    ) -> tuple[tuple[StepCost, ...], tuple[TurnCost, ...]]:
        """Target calls behind drafter steps, and drafter steps behind target calls, in rounds too."""
        choices, plan = self._choices, self._choices.plan
        calls: dict[tuple[int, int], list[float]] = {}
        steps: dict[tuple[int, float, int, int], list[float]] = {}
        for share in _shares(plan.repeats):
            for context in plan.contexts:
                turns = [(k, plan.turn_width) for k in widths_that_fit(target, plan.widths, context)]
                for turn in self._measure_turns(turns, context, plan.turn_seconds, share):
                    calls.setdefault((context, turn.k), []).extend(turn.call_ms)
            for context, seconds in itertools.product(plan.drafter_contexts, plan.drafter_seconds):
                widths = widths_that_fit(drafter, plan.drafter_widths, context)
                turns = [(plan.beside_k, width) for width in widths]
                for turn in self._measure_turns(turns, context, seconds, share):
                    for nth, ms in enumerate(turn.steps_ms, start=1):
                        width = turn.width if nth == 1 else 1
                        steps.setdefault((context, seconds, width, nth), []).extend(ms)
        threads = choices.threads.alone
        return (
            tuple(
                _cost(values, threads=threads, context=context, k=k) for (context, k), values in calls.items()
            ),
            tuple(
                TurnCost(
                    turn=nth,
                    **_cost(
                        values,
                        threads=choices.drafter_threads.waited_for,
                        context=context,
                        k=width,
                        seconds=seconds,
                    ).model_dump(),
                )
                for (context, seconds, width, nth), values in steps.items()
            ),
        )

    def _measure_turns(
        self, turns: Sequence[tuple[int, int]], context: int, seconds: float, repeats: int
    ) -> Sequence[TurnTimes]:
        self._advance()
        measured = self._session.engine.measure_turns(_TARGET, _DRAFTER, turns, context, seconds, repeats)
        return measured.turns

    def _encoders(
        self, model: str, role: Literal["target", "drafter"], threads: Sequence[int]
    ) -> Iterator[EncoderCost]:
        for count in threads:
            for seconds in self._choices.plan.seconds:
                self._advance()
                measured = self._session.engine.measure_encoder(
                    model, seconds, count, self._choices.plan.encoder_repeats
                )
                yield EncoderCost(
                    model=role,
                    seconds=seconds,
                    threads=count,
                    encoder_ms=statistics.median(measured.ms),
                    cross_ms=statistics.median(measured.cross_ms),
                )

    def _interference(self) -> Interference:
        self._advance()
        plan = self._choices.plan
        measured = self._session.engine.measure_interference(
            _TARGET, _DRAFTER, plan.beside_k, plan.beside_context, plan.repeats
        )
        self._session.progress(_STEP, self._total, self._total)
        return Interference(
            target=_slow_down(measured.target_beside_ms, measured.target_alone_ms),
            drafter=_slow_down(measured.drafter_beside_ms, measured.drafter_alone_ms),
            k=measured.k,
        )

    def _advance(self) -> None:
        self._cancel.check()
        self._session.progress(_STEP, self._done, self._total)
        self._done += 1


def _shares(repeats: int) -> list[int]:
    """The repeats of each round."""
    shares = [repeats // _ROUNDS + (number < repeats % _ROUNDS) for number in range(_ROUNDS)]
    return [share for share in shares if share]


def _cost(
    values: Sequence[float], *, threads: int, context: int, k: int, seconds: float = _WHOLE
) -> StepCost:
    return StepCost(
        threads=threads,
        context=context,
        k=k,
        seconds=seconds,
        ms_mean=statistics.fmean(values),
        ms_median=statistics.median(values),
        ms_deviation=statistics.stdev(values) if len(values) > 1 else 0.0,
    )


def _slow_down(beside: Sequence[float], alone: Sequence[float]) -> float:
    return statistics.median(beside) / statistics.median(alone)
