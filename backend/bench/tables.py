"""Benchmark results as Markdown, CSV or JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

Rows = Sequence[Mapping[str, object]]
TableFormat = Literal["md", "csv", "jsonl"]
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)


def render_rows(rows: Rows, form: TableFormat) -> str:
    """Rows in a format, ending in a line feed; a field that a row lacks or has no value of is left empty."""
    match form:
        case "md":
            return _markdown(rows)
        case "csv":
            return _csv(rows)
        case "jsonl":
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _markdown(rows: Rows) -> str:
    if not rows:
        return ""
    names = _names(rows)
    rows = [{name: row.get(name) for name in names} for row in rows]
    cells = [names, *[[_cell(row[name]) for name in names] for row in rows]]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    numeric = [all(_is_number(row[name]) for row in rows) for name in names]
    lines = [_line(cells[0], widths, numeric)]
    rule = (
        "-" * (width - 1) + ":" if right else "-" * width
        for width, right in zip(widths, numeric, strict=True)
    )
    lines.append("| " + " | ".join(rule) + " |")
    lines += [_line(line, widths, numeric) for line in cells[1:]]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return "| " + " | ".join(padded) + " |"


def _names(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Rows) -> str:
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=_names(rows), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _csv_value(value) for name, value in row.items()})
    return text.getvalue()


def _csv_value(value: object) -> object:
    """Lists as their values with blanks between them; one without a value is empty. Yes and no as in JSON."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        if all(item is None for item in value):
            return ""
        return " ".join("" if item is None else str(item) for item in value)
    return value


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return str(value)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
