"""The figures of a comparison's report, as SVG that takes its colours from the page."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from as2d.backend.compare.judging.judgement import Judgement, Side
from as2d.backend.compare.reports.style import colour, dashes
from as2d.backend.metrics.distributions import ecdf

_W, _H = 520, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 12, 40
_MOST_TITLES = 3000


def ticks(low: float, high: float, wanted: int = 6, least: float = 0.0) -> list[float]:
    """Round values from `low` to `high`, at least `least` apart."""
    span = high - low
    if span <= 0:
        return [low]
    raw = max(span / wanted, least)
    unit = 10 ** math.floor(math.log10(raw))
    step = next((m * unit for m in (1, 2, 5) if m * unit >= raw), 10 * unit)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 10) for n in range(first, math.floor(high / step + 1e-9) + 1)]


class Plot:
    """Axes of a plot; what is drawn is given in values."""

    def __init__(
        self,
        about: str,
        x: tuple[float, float],
        y: tuple[float, float],
        names: tuple[str, str],
        *,
        counts: bool = False,
    ) -> None:
        """`counts`: along x there are whole numbers only."""
        self._x, self._y = x, y
        self._parts: list[str] = []
        self._about = about
        for value in ticks(*x, least=1.0 if counts else 0.0):
            at = self.x(value)
            self._parts.append(
                _line(at, _TOP, at, _H - _BOTTOM, "grid") + _text(at, _H - _BOTTOM + 16, f"{value:g}")
            )
        for value in ticks(*y):
            at = self.y(value)
            self._parts.append(
                _line(_LEFT, at, _W - _RIGHT, at, "grid") + _text(_LEFT - 6, at + 4, f"{value:g}", "end")
            )
        self._parts.append(_text((_LEFT + _W - _RIGHT) / 2, _H - 6, names[0]))
        middle = (_TOP + _H - _BOTTOM) / 2
        self._parts.append(
            f'<text x="12" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 12 {middle:.1f})">'
            f"{html.escape(names[1])}</text>"
        )

    def x(self, value: float) -> float:
        """Where a value lies."""
        return _LEFT + (value - self._x[0]) / (self._x[1] - self._x[0] or 1) * (_W - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """As `x`, upwards."""
        return _H - _BOTTOM - (value - self._y[0]) / (self._y[1] - self._y[0] or 1) * (_H - _TOP - _BOTTOM)

    def line(
        self, points: Sequence[tuple[float, float]], stroke: str, dash: str = "", width: float = 2
    ) -> None:
        """A line through points."""
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{width}"{dashed} '
            'stroke-linejoin="round"/>'
        )

    def dot(self, x: float, y: float, fill: str, title: str, *, hollow: bool = False) -> None:
        """A point with a title."""
        look = (
            f'fill="none" stroke="{fill}" stroke-width="1.5"'
            if hollow
            else f'fill="{fill}" fill-opacity=".75"'
        )
        told = f"<title>{html.escape(title)}</title>" if title else ""
        self._parts.append(
            f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3.4" {look}>{told}</circle>'
        )

    def svg(self) -> str:
        """The picture."""
        return (
            f'<svg viewBox="0 0 {_W} {_H}" role="img" aria-label="{html.escape(self._about)}">'
            + "".join(self._parts)
            + "</svg>"
        )


def distribution(sides: Sequence[Side]) -> str:
    """The share of windows that are decoded at most so fast (ECDF)."""
    values = [[tps for tps in side.figures.tps if tps is not None] for side in sides]
    most = max((max(speeds) for speeds in values if speeds), default=1.0)
    plot = Plot(
        "Distribution of decode speed", (0, most), (0, 1), ("tokens/s of a window", "share of windows")
    )
    for side, speeds, dash in zip(sides, values, dashes(sides), strict=True):
        points = [(0.0, 0.0)]
        for value, share in ecdf(speeds):
            points += [(value, points[-1][1]), (value, share)]
        plot.line([*points, (most, points[-1][1])], colour(side.method), dash)
    return plot.svg()


def scatter(judgement: Judgement, sides: Sequence[Side]) -> str:
    """Each window's speed against target-only's."""
    pairs = []
    for number, side in enumerate(sides):
        if side.alone is None:
            continue
        other = judgement.sides[side.alone.reference].figures.tps
        for window, own, alone in zip(judgement.windows, side.figures.tps, other, strict=True):
            if own is not None and alone is not None:
                pairs.append((alone, own, side, number, window))
    most_x = 1.05 * max((pair[0] for pair in pairs), default=1.0)
    least_x = 0.95 * min((pair[0] for pair in pairs), default=0.0)
    most_y = 1.05 * max((max(pair[1], pair[0]) for pair in pairs), default=1.0)
    plot = Plot(
        "Decode speed of each window", (least_x, most_x), (0, most_y), ("tokens/s by target-only", "tokens/s")
    )
    plot.line([(least_x,) * 2, (min(most_x, most_y),) * 2], "var(--secondary)", "4 4", 1.2)
    for alone, own, side, number, window in pairs:
        told = (
            f"{window.recording}, {window.start_s:.1f} s: {own:.1f} against {alone:.1f} tokens/s, {side.arm}"
        )
        title = told if len(pairs) <= _MOST_TITLES else ""  # they are half of a long comparison's page
        plot.dot(alone, own, colour(side.method), title, hollow=number % 2 == 1)
    return plot.svg()


def acceptance(sides: Sequence[Side]) -> str:
    """Acceptance by the candidate's position in its call."""
    width = max((len(side.acceptance_by_position) for side in sides), default=1)
    plot = Plot(
        "Acceptance by position",
        (1, max(width, 2)),
        (0, 1),
        ("position of the candidate", "acceptance"),
        counts=True,
    )
    for side, dash in zip(sides, dashes(sides), strict=True):
        points = [
            (place + 1.0, share)
            for place, share in enumerate(side.acceptance_by_position)
            if share is not None
        ]
        plot.line(points, colour(side.method), dash)
        for x, y in points:
            plot.dot(x, y, colour(side.method), f"{side.arm}: {100 * y:.0f} % at position {x:.0f}")
    return plot.svg()


def intervals(sides: Sequence[Side], labels: Sequence[str]) -> str:
    """Median speed-ups against target-only with their intervals, a line each."""
    held = [
        (side, label, side.alone)
        for side, label in zip(sides, labels, strict=True)
        if side.alone is not None and side.alone.speed_up is not None
    ]
    most = max((paired.high or paired.speed_up or 1 for _, _, paired in held), default=1.0) * 1.05
    width, left, row = 1060, 330, 26
    height = row * len(held) + 40

    def at(value: float) -> float:
        return left + value / most * (width - left - 150)

    parts = []
    for value in ticks(0, most, 8):
        parts.append(
            _line(at(value), 4, at(value), height - 28, "grid") + _text(at(value), height - 10, f"{value:g}×")
        )
    parts.append(_line(at(1), 4, at(1), height - 28, "axis"))
    for number, (side, label, paired) in enumerate(held):
        y = 18 + number * row
        speed = paired.speed_up or 0.0
        parts.append(_text(left - 12, y + 4, label, "end", "name"))
        told = f"{speed:.2f}×"
        if paired.low is not None and paired.high is not None:
            parts.append(
                f'<line x1="{at(paired.low):.1f}" y1="{y}" x2="{at(paired.high):.1f}" y2="{y}" '
                f'stroke="{colour(side.method)}" stroke-width="3" stroke-linecap="round" opacity=".55"/>'
            )
            told += f"  ({paired.low:.2f}–{paired.high:.2f})"
        parts.append(f'<circle cx="{at(speed):.1f}" cy="{y}" r="5.5" fill="{colour(side.method)}"/>')
        parts.append(_text(width - 140, y + 4, told, "start", "name"))
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Median speed-ups with intervals">'
        + "".join(parts)
        + "</svg>"
    )


def legend(sides: Sequence[Side], labels: Sequence[str]) -> str:
    """What the lines of a plot are."""
    items = []
    for side, label, dash in zip(sides, labels, dashes(sides), strict=True):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        items.append(
            '<li><svg class="key" viewBox="0 0 22 10" aria-hidden="true">'
            f'<line x1="0" y1="5" x2="22" y2="5" stroke="{colour(side.method)}" stroke-width="3"{dashed}/>'
            f"</svg>{html.escape(label)}</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    of = f' class="{kind}"' if kind else ""
    return f'<text{of} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'
