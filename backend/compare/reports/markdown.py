"""A comparison as a page of Markdown: what differs first, then the verdict on the outputs, then numbers."""

from __future__ import annotations

from collections.abc import Iterator

from as2d.backend.bench.tables import render_rows
from as2d.backend.compare.judging.judgement import Judgement, Side, TextDifference
from as2d.backend.compare.reports.rows import corpus_rows, corpus_title, count_rows, page_rows, regime_tables
from as2d.backend.words import counted

NOTHING_DIFFERS = "The runs share versions, models, device and settings."
READING = (
    "Speed-ups are medians over the windows of the ratio of decode speeds, against the first row and, where "
    "that is another one, against target-only; in brackets stands their 95 % bootstrap interval by recording "
    "(copies of a file count as one). Slower is the share of windows below target-only, worst the largest "
    "loss among them; without target-only both are against the first row. Tokens/s are pooled: tokens after "
    "the first over decode time, summed before dividing. Windows are those that a row decoded, in brackets "
    "those of them that the first row decoded too."
)


def markdown_page(judgement: Judgement) -> str:
    """The page, ending in a line feed."""
    return "\n\n".join(part.rstrip("\n") for part in _parts(judgement)) + "\n"


def difference_lines(judgement: Judgement) -> list[str]:
    """What the runs do not share, a sentence each."""
    lines = []
    for item in judgement.differences:
        values = ", ".join("none" if value is None else value for value in item.values)
        lines.append(f"Not the same: {item.what} ({values})")
    return lines


def output_lines(judgement: Judgement) -> list[str]:
    """Whether the outputs are identical; both texts where they are not."""
    lines = []
    for side in judgement.sides:
        if side.output_reference is None:
            continue
        reference = judgement.sides[side.output_reference]
        what = f"{side.name}, {side.arm}" if len(judgement.names) > 1 else side.arm
        if side.identical is None:
            lines.append(f"{what}: no window that {_other(judgement, reference)} has too.")
        elif side.difference is None:
            lines.append(f"{what}: identical output.{_compared(side)}")
        else:
            lines.append(_difference(what, side, side.difference, _other(judgement, reference)))
    return lines


def verdict(judgement: Judgement) -> str:
    """The outputs of all sides in one sentence."""
    compared = sum(side.compared for side in judgement.sides)
    differing = sum(side.differing for side in judgement.sides)
    other = [side for side in judgement.sides if side.identical is False]
    held = [side for side in judgement.sides if side.identical is not None]
    if not held:
        return "No window was decoded by two of them: there is nothing to hold against each other."
    if other:
        tokens = f" ({differing:,} of {compared:,} tokens)" if compared else ""
        return f"The outputs of {counted(len(other), 'side')} differ{tokens}."
    tokens = f": 0 of {compared:,} tokens differ" if compared else ""
    alone = counted(len(judgement.unpaired), "side")
    rest = f", but {alone} shared no window with what it is held against" if judgement.unpaired else ""
    return f"All outputs are identical{tokens}{rest}."


def _parts(judgement: Judgement) -> Iterator[str]:
    if judgement.cautions:
        yield "\n".join(f"> **{caution}**\n>" for caution in judgement.cautions).removesuffix("\n>")
    yield "## What is not the same"
    lines = difference_lines(judgement)
    yield (
        "\n".join(f"- {line.removeprefix('Not the same: ')}" for line in lines) if lines else NOTHING_DIFFERS
    )
    if judgement.notes:
        yield "\n".join(f"- {note}" for note in judgement.notes)
    yield "## Outputs"
    yield verdict(judgement)
    differing = [line for line in output_lines(judgement) if "identical output" not in line]
    if differing:
        yield "\n".join(f"- {line}" for line in differing)
    yield "## Sides"
    yield render_rows(page_rows(judgement), "md")
    yield READING
    for table in judgement.tables:
        windows = ", ".join(
            f"{name} {count}" for name, count in zip(table.columns, table.windows, strict=True)
        )
        yield f"## Tokens/s by corpus: {corpus_title(judgement, table)}"
        yield render_rows(corpus_rows(judgement, table), "md")
        yield f"Windows that all of these decoded: {windows}."
    counts = count_rows(judgement)
    if counts:
        yield "## Windows against target-only"
        yield render_rows(counts, "md")
    for title, rows in regime_tables(judgement):
        yield "## Change of decode speed against target-only, by kind of window" + (title and f": {title}")
        yield render_rows(rows, "md")


def _other(judgement: Judgement, reference: Side) -> str:
    return f"{reference.name}, {reference.arm}," if len(judgement.names) > 1 else reference.arm


def _compared(side: Side) -> str:
    return f" 0 of {side.compared:,} tokens differ." if side.compared else ""


def _difference(what: str, side: Side, difference: TextDifference, other: str) -> str:
    if difference.position is None:
        begin = f"{what}: other text in {difference.recording} at {difference.start_s:.1f} s"
    else:
        begin = (
            f"{what}: other output from token {difference.position} of {difference.recording} at "
            f"{difference.start_s:.1f} s on{_margins(difference)}, {side.differing:,} of {side.compared:,} "
            "tokens in all"
        )
    return f"{begin}:\n  {difference.text.strip()}\n  {difference.reference.strip()} ({other.rstrip(',')})"


def _margins(difference: TextDifference) -> str:
    margins = [
        f"{margin:.4g}" for margin in (difference.margin, difference.reference_margin) if margin is not None
    ]
    return f" (margin of the logits there: {' and '.join(margins)})" if margins else ""
