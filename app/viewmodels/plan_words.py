"""What a plan comes to, in words: how many decodes, why so many, and how long they may take. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.arm_names import methods_words
from as2d.app.viewmodels.clock import clock_text

if TYPE_CHECKING:
    from as2d.backend.bench.arms import Arm
    from as2d.backend.compare.plan import ComparePlan

_MINUTE_S, _HOUR_S = 60.0, 3600.0
_MOST_SECONDS = 95


@dataclass(frozen=True)
class Estimate:
    """`audio_s`: the length of a plan's recordings; `decodes` at least; `seconds` that they may take, null:
    nothing tells.
    """

    audio_s: float
    decodes: int
    seconds: float | None


def plan_words(plan: ComparePlan, estimate: Estimate | None, *, opened: bool) -> str:
    """What a plan comes to; `opened`: it is not the form's own."""
    from as2d.backend.compare.running.cells import cells_a_window

    each = cells_a_window(plan)
    parts = [
        tr(
            "Each window is decoded {times}: {ways} by turns, {repeats} each.",
            times=tr_count(each, "{n} time", "{n} times"),
            ways=tr_count(each // plan.rounds, "{n} way", "{n} ways"),
            repeats=tr_count(plan.rounds, "{n} time", "{n} times"),
        ),
        tr("They are {ways}.", ways="; ".join(_ways(plan))),
        _on_what(plan, estimate, opened=opened),
    ]
    if opened:
        parts.append(tr("The plan is run as it was opened, until something is changed here."))
    return reduce(lambda said, more: tr("{said} {more}", said=said, more=more), parts)


def rough_time(seconds: float) -> str:
    """A time that is only about right, in one line: 40 s, 12 min, 2.5 h."""
    if seconds < _MOST_SECONDS:
        said = tr("{n} s", n=max(10, 10 * round(seconds / 10)))
    elif seconds < 1.6 * _HOUR_S:
        said = tr("{n} min", n=round(seconds / _MINUTE_S))
    else:
        said = tr("{n} h", n=f"{round(2 * seconds / _HOUR_S) / 2:g}")
    return said.replace(" ", "\u00a0")


def _on_what(plan: ComparePlan, estimate: Estimate | None, *, opened: bool) -> str:
    """What is decoded, how often, and how long that may take, as far as it is known."""
    count = len(plan.recordings)
    if opened:
        on = tr_count(count, "{n} entry of the plan", "{n} entries of the plan")
    else:
        on = tr_count(count, "{n} recording of the list", "{n} recordings of the list")
    if len(plan.targets) > 1:
        on += " · " + tr("{n} targets", n=len(plan.targets))
    if len(plan.machines) > 1:
        on += " · " + tr("{n} devices", n=len(plan.machines))
    if estimate is None:
        return tr("On {what}.", what=on)
    told = {
        "what": on,
        "length": clock_text(estimate.audio_s),
        "decodes": tr_count(estimate.decodes, "{n} decode", "{n} decodes"),
    }
    if estimate.seconds is None:
        return tr("On {what}, {length} of audio: at least {decodes}.", **told)
    return tr(
        "On {what}, {length} of audio: at least {decodes}, about {time} by what decoding took there before.",
        time=rough_time(estimate.seconds),
        **told,
    )


def _ways(plan: ComparePlan) -> list[str]:
    """What is decoded by, each method once, with how many settings of it there are, and of what."""
    arms: dict[str, list[Arm]] = {}
    for arm in plan.arms():
        arms.setdefault(arm.method, []).append(arm)
    found = []
    for method, own in arms.items():
        drafters = len(plan.drafters) if own[0].drafts else 1
        count, name = len(own) * drafters, methods_words(method)
        found.append(f"{name} × {count} ({', '.join(_reasons(own, drafters))})" if count > 1 else name)
    return found


def _reasons(arms: Sequence[Arm], drafters: int) -> list[str]:
    """In what the settings of a method differ."""
    why = []
    budgets = list(dict.fromkeys(arm.budget for arm in arms))
    starts, admissions = {arm.start_condition for arm in arms}, {arm.admission for arm in arms}
    if any(arm.again for arm in arms):
        why.append(tr("the second shows the noise"))
    if len(budgets) > 1 and arms[0].group is not None:
        why.append(f"K = {', '.join(str(budget + 1) for budget in budgets)}")
    elif len(budgets) > 1:
        why.append(tr("budgets {list}", list=", ".join(map(str, budgets))))
    if len(starts) > 1:
        why.append(tr("{n} starts of drafting", n=len(starts)))
    if len(admissions) > 1:
        why.append(tr("{n} alignments", n=len(admissions)))
    if len({arm.preparing for arm in arms}) > 1:
        why.append(tr("with and without the next window prepared ahead"))
    if drafters > 1:
        why.append(tr("{n} drafters", n=drafters))
    return why
