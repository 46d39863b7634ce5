"""The parts that a comparison's report is made of: sections and tables."""

from __future__ import annotations

import html
from collections.abc import Sequence

_LEFT_COLUMNS = {"run", "device", "method", "windows", "what", "side"}


def turned(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Sides down, groups across."""
    sides = dict.fromkeys(name for row in rows for name in row if name != "windows")
    turned: list[dict[str, object]] = []
    for side in sides:
        line: dict[str, object] = {"side": side}
        line.update({str(row["windows"]): row.get(side) for row in rows})
        turned.append(line)
    return turned


def section(title: str, about: str, inside: str) -> str:
    """A part of the page."""
    return (
        f'<section><h2>{html.escape(title)}</h2><p class="about">{html.escape(about)}</p>{inside}</section>'
    )


def html_table(rows: Sequence[dict[str, object]], caption: str, left: set[str] | None = None) -> str:
    """A table with a heading for each row and column; names of columns in `left` are texts."""
    names = list(rows[0]) if rows else []
    texts = _LEFT_COLUMNS | (left or set())
    heads = "".join(
        f'<th scope="col"{" class=t" if name in texts else ""}>{html.escape(name)}</th>' for name in names
    )
    parts = [
        f'<div class="scroll"><table aria-label="{html.escape(caption)}">'
        f"<thead><tr>{heads}</tr></thead><tbody>"
    ]
    for row in rows:
        cells = []
        for place, name in enumerate(names):
            text = html.escape(_cell(row[name]))
            if place == 0:
                cells.append(f'<th scope="row">{text}</th>')
            else:
                cells.append(f"<td{' class=t' if name in texts else ''}>{text}</td>")
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return "".join(parts) + "</tbody></table></div>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
