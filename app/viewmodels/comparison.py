"""A comparison as the window shows it: what differs, one row a side, and the verdict on the outputs. Knows no
Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.comparison_words import field_words

if TYPE_CHECKING:
    from as2d.backend.compare.judging.judgement import Judgement, Paired, Side, TextDifference

UNKNOWN = "–"
"""In place of a value that there is not."""


@dataclass(frozen=True)
class ComparisonView:
    """`heads` and `rows` of the table of sides, `about` what each column is; `differences`: what the runs do
    not share, first its name, then a value a run; `verdict` on the outputs, `same` whether they are
    identical (None: nothing was decoded by two); `texts` are where they first differ: whose text, what is the
    same, and what follows.
    """

    heads: tuple[str, ...]
    about: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    runs: tuple[str, ...]
    differences: tuple[tuple[str, ...], ...]
    verdict: str
    same: bool | None
    texts: tuple[tuple[str, str, str], ...]


def comparison_view(compared: Judgement) -> ComparisonView:
    """The texts of a comparison in the window's language."""
    columns: tuple[tuple[str, str], ...] = (
        (tr("Run"), tr("The run, by its name.")),
        (tr("Method"), tr("How it was decoded; a benchmark has several.")),
        (
            tr("Speed-up"),
            tr(
                "Median over the windows of the speed against target-only under the same condition, else "
                "the first row, with its 95 % bootstrap interval by recording."
            ),
        ),
        (tr("Slower"), tr("Share of the windows that were decoded more slowly than by that.")),
        (tr("Tokens/s"), tr("Decode speed, pooled over all windows.")),
        (tr("Response"), tr("Median time from the request to the end of the text.")),
        (
            tr("J/token"),
            tr(
                "Energy a token over the response, where every request could be measured and no draft was "
                "made before it."
            ),
        ),
        (tr("Acceptance"), tr("Accepted of proposed candidates.")),
        (tr("Calls"), tr("Target calls, guard calls left out.")),
        (tr("Extra"), tr("Tokens that cost no call of their own.")),
        (tr("Windows"), tr("Decoded windows; in brackets those that the first row has too.")),
    )
    across = [compared.across(place) for place in range(len(compared.sides))]
    rows = [_row(compared, place, arm) for place, arm in enumerate(arms_of(compared))]
    if any(across):
        about = tr("Median over the windows of the speed against the first row.")
        columns += ((tr("To the first row"), about),)
        rows = [
            (*row, UNKNOWN if one is None else _speed_up(one)) for row, one in zip(rows, across, strict=True)
        ]
    held = [side for side in compared.sides if side.identical is not None]
    other = next((side for side in held if side.difference is not None), None)
    first = other.difference if other is not None else None
    return ComparisonView(
        heads=tuple(name for name, _ in columns),
        about=tuple(text for _, text in columns),
        rows=tuple(rows),
        runs=compared.names,
        differences=tuple(
            (field_words(item.what), *(value if value is not None else UNKNOWN for value in item.values))
            for item in compared.differences
        ),
        verdict=_verdict(compared, held, first),
        same=compared.identical,
        texts=_difference_texts(compared, other, first),
    )


def _difference_texts(
    compared: Judgement, other: Side | None, first: TextDifference | None
) -> tuple[tuple[str, str, str], ...]:
    if other is None or first is None or other.output_reference is None:
        return ()
    return _texts(compared.sides[other.output_reference], other, first)


def _texts(
    reference: Side, other: Side, difference: TextDifference
) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Both texts, cut in front of the first word that is not the same."""
    one, two = " ".join(difference.reference.split()), " ".join(difference.text.split())
    same = next((place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    cut = one.rfind(" ", 0, min(len(one), len(two)) if same is None else same) + 1
    return (
        (f"{reference.name}, {reference.arm}", one[:cut], one[cut:]),
        (f"{other.name}, {other.arm}", two[:cut], two[cut:]),
    )


def arms_of(compared: Judgement) -> list[str]:
    """The arms of all sides, without their threads where these do not tell any apart."""
    short = [side.arm.partition(" (")[0] for side in compared.sides]
    told = {(side.name, side.target, arm) for side, arm in zip(compared.sides, short, strict=True)}
    return short if len(told) == len(short) else [side.arm for side in compared.sides]


def _row(compared: Judgement, place: int, arm: str) -> tuple[str, ...]:
    side = compared.sides[place]
    held, first = compared.held(place), side.first
    return (
        side.name,
        arm,
        tr("reference") if held is None else _speed_up(held),
        _number(_hundredfold(held.slower_share if held is not None else None), "{:.0f} %"),
        _number(side.tps, "{:.1f}"),
        _number(side.response_ms, "{:.0f} ms"),
        _number(side.joules_per_token, "{:.2f} J"),
        _number(_hundredfold(side.acceptance), "{:.0f} %"),
        str(side.calls),
        str(side.extra),
        str(side.windows) if place == 0 else f"{side.windows} ({first.windows if first is not None else 0})",
    )


def _speed_up(paired: Paired) -> str:
    interval = ""
    if paired.low is not None and paired.high is not None:
        interval = f" ({paired.low:.2f}–{paired.high:.2f})"
    return _number(paired.speed_up, "{:.2f} ×") + interval


def _verdict(compared: Judgement, held: list[Side], first: TextDifference | None) -> str:
    if not held:
        return tr("No window was decoded by two of them: there is nothing to hold against each other.")
    if first is None:
        common = [sum(same is not None for same in side.figures.identical) for side in held]
        fewest, most = min(common), max(common)
        without = len(compared.unpaired)
        if without:
            return tr_count(
                without,
                "Identical output, but {n} row shares no window with the first",
                "Identical output, but {n} rows share no window with the first",
            )
        if fewest < most:
            return tr(
                "Identical output wherever the first row decoded the same window: {fewest} to {most} windows",
                fewest=fewest,
                most=most,
            )
        return tr_count(most, "Identical output in {n} window", "Identical output in all {n} windows")
    seconds = f"{first.start_s:.1f}"
    if first.position is None:
        return tr("The outputs differ: in {name} at {seconds} s", name=first.recording, seconds=seconds)
    return tr(
        "The outputs differ: in {name} at {seconds} s, from token {position} on",
        name=first.recording,
        seconds=seconds,
        position=first.position,
    )


def _hundredfold(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _number(value: float | None, form: str) -> str:
    return UNKNOWN if value is None else form.format(value)
