"""A comparison as one HTML file that needs nothing from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence

from as2d.backend.bench.arms import PREPARED_AHEAD
from as2d.backend.compare.judging.judgement import CorpusTable, Judgement, Side, TextDifference
from as2d.backend.compare.judging.scopes import BASELINES
from as2d.backend.compare.reports.figures import acceptance, distribution, intervals, legend, scatter
from as2d.backend.compare.reports.markdown import NOTHING_DIFFERS, READING, verdict
from as2d.backend.compare.reports.parts import html_table, section, turned
from as2d.backend.compare.reports.rows import (
    corpus_title,
    count_rows,
    is_contestant,
    page_rows,
    percent,
    regime_tables,
    several_devices,
    side_labels,
    signed_percent,
)
from as2d.backend.compare.reports.style import stylesheet
from as2d.backend.compare.reports.timelines import strips, timelines, typical_window
from as2d.backend.runs.store import StoredRun
from as2d.backend.words import counted


def html_page(
    judgement: Judgement, runs: Sequence[StoredRun], check: Callable[[], None] = lambda: None
) -> str:
    """The report. `check` may raise to stop."""
    body = "".join(_body(judgement, runs, check))
    title = html.escape(_title(judgement))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{stylesheet()}</style></head>\n<body><main>{body}</main></body></html>\n"
    )


def _title(judgement: Judgement) -> str:
    name = judgement.names[0]
    nameless = len(judgement.names) > 1 or name.casefold() == "comparison"
    return "Comparison" if nameless else f"Comparison {name}"


def _body(judgement: Judgement, runs: Sequence[StoredRun], check: Callable[[], None]) -> Iterator[str]:
    yield _header(judgement, runs)
    yield "".join(f'<p class="caution">⚠ {html.escape(caution)}</p>' for caution in judgement.cautions)
    yield _differences(judgement)
    yield _badge(judgement)
    yield _cards(judgement)
    labels = side_labels(judgement, short=True)
    measured_twice = any(side.again for side in judgement.sides)
    yield section(
        "Speed-up against target-only, window by window",
        "The median of the windows' ratios of decode speed, with its 95 % bootstrap interval by recording."
        + (" Target-only measured twice (A/A) shows the noise." if measured_twice else ""),
        intervals(judgement.sides, labels),
    )
    rows = page_rows(judgement)
    for row, label in zip(rows, labels, strict=True):
        row["method"] = label
    yield section("All methods", READING, html_table(rows, "Methods of the comparison"))
    for corpora in judgement.tables:
        yield _corpus(judgement, labels, corpora)
    yield from _figures(judgement, labels)
    yield _timelines(judgement, labels, runs, check)
    counts = count_rows(judgement, labels)
    if counts:
        yield section(
            "Windows faster and slower than target-only",
            "Complete windows; losses are how much slower the slower ones are.",
            html_table(counts, "Windows against target-only"),
        )
    if judgement.regimes:
        tables = regime_tables(judgement, short=True)
        inside = "".join(
            (f"<h3>{html.escape(title)}</h3>" if title else "")
            + html_table(turned(rows), ", ".join(filter(None, ("Change by kind of window", title))))
            for title, rows in tables
        )
        yield section(
            "Change of decode speed by kind of window",
            "Median change against target-only and, in brackets, the middle half of the windows: how windows "
            "vary, not how certain the median is.",
            inside,
        )
    yield _texts(judgement, labels)
    yield _conditions(judgement, labels)
    yield _footer()


def _header(judgement: Judgement, runs: Sequence[StoredRun]) -> str:
    seconds = sum(window.end_s - window.start_s for window in judgement.windows)
    recordings = len({(window.corpus, window.recording) for window in judgement.windows})
    devices = ", ".join(dict.fromkeys(side.device for side in judgement.sides))
    targets = ", ".join(dict.fromkeys(side.target for side in judgement.sides))
    drafters = ", ".join(dict.fromkeys(side.drafter for side in judgement.sides if side.drafter is not None))
    created = min((run.manifest.created for run in runs), default="")
    words = [
        f"{counted(len(judgement.windows), 'window')} of {counted(recordings, 'recording')}",
        f"{seconds / 60:.1f} min of audio",
        devices,
        f"target {targets}" + (f", drafter {drafters}" if drafters else ""),
        created[:16].replace("T", " ") + " UTC",
    ]
    return (
        f"<header><h1>{html.escape(_title(judgement))}</h1><p>{html.escape(' · '.join(words))}</p></header>"
    )


def _badge(judgement: Judgement) -> str:
    sign, kind = {True: ("✓", "same"), False: ("≠", "other"), None: ("–", "none")}[judgement.identical]
    return (
        f'<div class="badge {kind}"><span aria-hidden="true">{sign}</span>'
        f"{html.escape(verdict(judgement))}</div>"
    )


def _differences(judgement: Judgement) -> str:
    inside = f"<p>{html.escape(NOTHING_DIFFERS)}</p>"
    if judgement.differences:
        rows: list[dict[str, object]] = []
        for item in judgement.differences:
            row: dict[str, object] = {"what": item.what}
            row.update(zip(judgement.names, item.values, strict=True))
            rows.append(row)
        inside = html_table(rows, "What the runs do not share", left=set(judgement.names))
    if judgement.notes:
        inside += "<ul>" + "".join(f"<li>{html.escape(note)}</li>" for note in judgement.notes) + "</ul>"
    return section("What is not the same", "How the runs were made; it may explain their numbers.", inside)


def _cards(judgement: Judgement) -> str:
    cards = []
    for corpora in judgement.tables:
        contestants = [
            row for row in corpora.rows if is_contestant(judgement.sides[row.side]) and row.tps[-1]
        ]
        if not contestants:
            continue
        row = max(contestants, key=lambda row: row.tps[-1] or 0.0)
        side, gain = judgement.sides[row.side], row.gains[-1]
        what = f"{side.method}, {corpora.start_condition}"
        if corpora.preparing == "ahead":
            what += f", {PREPARED_AHEAD}"
        if several_devices(judgement):
            what += f", {corpora.device}"
        if len(contestants) > 1:
            what += f"; the best of {len(contestants)} on these recordings"
        best = judgement.sides[gain.best].method if gain.best is not None else "the best baseline"
        cards.append((signed_percent(gain.over_alone), f"tokens/s over target-only: {what}"))
        cards.append((signed_percent(gain.over_best), f"over the best baseline ({best}): {what}"))
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card"><b>{html.escape(n)}</b><span>{html.escape(t)}</span></div>'
            for n, t in cards[:4]
        )
        + "</div>"
        if cards
        else ""
    )


def _corpus(judgement: Judgement, labels: Sequence[str], table: CorpusTable) -> str:
    parts = [
        '<div class="scroll"><table><caption>Pooled tokens/s; the fastest is bold, the best baseline '
        "underlined</caption>"
    ]
    fastest = [max((row.tps[n] or 0.0 for row in table.rows), default=0.0) for n in range(len(table.columns))]
    heads = "".join(
        f'<th scope="col">{html.escape(name)}<br>{counted(windows, "window")}</th>'
        for name, windows in zip(table.columns, table.windows, strict=True)
    )
    parts.append(f'<thead><tr><th scope="col">Method</th>{heads}</tr></thead><tbody>')
    for row in table.rows:
        cells = "".join(
            _speed(tps, fast=tps == most, top=best == row.side)
            for tps, most, best in zip(row.tps, fastest, table.best, strict=True)
        )
        parts.append(f'<tr><th scope="row">{html.escape(labels[row.side])}</th>{cells}</tr>')
    if any(speed is not None for speed in table.oracle):
        cells = "".join(f"<td>{'' if speed is None else f'{speed:.1f}'}</td>" for speed in table.oracle)
        parts.append(f'<tr class="sum"><th scope="row">Oracle of as2d and target-only</th>{cells}</tr>')
    for row in table.rows:
        side = judgement.sides[row.side]
        if not is_contestant(side):
            continue
        for title, name in (("over target-only", "over_alone"), ("over the best baseline", "over_best")):
            cells = "".join(f"<td>{signed_percent(getattr(gain, name))}</td>" for gain in row.gains)
            parts.append(
                f'<tr class="sum"><th scope="row">{html.escape(labels[row.side])} {title}</th>{cells}</tr>'
            )
    parts.append("</tbody></table></div>")
    return section(
        f"Speed by corpus: {corpus_title(judgement, table)}",
        "Windows that all rows decoded; ablations are no baselines.",
        "".join(parts),
    )


def _speed(tps: float | None, *, fast: bool, top: bool) -> str:
    looks = " ".join(name for name, given in (("fast", fast), ("top", top)) if given)
    text = "" if tps is None else f"{tps:.1f}"
    return f'<td class="{looks}">{text}</td>' if looks else f"<td>{text}</td>"


def _figures(judgement: Judgement, labels: Sequence[str]) -> Iterator[str]:
    for corpora in judgement.tables:
        rows = [row.side for row in corpora.rows]
        sides, names = [judgement.sides[row] for row in rows], [labels[row] for row in rows]
        yield section(
            f"Windows: {corpus_title(judgement, corpora)}",
            "Left: the share of windows decoded at most so fast; further right is faster. Right: each window "
            "against target-only (ablations left out); above the dashed line it is faster.",
            f'<div class="two"><div>{distribution(sides)}</div>'
            f"<div>{scatter(judgement, _leading(sides))}</div></div>"
            f"{legend(sides, names)}",
        )
    drafting = [
        (side, label)
        for side, label in zip(judgement.sides, labels, strict=True)
        if side.proposed and not _is_averaged(judgement, side)
    ]
    if drafting:
        halves = [drafting[::2], drafting[1::2]] if len(drafting) > 8 else [drafting]
        plots = "".join(
            f"<div>{acceptance([side for side, _ in half])}"
            f"{legend([side for side, _ in half], [label for _, label in half])}</div>"
            for half in halves
        )
        yield section(
            "Acceptance by position",
            "Accepted of proposed candidates at each place of a call; the first is behind the root.",
            f'<div class="two">{plots}</div>',
        )


def _leading(sides: Sequence[Side]) -> list[Side]:
    return [side for side in sides if side.method in BASELINES or is_contestant(side)]


def _is_averaged(judgement: Judgement, side: Side) -> bool:
    return any(judgement.sides[member] is side for other in judgement.sides for member in other.members)


def _timelines(
    judgement: Judgement, labels: Sequence[str], runs: Sequence[StoredRun], check: Callable[[], None]
) -> str:
    sides = [
        (side, label)
        for side, label in zip(judgement.sides, labels, strict=True)
        if not side.members and not side.again
    ]
    number = typical_window(judgement, [side for side, _ in sides])
    if number is None:
        return ""
    found = strips(judgement, sides, number, runs, check)
    if not found:
        return ""
    window = judgement.windows[number]
    return section(
        "One window, side by side",
        f"{window.recording}, {window.start_s:.1f} to {window.end_s:.1f} s: the middle one of the speed-ups "
        "of the fastest side, aligned at the request. Upper lane: the drafter. Lower lane: target calls, "
        "green as far as their candidates were accepted, blue where the target went alone.",
        timelines(found),
    )


def _texts(judgement: Judgement, labels: Sequence[str]) -> str:
    parts = []
    for side, label in zip(judgement.sides, labels, strict=True):
        if side.difference is not None and side.output_reference is not None:
            parts.append(_text(side, label, labels[side.output_reference], side.difference))
    if not parts:
        return ""
    return section("Where outputs differ", "The first difference of each method, both texts.", "".join(parts))


def _text(side: Side, label: str, reference: str, difference: TextDifference) -> str:
    where = f"{difference.recording} at {difference.start_s:.1f} s"
    if difference.position is not None:
        where += f", from token {difference.position} on"
    margins = [m for m in (difference.margin, difference.reference_margin) if m is not None]
    if margins:
        where += f"; margin of the logits there {' and '.join(f'{margin:.4g}' for margin in margins)}"
    one, two = (" ".join(text.split()) for text in (difference.text, difference.reference))
    cut = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    cut = one.rfind(" ", 0, cut) + 1
    quotes = "".join(
        f"<p>{html.escape(whose)}</p><blockquote>{html.escape(text[:cut])}"
        f"<mark>{html.escape(text[cut:])}</mark></blockquote>"
        for whose, text in ((label, one), (reference, two))
    )
    tokens = f" ({side.differing:,} of {side.compared:,} tokens)" if side.compared else ""
    return f"<h3>{html.escape(label)}: {html.escape(where)}{tokens}</h3>{quotes}"


def _conditions(judgement: Judgement, labels: Sequence[str]) -> str:
    several = several_devices(judgement)
    rows: list[dict[str, object]] = []
    for side, label in zip(judgement.sides, labels, strict=True):
        rows.append(
            {
                "method": label,
                "device": side.device if several else None,
                "max. K": side.max_k,
                "admission": side.admission,
                "start condition": side.start_condition,
                "windows": PREPARED_AHEAD if side.preparing == "ahead" else None,
                "target's threads": _threads(side.set_threads, side.threads, "drafter"),
                "drafter's threads": _threads(side.set_drafter_threads, side.drafter_threads, "target"),
                "placement": side.placement,
                "repeats": side.repeats,
                "hit rate": percent(side.hit_rate) if side.proposed else None,
                "guard calls": side.guard_calls,
                "replayed": "yes" if side.replayed else None,
            }
        )
    kept = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    inside = html_table([{name: row[name] for name in kept} for row in rows], "Conditions of each method")
    energy = next((side.no_energy for side in judgement.sides if side.no_energy is not None), None)
    if energy is not None:
        inside += f'<p class="about">Energy is not told: {html.escape(energy)}.</p>'
    about = (
        "Threads as they were set, by themselves and beside the other model; of runs that do not tell, those "
        "seen in the recorded calls."
    )
    return section("Conditions", about, inside)


def _threads(given: Sequence[int], seen: Sequence[int], other: str) -> str:
    if not given:
        return "–".join(map(str, seen))
    return str(given[0]) if len(set(given)) == 1 else f"{given[0]}, beside the {other} {given[1]}"


def _footer() -> str:
    return (
        "<footer>Every number comes from the recorded streams of the runs, which are in comparison.as2d "
        "beside this file: <code>as2d open comparison.as2d</code>. table.csv has all columns, windows.jsonl "
        "every window, trace.pftrace opens in the Perfetto UI.</footer>"
    )
