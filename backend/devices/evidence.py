"""What was measured on a device, with the files that say so: the evidence for how it decodes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.calibration.cost_profile import CostProfile, CostProfiles
from as2d.backend.errors import UserError
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import models_dir, profiles_dir
from as2d.backend.transcribe.profile import BudgetEntry, DeviceProfile, GapEntry, Kept


@dataclass(frozen=True)
class KeptCosts:
    """A cost profile with its file and the file's SHA-256."""

    profile: CostProfile
    path: Path
    digest: str


@dataclass(frozen=True)
class Measured:
    """What is known of two models on a processor; null where nothing was measured.

    `gaps` and `budgets` have one entry a number of threads and a helper, the newest first. `missing` is the
    model that is not installed, which nothing can be known of.
    """

    costs: KeptCosts | None = None
    gaps: tuple[Kept[GapEntry], ...] = ()
    budgets: tuple[Kept[BudgetEntry], ...] = ()
    missing: str | None = None


def measured_on(cpu: str, target: str, drafter: str | None) -> Measured:
    """What was measured with these models (names of the catalogue, or folders) on a processor."""
    store = ModelStore(models_dir())
    try:
        of_target = store.open(target).digest
    except UserError:
        return Measured(missing=target)
    profile = DeviceProfile(profiles_dir())
    gaps = tuple(profile.gaps_of(of_target, cpu))
    if drafter is None:
        return Measured(gaps=gaps)
    try:
        of_drafter = store.open(drafter).digest
    except UserError:
        return Measured(gaps=gaps, missing=drafter)
    found = CostProfiles(profiles_dir()).newest(of_target, of_drafter, cpu)
    costs = None
    if found is not None:
        path, costs_profile = found
        costs = KeptCosts(costs_profile, path, _digest(path))
    return Measured(costs, gaps, tuple(profile.budgets_of(of_target, of_drafter, cpu)))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:  # taken away since it was read
        return ""
