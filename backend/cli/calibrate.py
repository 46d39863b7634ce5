"""`as2d calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.calibration.cost_profile import CostProfile, CostProfiles, StepCost, write_profile
from as2d.backend.calibration.plan import QUICK, CalibrationPlan
from as2d.backend.calibration.service import CalibrationChoices, calibrate
from as2d.backend.cli.console import emit, say, table
from as2d.backend.cli.device_option import DeviceOption, device_of
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import (
    AdbServerOption,
    DrafterOption,
    DrafterSharedThreadsOption,
    DrafterThreadsOption,
    OverwriteOption,
    TargetOption,
)
from as2d.backend.cli.outputs import STANDARD_OUTPUT, checked_output
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.models.progress import Cancelled
from as2d.backend.paths import profiles_dir
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.words import counted


def calibrate_command(
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads of the target; default: the cores, at most 4."),
    ] = None,
    drafter_threads: DrafterThreadsOption = None,
    drafter_shared_threads: DrafterSharedThreadsOption = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the profile to this file, not among the profiles; '-' is standard output.",
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help=f"Measure little, in {QUICK.lasts}, to try things out."),
    ] = False,
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Measure what target calls, drafter steps and encoders cost on a device, for `as2d replay`."""
    if output is not None:
        output = checked_output(output, [], overwrite=overwrite)
    announce_installation([target, drafter])
    chosen, plan = device_of(device, adb_server), QUICK if quick else CalibrationPlan()
    say(
        f"This takes {plan.lasts} on a quiet computer, longer on a phone or beside other work. Only a whole "
        "calibration is kept."
    )
    try:
        with EventProgress() as progress:
            chosen.make_ready(progress.step, CancelToken())
            choices = CalibrationChoices.of(
                chosen,
                target,
                drafter,
                plan,
                threads=threads,
                drafter_threads=drafter_threads,
                drafter_shared_threads=drafter_shared_threads,
            )
            profile = calibrate(choices, [progress], device=chosen)
    except (KeyboardInterrupt, Cancelled):
        say("The calibration was not whole, so no cost profile was written.")
        raise
    shown = say if output == STANDARD_OUTPUT else emit  # a program reads the profile there
    shown(profile_text(profile))
    _warn_of_noise(profile)
    _keep(profile, output)


# An idle computer's costs vary by a tenth.
_STEADY = 0.25


def _warn_of_noise(profile: CostProfile) -> None:
    """Tell a computer that did other things meanwhile."""
    costs = [*profile.target_calls, *profile.drafter_steps]
    noisy = [cost for cost in costs if cost.ms_deviation > _STEADY * cost.ms_mean]
    if len(noisy) > len(costs) / 4:
        say(
            f"Warning: {len(noisy)} of {counted(len(costs), 'cost')} varied by more than a quarter, so the "
            "device was busy with other things; measure again when it is idle."
        )


def _keep(profile: CostProfile, output: Path | None) -> None:
    """Write the profile where it was asked for; a better one among the profiles stays."""
    path = output
    if output is not None:
        write_profile(output, profile)
    else:
        path, kept = CostProfiles(profiles_dir()).keep(profile)
        if path is None:
            say(
                f"The profile of {kept.measured} stays: it has {counted(kept.repeats, 'repeat')}, this one "
                f"{profile.repeats}; --output FILE keeps this one too."
            )
            return
    say(f"The cost profile is in {path}.")


def profile_text(profile: CostProfile) -> str:
    """A cost profile as tables: mean ± standard deviation in ms."""
    return "\n".join(
        [
            f"{profile.device}, ms as mean ± standard deviation of {counted(profile.repeats, 'repeat')}\n",
            _steps("target call, K", profile.target_calls),
            _steps("drafter step, width", profile.drafter_steps),
            *_turns(profile),
            _encoders(profile),
            f"One beside the other: target calls of K = {profile.interference.k} take "
            f"{profile.interference.target:.2f} times as long, drafter steps "
            f"{profile.interference.drafter:.2f} times.\n",
        ]
    )


def _steps(name: str, costs: Sequence[StepCost]) -> str:
    settings = sorted({(cost.threads, cost.context) for cost in costs})
    cells = {(cost.threads, cost.context, cost.seconds, cost.k): cost for cost in costs}
    columns = [f"{counted(threads, 'thread')}, context {context}" for threads, context in settings]
    head = [name, "seconds of audio", *columns]
    rows = []
    for seconds, k in sorted({(cost.seconds, cost.k) for cost in costs}):
        row = [str(k), f"{seconds:.0f}"]
        for threads, context in settings:
            cost = cells.get((threads, context, seconds, k))
            row.append("–" if cost is None else f"{cost.ms_mean:.2f} ± {cost.ms_deviation:.2f}")
        rows.append(row)
    return table(head, rows, right=range(len(head)))


def _turns(profile: CostProfile) -> list[str]:
    """What takes turns; nothing where it was not measured."""
    if not profile.knows_turns:
        return []
    first = [cost for cost in profile.drafter_turns if cost.turn == 1]
    later = [cost.model_copy(update={"k": cost.turn}) for cost in profile.drafter_turns if cost.turn > 1]
    return [
        _steps("target call behind a drafter step, K", profile.target_turns),
        _steps("drafter step behind a target call, width", first),
        _steps("later drafter step, place behind the call", later),
    ]


def _encoders(profile: CostProfile) -> str:
    head = ("encoder of the", "seconds of audio", "threads", "encoder ms", "cross keys ms")
    rows = [
        [
            cost.model,
            f"{cost.seconds:.0f}",
            str(cost.threads),
            f"{cost.encoder_ms:.1f}",
            f"{cost.cross_ms:.1f}",
        ]
        for cost in profile.encoders
    ]
    return table(head, rows, right=(1, 2, 3, 4))
