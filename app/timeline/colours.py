"""The colours of the timeline, from resources/palette.json."""

from __future__ import annotations

import json
from functools import cache

from PySide6.QtGui import QColor, QPalette

from as2d.backend.paths import resources_dir

_LIGHT_TEXT, _DARK_TEXT = QColor("#FFFFFF"), QColor("#101316")


class Colours:
    """The colours of one scheme by name."""

    def __init__(self, names: dict[str, str]) -> None:
        self._colours = {name: QColor(value) for name, value in names.items()}
        self._texts = {name: _text_on(colour) for name, colour in self._colours.items()}

    def __getitem__(self, name: str) -> QColor:
        return self._colours[name]

    def text_on(self, name: str) -> QColor:
        """The colour of text on a colour: black or white, whichever is read better."""
        return self._texts[name]

    def argb(self, name: str, alpha: int = 255) -> int:
        """A colour as a number for images, its alpha multiplied in."""
        colour = self._colours[name]
        parts = (round(part * alpha / 255) for part in (colour.red(), colour.green(), colour.blue()))
        red, green, blue = parts
        return (alpha << 24) | (red << 16) | (green << 8) | blue

    def translucent(self, name: str, alpha: int) -> QColor:
        """A colour that lets through what is behind it."""
        colour = QColor(self._colours[name])
        colour.setAlpha(alpha)
        return colour


@cache
def colours_of(dark: bool) -> Colours:
    """The colours of the light or the dark scheme."""
    content = json.loads((resources_dir() / "palette.json").read_text(encoding="utf-8"))
    return Colours(content["dark" if dark else "light"])


def is_dark(palette: QPalette) -> bool:
    """Whether a palette is that of a dark window."""
    return palette.window().color().lightness() < 128


def luminance(colour: QColor) -> float:
    """Relative luminance, 0 to 1, as WCAG 2 defines it."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, other: QColor) -> float:
    """Contrast of two colours, 1 to 21, as WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _text_on(colour: QColor) -> QColor:
    return max(_DARK_TEXT, _LIGHT_TEXT, key=lambda text: contrast(text, colour))
