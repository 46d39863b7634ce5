"""How the axes of plots look."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QFont

from as2d.app.theme.colours import Colours

TEXT_PX = 11


def dress_axis(axis: pg.AxisItem, colours: Colours, font: QFont, title: str | None = None) -> None:
    """Give an axis the theme's colours, small digits in the family of `font`, and its title."""
    small = QFont(font)
    small.setPixelSize(TEXT_PX)
    axis.setPen(pg.mkPen(colours.control_border))
    axis.setTextPen(pg.mkPen(colours.secondary))
    axis.setTickFont(small)
    if title is not None:
        axis.enableAutoSIPrefix(False)
        axis.setLabel(title, **{"color": colours.secondary, "font-size": f"{TEXT_PX}px"})
        axis.resizeEvent()  # the library places a title only when its axis takes another size
