"""Measuring a device, on a thread beside the window: as `as2d calibrate` and `as2d bench --save-budget`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from as2d.app.operations.operation import Operation
from as2d.app.settings.store import DecodeSettings
from as2d.app.translation import tr
from as2d.backend.bench.budget import budget_choices, keep_best_budget
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.service import run_bench
from as2d.backend.calibration.cost_profile import CostProfile, CostProfiles
from as2d.backend.calibration.plan import CalibrationPlan
from as2d.backend.calibration.service import CalibrationChoices, calibrate
from as2d.backend.devices.available import open_device
from as2d.backend.errors import UserError, WrongUse
from as2d.backend.paths import profiles_dir
from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.sample import SAMPLE_LANGUAGE, sample_recording

if TYPE_CHECKING:
    from as2d.backend.transcribe.profile import BudgetEntry

MOST_RECORDINGS = 12
"""Enough windows to choose a budget by, and no more minutes than that takes."""


@dataclass(frozen=True)
class Calibrated:
    """What came of measuring calls. `kept` null: a profile with more repeats was there already and stays."""

    profile: CostProfile
    kept: Path | None


@dataclass(frozen=True)
class BudgetChosen:
    """What came of choosing a budget; `refused` recordings were left out."""

    entry: BudgetEntry
    refused: tuple[UserError, ...]


def measure_calls(
    operation: Operation, key: str | None, decode: DecodeSettings, plan: CalibrationPlan
) -> Calibrated:
    """Measure the cost profile of the models that are chosen, and keep it.

    Raises:
        UserError: the device or a model cannot be used, or the profile cannot be written.
        Cancelled: cancelled; nothing is kept.
    """
    if decode.drafter is None:
        raise WrongUse(tr("Choose a drafter first: target and drafter are measured together."))
    device = open_device(key, operation.cancel)
    device.make_ready(operation.report, operation.cancel)
    choices = CalibrationChoices.of(device, decode.target, decode.drafter, plan)
    profile = calibrate(choices, [_Steps(operation)], operation.cancel, device)
    path, counted = CostProfiles(profiles_dir()).keep(profile)
    return Calibrated(counted, path)


def choose_budget(
    operation: Operation, key: str | None, decode: DecodeSettings, paths: Sequence[Path], repeats: int
) -> BudgetChosen:
    """Decode recordings with every budget, in turn, and keep the fastest; without any the sample is decoded.

    Raises:
        UserError: the device or a model cannot be used, every recording was refused, or nothing was kept.
        Cancelled: cancelled; nothing is kept but the run.
    """
    if decode.drafter is None:
        raise WrongUse(tr("Choose a drafter first: target and drafter are measured together."))
    recordings = [BenchRecording(path, decode.language, None, None) for path in paths[:MOST_RECORDINGS]]
    if not recordings:
        recordings = [BenchRecording(sample_recording(), SAMPLE_LANGUAGE, None, None)]
    device = open_device(key, operation.cancel)
    device.make_ready(operation.report, operation.cancel)
    choices = budget_choices(
        device,
        recordings,
        decode.target,
        decode.drafter,
        start_condition=decode.start_condition,
        repeats=repeats,
    )
    report = run_bench(choices, [_Steps(operation, len(recordings))], operation.cancel)
    return BudgetChosen(keep_best_budget(report, device), tuple(report.refused))


class _Steps:
    """An observer that tells the operation how far the work is."""

    def __init__(self, operation: Operation, recordings: int = 0) -> None:
        self._operation = operation
        self._recordings = recordings
        self._ended = 0
        self._decodes = 0

    def __call__(self, event: RecordedEvent) -> None:
        """Take one event."""
        if isinstance(event, host_events.StepProgress):
            self._operation.report(_step_text(event.step), event.done, event.total)
        elif isinstance(event, host_events.RecordingDone | host_events.RecordingFailed):
            self._ended += 1
        elif isinstance(event, decode_events.Result):
            self._decodes += 1
            total = self._recordings if self._recordings > 1 else 0
            self._operation.report(tr("{n} decodes", n=self._decodes), self._ended, total)


def _step_text(step: str) -> str:
    return tr("timing calls, steps and encoders") if step == "calibrate" else step
