"""The measured cost of target calls by their width K, out of a device's cost profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.device_facts import Fact
from as2d.app.viewmodels.moments import moment_text

if TYPE_CHECKING:
    from as2d.backend.calibration.cost_profile import CostProfile, StepCost
    from as2d.backend.devices.evidence import KeptCosts

_CONTEXT = 60
_WHOLE_SECONDS = 30.0
DIGEST_SHOWN = 12


@dataclass(frozen=True)
class CostLine:
    """Calls of one thread setting: median and standard error of the mean by width K, in ms."""

    name: str
    threads: int
    points: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True)
class CostTable:
    """What is drawn and listed. `context` is in tokens; `headline` says what wide calls cost."""

    lines: tuple[CostLine, ...]
    context: int
    headline: str

    @property
    def widths(self) -> list[int]:
        """All widths K."""
        return sorted({k for line in self.lines for k, _, _ in line.points})


def cost_table(profile: CostProfile) -> CostTable:
    """The calls at the context nearest to 60 tokens, of the target alone and beside the drafter."""
    context = min({cost.context for cost in profile.target_calls}, key=lambda place: abs(place - _CONTEXT))
    lines = []
    settings = [(profile.threads, tr("alone"))]
    if profile.shared_threads != profile.threads:
        settings.append((profile.shared_threads, tr("beside the drafter")))
    for threads, place in settings:
        points = _points(profile, threads, context)
        if points:
            count = tr_count(threads, "{n} thread", "{n} threads")
            lines.append(CostLine(f"{place}, {count}", threads, points))
    return CostTable(tuple(lines), context, _headline(lines))


def cost_facts(kept: KeptCosts) -> list[Fact]:
    """What else was measured, and the evidence: when, how often, in which file."""
    profile = kept.profile
    facts = [
        Fact(
            tr("Shown"),
            tr("median ± standard error"),
            tr("{n} tokens of context", n=cost_table(profile).context),
        )
    ]
    step = _nearest(profile.drafter_steps, profile.drafter_shared_threads)
    if step is not None:
        facts.append(Fact(tr("Drafter step"), f"{step.ms_median:.1f} ms"))
    for model, name in (("target", tr("Target encoder")), ("drafter", tr("Drafter encoder"))):
        encoders = [cost for cost in profile.encoders if cost.model == model]
        if encoders:
            found = max(encoders, key=lambda cost: (cost.seconds, cost.threads))
            ms = found.encoder_ms + found.cross_ms
            facts.append(Fact(name, tr("{ms} ms for {s} s", ms=f"{ms:.0f}", s=f"{found.seconds:.0f}")))
    both = profile.interference
    facts.append(
        Fact(
            tr("Both at once"),
            tr(
                "target × {target}, drafter × {drafter}",
                target=f"{both.target:.2f}",
                drafter=f"{both.drafter:.2f}",
            ),
        )
    )
    facts.append(
        Fact(
            tr("Measured"),
            moment_text(profile.measured),
            tr_count(profile.repeats, "{n} repeat", "{n} repeats")
            + (f" · {tr('quick, to try things out')}" if profile.quick else ""),
        )
    )
    facts.append(Fact(tr("File"), kept.path.name, f"sha256 {kept.digest[:DIGEST_SHOWN]}"))
    return facts


def _points(profile: CostProfile, threads: int, context: int) -> tuple[tuple[int, float, float], ...]:
    root = math.sqrt(profile.repeats)
    found = [cost for cost in profile.target_calls if cost.threads == threads and cost.context == context]
    return tuple(
        (cost.k, cost.ms_median, cost.ms_deviation / root) for cost in sorted(found, key=lambda cost: cost.k)
    )


def _nearest(costs: Sequence[StepCost], threads: int) -> StepCost | None:
    """One step of one token in the middle of what was measured."""
    found = [cost for cost in costs if cost.k == 1 and cost.threads == threads]
    return min(found, key=lambda cost: (abs(cost.context - _CONTEXT), cost.seconds), default=None)


def _headline(lines: Sequence[CostLine]) -> str:
    if not lines:
        return ""
    by_width = {k: ms for k, ms, _ in lines[0].points}
    wide = max((k for k in by_width if k <= 5), default=1)
    if 1 not in by_width or wide == 1 or by_width[1] <= 0:
        return ""
    ratio = by_width[wide] / by_width[1]
    return tr("{k} tokens in one call cost {ratio} times as much as one.", k=wide, ratio=f"{ratio:.2f}")
