"""Lanes one under the other, over the width and height that there are."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.app.timeline.backdrop import RULER
from as2d.app.timeline.header import WIDTH, Header
from as2d.app.timeline.lane import Lane, View
from as2d.app.timeline.layout import Wish, heights
from as2d.app.timeline.overlay import Overlay


def stack(
    view: View,
    lanes: Sequence[Lane],
    headers: Sequence[Header],
    overlay: Overlay,
    size: tuple[float, float],
    scrolled: float = 0.0,
) -> tuple[float, float]:
    """Place lanes and their names (of the same order) for a width and height, pinned ones first; all fit
    where their smallest heights do, and hidden ones take no place. How far it is scrolled then, and how far
    it could be.
    """
    width, height = size
    view.axis = view.axis.resized(int(width - WIDTH))
    shown = [(lane, header) for lane, header in zip(lanes, headers, strict=True) if not lane.hidden]
    tall = heights([Wish(*lane.wish) for lane, _ in shown], height - RULER)
    overflow = max(0.0, sum(tall) - (height - RULER))
    scrolled = min(max(scrolled, 0.0), overflow)
    y = RULER
    rows = [(lane, header, own) for (lane, header), own in zip(shown, tall, strict=True)]
    for lane, header, lane_height in sorted(rows, key=lambda row: not row[0].pinned):
        lane.set_size(width - WIDTH, lane_height - 1)
        header.prepareGeometryChange()
        top = y if lane.pinned else y - scrolled
        lane.setPos(WIDTH, top)
        header.setPos(0, top)
        lane.setZValue(5 if lane.pinned else 1)
        header.setZValue(6 if lane.pinned else 2)
        y += lane_height
    overlay.set_size(width, height)
    return scrolled, overflow
