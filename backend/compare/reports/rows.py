"""A comparison as tables: what csv, jsonl and Markdown show of sides, corpora, regimes and windows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from as2d.backend.bench.arms import PREPARED_AHEAD
from as2d.backend.compare.judging.judgement import (
    CorpusTable,
    ErrorRate,
    Judgement,
    Paired,
    Regime,
    Side,
)

Row = dict[str, object]
_NESTED = {"first", "alone", "figures", "difference", "wer", "cer"}
REFERENCE = "reference"
_THREADS = re.compile(r" \(\d+ threads?(, drafter \d+)?\)")


def full_row(side: Side) -> Row:
    """Everything about a side that is a number or a name; columns end in their units where they have one.

    `speed_up` and what follows it is against the first side, `alone_…` against target-only.
    """
    first, alone = side.first, side.alone
    row: Row = side.model_dump(exclude=_NESTED)
    row |= {
        "common": first.windows if first is not None else 0,
        "speed_up": first.speed_up if first is not None else None,
        "speed_up_low": first.low if first is not None else None,
        "speed_up_high": first.high if first is not None else None,
        "slower_share": first.slower_share if first is not None else None,
    }
    for name in Paired.model_fields:
        row[f"alone_{name}"] = getattr(alone, name) if alone is not None else None
    for name in ("wer", "cer"):
        rate: ErrorRate | None = getattr(side, name)
        row[name] = rate.rate if rate is not None else None
        row[f"{name}_errors"] = rate.errors if rate is not None else None
        row[f"{name}_length"] = rate.length if rate is not None else None
    return row


def side_labels(judgement: Judgement, *, short: bool = False) -> list[str]:
    """What sides are called, each by a name of its own: its arm, and its run where there are several.
    `short`: without the threads, where all target calls share them.
    """
    several = len(judgement.names) > 1
    full = [f"{side.name}: {side.arm}" if several else side.arm for side in judgement.sides]
    labels = list(full)
    if short and len({side.threads[-1:] for side in judgement.sides}) == 1:
        labels = [_THREADS.sub("", label, 1) for label in full]
        labels = [
            label if labels.count(label) == 1 else whole for label, whole in zip(labels, full, strict=True)
        ]
    return [
        label if labels.count(label) == 1 else f"{label} [{number}]"
        for number, label in enumerate(labels, start=1)
    ]


def several_devices(judgement: Judgement) -> bool:
    """Whether a side must be told with its device."""
    return len({side.device for side in judgement.sides}) > 1


def page_rows(judgement: Judgement) -> list[Row]:
    """The figures that lead, for a page; columns in which no side has anything are left out."""
    rows = [_page_row(judgement, number) for number in range(len(judgement.sides))]
    filled = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    if len(judgement.names) == 1:
        filled.remove("run")
    if not several_devices(judgement):
        filled.remove("device")
    return [{name: row[name] for name in filled} for row in rows]


def _page_row(judgement: Judgement, number: int) -> Row:
    side = judgement.sides[number]
    held = judgement.held(number)
    return {
        "run": side.name,
        "device": side.device,
        "method": side.arm,
        "max K": side.max_k,
        "speed-up": REFERENCE if held is None else interval(held),
        "to the first row": interval(judgement.across(number)),
        "slower": percent(held.slower_share) if held is not None else "",
        "worst": percent(held.loss_max) if held is not None else "",
        "tokens/s": speed(side),
        "response ms": side.response_ms,
        "from drop ms": side.drop_ms,
        "first token ms": side.first_token_ms,
        "J/token": side.joules_per_token,
        "accept.": side.acceptance,
        "hits": percent(side.hit_rate) if side.proposed else "",
        "tok/call": side.tokens_per_call,
        "calls": side.calls,
        "extra": side.extra,
        "WER": error_rate(side.wer),
        "CER": error_rate(side.cer),
        "windows": str(side.windows) if number == 0 else f"{side.windows} ({_common(side)})",
    }


def interval(paired: Paired | None) -> str:
    """A speed-up with its interval."""
    if paired is None or paired.speed_up is None:
        return ""
    if paired.low is None or paired.high is None:
        return f"{paired.speed_up:.2f}"
    return f"{paired.speed_up:.2f} ({paired.low:.2f}–{paired.high:.2f})"


def speed(side: Side) -> str:
    """A pooled speed; of a mean with its range."""
    if side.tps is None:
        return ""
    if side.tps_low is None or side.tps_high is None:
        return f"{side.tps:.1f}"
    return f"{side.tps:.1f} ({side.tps_low:.1f}–{side.tps_high:.1f})"


def percent(share: float | None, digits: int = 0) -> str:
    """A share in percent; empty: not known."""
    return "" if share is None else f"{100 * share:.{digits}f} %"


def signed_percent(share: float | None) -> str:
    """A change in percent with its sign; empty: not known."""
    return "" if share is None else minus(f"{100 * share:+.1f} %")


def minus(text: str) -> str:
    """Numbers with the sign that is as wide as a plus."""
    return text.replace("-", "−")


def error_rate(rate: ErrorRate | None) -> str:
    """An error rate in percent; empty: no reference text."""
    return "" if rate is None else percent(rate.rate, 1)


def _common(side: Side) -> int:
    return side.first.windows if side.first is not None else 0


def corpus_title(judgement: Judgement, table: CorpusTable) -> str:
    """What a table by corpus is of: device, target, start condition and whether windows were prepared ahead,
    and the run where that is not all.
    """

    def known(one: CorpusTable) -> tuple[str | None, ...]:
        ahead = PREPARED_AHEAD if one.preparing == "ahead" else None
        return one.device, one.target, one.start_condition, ahead

    words = [word for word in known(table) if word is not None]
    if sum(known(other) == known(table) for other in judgement.tables) > 1:
        words.append(judgement.sides[table.rows[0].side].name)
    return ", ".join(words)


def corpus_rows(judgement: Judgement, table: CorpusTable) -> list[Row]:
    """A table by corpus: speeds, then the oracle, then the gains of what is no baseline."""
    labels = side_labels(judgement)
    rows = []
    for row in table.rows:
        tops = [number == row.side for number in table.best]
        cells = [
            f"{_tps(tps)}{' (best baseline)' if top else ''}" for tps, top in zip(row.tps, tops, strict=True)
        ]
        rows.append(_corpus_row(labels[row.side], table, cells))
    if any(speed is not None for speed in table.oracle):
        rows.append(_corpus_row("oracle of as2d and target-only", table, [_tps(tps) for tps in table.oracle]))
    for row in table.rows:
        side = judgement.sides[row.side]
        if is_contestant(side):
            alone = [signed_percent(gain.over_alone) for gain in row.gains]
            best = [signed_percent(gain.over_best) for gain in row.gains]
            rows.append(_corpus_row(f"{labels[row.side]} over target-only", table, alone))
            rows.append(_corpus_row(f"{labels[row.side]} over the best baseline", table, best))
    return rows


def _corpus_row(name: str, table: CorpusTable, cells: Sequence[str]) -> Row:
    row: Row = {"": name}
    row.update(zip(table.columns, cells, strict=True))
    return row


def is_contestant(side: Side) -> bool:
    """Whether a side's gain is told: it is neither a baseline nor an ablation."""
    return side.method in ("as2d", "as2d-resync")


def _tps(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def regime_tables(judgement: Judgement, *, short: bool = False) -> list[tuple[str, list[Row]]]:
    """A table for each target-only that sides are held against, with what tells it from the others (empty:
    it is the only one). Groups of windows are its rows and sides, called as in `side_labels`, its columns:
    median change and its middle half.
    """
    labels = side_labels(judgement, short=short)
    by_alone: dict[int, list[Regime]] = {}
    for regime in judgement.regimes:
        held = judgement.sides[regime.rows[0].side].alone
        by_alone.setdefault(held.reference if held is not None else 0, []).append(regime)
    tables = []
    for alone, regimes in by_alone.items():
        title = f"{regimes[0].device}, {regimes[0].target}, against {labels[alone]}"
        tables.append((title if len(by_alone) > 1 else "", [_regime_row(one, labels) for one in regimes]))
    return tables


def _regime_row(regime: Regime, labels: Sequence[str]) -> Row:
    row: Row = {"windows": f"{regime_name(regime)} ({regime.windows})"}
    for part in regime.rows:
        cell = minus(f"{100 * part.median:+.0f} % [{100 * part.q1:+.0f}, {100 * part.q3:+.0f}]")
        row[labels[part.side]] = cell
    return row


def regime_name(regime: Regime) -> str:
    """A group in words."""
    if regime.low is None or regime.high is None:
        return regime.name
    return f"{regime.name} (acceptance {regime.low:.2f} to {regime.high:.2f})"


def count_rows(judgement: Judgement, labels: Sequence[str] | None = None) -> list[Row]:
    """Windows faster and slower than target-only, as the paper's table 12; with the noise: A/A. `labels`:
    what sides are called, else by their arms.
    """
    rows: list[Row] = []
    for number, side in enumerate(judgement.sides):
        alone = side.alone
        if alone is None or any(
            side is judgement.sides[member] for other in judgement.sides for member in other.members
        ):
            continue
        row: Row = {"run": side.name} if len(judgement.names) > 1 else {}
        if several_devices(judgement):
            row["device"] = side.device
        label = side.arm if labels is None else labels[number]
        rows.append(
            row
            | {
                "method": f"{label}{' (A/A: the noise)' if side.again else ''}",
                "faster": alone.faster,
                "slower": alone.slower,
                "median loss": percent(alone.loss_median, 1),
                "largest loss": percent(alone.loss_max, 1),
                "median change": signed_percent(alone.speed_up - 1 if alone.speed_up is not None else None),
                "middle half": _middle(alone),
                "gain, pooled": signed_percent(alone.gain),
            }
        )
    return rows


def _middle(paired: Paired) -> str:
    if paired.change_q1 is None or paired.change_q3 is None:
        return ""
    return minus(f"{100 * paired.change_q1:+.0f} to {100 * paired.change_q3:+.0f} %")


def window_rows(judgement: Judgement) -> Iterator[Row]:
    """One row a window and side that decoded it (`side`: its number from 0); means of widths are left out."""
    for number, window in enumerate(judgement.windows):
        place = window.model_dump()
        for index, side in enumerate(judgement.sides):
            figures = side.figures
            if side.members or figures.tokens[number] is None:
                continue
            held = side.alone.reference if side.alone is not None else 0
            other = judgement.sides[held].figures.tps[number]
            own = figures.tps[number]
            row: Row = place | {
                "side": index,
                "run": side.name,
                "device": side.device,
                "target": side.target,
                "arm": side.arm,
                "method": side.method,
            }
            for name in type(figures).model_fields:
                row[name] = getattr(figures, name)[number]
            row["reference"] = judgement.sides[held].arm
            row["speed_up"] = own / other if own is not None and other else None
            yield row
