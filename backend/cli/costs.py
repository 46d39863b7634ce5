"""What replay and sweeps say of the costs that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from as2d.backend.bench.arms import Arm
from as2d.backend.calibration.cost_profile import CostProfile, CostProfiles
from as2d.backend.calibration.plan import CalibrationPlan
from as2d.backend.cli.console import say
from as2d.backend.devices.this_computer import this_computer
from as2d.backend.errors import UserError, WrongUse
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import models_dir, profiles_dir
from as2d.backend.words import counted


def say_costs(costs: CostProfile, arms: Sequence[Arm]) -> None:
    """Where a profile comes from, and what it did not measure."""
    quick = ", a quick calibration that is only for trying out" if costs.quick else ""
    say(f"Costs of {costs.device}, measured {costs.measured} with {counted(costs.repeats, 'repeat')}{quick}.")
    if not costs.knows_turns and any(arm.drafts for arm in arms):
        say(
            "This profile is of an earlier version, which did not measure drafter steps in turn with target "
            "calls: methods whose target waits for drafts come out too fast. `as2d calibrate` measures anew."
        )
    wider = sorted({arm.budget + 1 for arm in arms if arm.budget + 1 > costs.widest})
    if wider:
        say(
            f"Target calls were measured up to K = {costs.widest}; "
            f"those of K = {', '.join(map(str, wider))} are taken to go on as a straight line."
        )


def require_any_profile() -> None:
    """Refuse what needs a cost profile before traces are read, where this computer has none of any models.

    Raises:
        WrongUse: it has none.
    """
    if not CostProfiles(profiles_dir()).has_any(this_computer().cpu):
        raise WrongUse(
            "A replay needs a cost profile, and this computer has none yet: measure one with `as2d "
            f"calibrate`, in {CalibrationPlan().lasts}, or name one with --profile."
        )


def say_what_replay_needs(target: str, drafter: str) -> None:
    """Before traces are recorded: that a cost profile of their models is not there yet."""
    store = ModelStore(models_dir())
    try:
        models = store.open(target).digest, store.open(drafter).digest
    except UserError:  # not installed, or damaged: they are installed when they are needed
        models = None
    if models is None or CostProfiles(profiles_dir()).newest(*models, this_computer().cpu) is None:
        say(
            "To replay these traces a cost profile is needed too, which this computer does not have yet: "
            f"`as2d calibrate` measures one, in {CalibrationPlan().lasts}."
        )


def newest_profile(target: str, drafter: str) -> tuple[Path, CostProfile]:
    """The newest profile of two models, by the SHA-256 of their model.json, on this computer, and its file.

    Raises:
        WrongUse: there is none.
    """
    found = CostProfiles(profiles_dir()).newest(target, drafter, this_computer().cpu)
    if found is None:
        raise WrongUse(
            "There is no cost profile of the traced models on this computer; "
            "measure one with `as2d calibrate` or name one with --profile."
        )
    return found
