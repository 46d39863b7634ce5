"""What a long run says beside its curves: its outputs, its heat, and why a curve is missing. Knows no Qt."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from as2d.app.translation import tr, tr_count, tr_marked
from as2d.app.viewmodels.arm_names import short_name
from as2d.app.viewmodels.sensors import (
    NO_BATTERY,
    NO_TEMPERATURE,
    NOT_CALIBRATED,
    ON_CHARGER,
    plain_reason,
)
from as2d.backend.sustained.fold import SustainedFold


def without_decodes(status: str) -> str:
    """What happened to a run that ended before anything was decoded that counts."""
    if status == "cancelled":
        return tr("It was stopped before its first decode that counts: there is nothing to tell.")
    if status == "failed":
        return tr("It failed before its first decode that counts; the messages say why.")
    return tr("It ended before its first decode that counts: there is nothing to tell.")


def counts(fold: SustainedFold) -> bool:
    """Whether decodes that count were held against others."""
    return fold.compared > 0 and len(fold.decodes) > 0


def outputs(fold: SustainedFold) -> str:
    other = fold.first_other
    if other is None:
        if not counts(fold):
            return ""
        n = len(fold.decodes)
        return tr_count(n, "Identical output in {n} decode", "Identical output in all {n} decodes")
    return tr(
        "{n} of {all} decodes have another output; first in {name}, from token {position} on, by {arm}",
        n=fold.differing,
        all=fold.compared,
        name=Path(other.audio).name,
        position=other.position,
        arm=short_name(other.arm),
    )


def heat(fold: SustainedFold) -> str:
    values = [value for value in fold.temperature.values if not math.isnan(value)]
    if fold.start_celsius is None or not values:
        return ""
    return tr(
        "{start} °C at the begin, {hottest} °C at most ({zone})",
        start=f"{fold.start_celsius:.1f}",
        hottest=f"{max(values):.1f}",
        zone=fold.hottest_zone,
    )


def missing(fold: SustainedFold) -> str:
    """What is not drawn, and why."""
    if fold.parts == 0:
        return ""
    told = []
    if not len(fold.temperature.values):
        told.append((tr("Temperature"), plain_reason(fold.missing.get("thermal"), NO_TEMPERATURE)))
    power = fold.power
    if power is None or not np.isfinite(power).any():
        keys = ("battery", "battery.current_raw", "battery.voltage_uv")
        told_why = next((fold.missing[key] for key in keys if key in fold.missing), None)
        reason = plain_reason(told_why, NO_BATTERY)
        if fold.charging:
            reason = ON_CHARGER
        elif power is None and fold.raw_power_known:
            reason = NOT_CALIBRATED
        told.append((tr("Power"), reason))
    return "  ·  ".join(
        tr("{what} not available: {why}", what=name, why=tr_marked(reason)) for name, reason in told
    )
