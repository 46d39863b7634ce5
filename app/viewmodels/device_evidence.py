"""The budget of a device and the guard's logit gap, each with the measurement that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.device_costs import DIGEST_SHOWN
from as2d.app.viewmodels.device_facts import Fact
from as2d.app.viewmodels.moments import moment_text
from as2d.backend.transcribe.methods import DEFAULT_BUDGET

if TYPE_CHECKING:
    from as2d.backend.devices.evidence import Measured
    from as2d.backend.transcribe.profile import BudgetEntry, GapEntry, Kept

_FEW_WINDOWS = 5


@dataclass(frozen=True)
class Rate:
    """A budget that was measured; `share` is its speed relative to the fastest."""

    budget: int
    tps: float
    share: float
    chosen: bool


@dataclass(frozen=True)
class BudgetView:
    """The budget in force. `rates` are of all that were measured; `weak` says why to measure again."""

    budget: int
    headline: str
    facts: tuple[Fact, ...]
    rates: tuple[Rate, ...]
    weak: str


def budget_view(measured: Measured, threads: int | None, given: int | None = None) -> BudgetView:
    """The budget of a target with so many threads (None: any); `given`: the one that the user set."""
    fitting = [kept for kept in measured.budgets if threads is None or kept.entry.key.threads == threads]
    if not fitting:
        text = (
            tr("This is the default: nothing was measured on this device yet.")
            if given is None
            else tr("It was set in the bar above; nothing was measured on this device yet.")
        )
        return BudgetView(DEFAULT_BUDGET if given is None else given, text, (), (), "")
    kept = fitting[0]
    entry = kept.entry
    if given is not None:
        text = tr("It was set in the bar above; measured as the fastest on this device: {n}.", n=entry.budget)
        return BudgetView(given, text, _facts(kept), _rates(entry), _weakness(entry))
    return BudgetView(entry.budget, _headline(entry), _facts(kept), _rates(entry), _weakness(entry))


def gap_facts(measured: Measured, helper: str | None, threads: int | None) -> list[Fact]:
    """The guard's logit gap: of this helper if it was tested, else the newest; empty: never tested."""
    found = [kept for kept in measured.gaps if threads is None or kept.entry.key.threads == threads]
    exact = [kept for kept in found if kept.entry.key.helper == helper]
    if not found:
        return []
    kept = (exact or found)[0]
    entry: GapEntry = kept.entry
    facts = [
        Fact(
            tr("Gap"),
            tr("{gap} logits", gap=f"{entry.logit_gap:.6f}"),
            tr("over {n} positions", n=f"{entry.positions:,}"),
        ),
        Fact(tr("Checked below"), tr("{gap} logits", gap=f"{8 * entry.logit_gap:.6f}")),
        Fact(tr("Measured"), moment_text(entry.measured)),
        Fact(tr("File"), kept.path.name, f"sha256 {kept.digest[:DIGEST_SHOWN]}"),
    ]
    if helper is not None and not exact:
        facts.append(Fact(tr("Helper"), entry.key.helper, tr("another one; the next run tests anew")))
    return facts


def _headline(entry: BudgetEntry) -> str:
    speed = tr("{tps} tokens/s", tps=f"{entry.tps:.1f}")
    if entry.target_only_tps:
        ratio = entry.tps / entry.target_only_tps
        return tr("{speed}, {ratio} times target-only", speed=speed, ratio=f"{ratio:.2f}")
    return speed


def _facts(kept: Kept[BudgetEntry]) -> tuple[Fact, ...]:
    entry = kept.entry
    windows = tr_count(entry.windows, "{n} window", "{n} windows")
    repeats = "" if entry.repeats is None else tr_count(entry.repeats, "{n} repeat", "{n} repeats")
    facts = [
        Fact(tr("Measured"), moment_text(entry.measured)),
        Fact(tr("On"), windows, repeats),
        Fact(tr("Threads"), str(entry.key.threads)),
    ]
    if entry.run is not None:
        facts.append(Fact(tr("Run"), entry.run))
    facts.append(Fact(tr("File"), kept.path.name, f"sha256 {kept.digest[:DIGEST_SHOWN]}"))
    return tuple(facts)


def _rates(entry: BudgetEntry) -> tuple[Rate, ...]:
    best = max((rate.tps for rate in entry.rates), default=0.0)
    return tuple(
        Rate(rate.budget, rate.tps, rate.tps / best if best else 0.0, rate.budget == entry.budget)
        for rate in sorted(entry.rates, key=lambda rate: rate.budget)
    )


def _weakness(entry: BudgetEntry) -> str:
    if entry.windows >= _FEW_WINDOWS:
        return ""
    return tr("This rests on few windows: put more recordings into the list and choose again.")
