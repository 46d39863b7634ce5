"""What a phone's battery current means, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import later, tr, tr_marked
from as2d.app.viewmodels.device_facts import Fact

if TYPE_CHECKING:
    from as2d.backend.energy.calibration import CurrentCalibration

_CONFIDENCE = {
    "none": later("none"),
    "low": later("low"),
    "medium": later("medium"),
    "high": later("high"),
    "given": later("given by you"),
}


@dataclass(frozen=True)
class BatteryView:
    """`known`: watts can be shown; `evidence` are the backend's sentences."""

    known: bool
    facts: tuple[Fact, ...]
    evidence: tuple[str, ...]


def battery_view(calibration: CurrentCalibration | None) -> BatteryView:
    """What is known of a battery current; None: nothing."""
    if calibration is None:
        return BatteryView(False, (), ())
    sign = calibration.discharging_sign
    facts = [
        Fact(tr("Unit"), {"uA": "µA", "mA": "mA"}.get(calibration.unit or "", tr("not known"))),
        Fact(
            tr("Sign"),
            tr("not known") if sign is None else tr("positive while it empties") if sign > 0
            else tr("negative while it empties"),
        ),
    ]  # fmt: skip
    if calibration.refresh_s is not None:
        facts.append(Fact(tr("New value every"), f"{calibration.refresh_s:.2f} s"))
    facts.append(Fact(tr("Confidence"), tr_marked(_CONFIDENCE[calibration.confidence])))
    if calibration.counter_ratio is not None:
        facts.append(Fact(tr("Charge counter"), f"× {calibration.counter_ratio:.2f}"))
    known = calibration.unit is not None and sign is not None
    evidence = () if calibration.confidence == "given" else calibration.evidence
    return BatteryView(known, tuple(facts), evidence)
