"""What every lane of the timeline is: an item of its own that paints what is visible of its data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from as2d.app.timeline.colours import Colours
from as2d.app.timeline.sized_item import SizedItem
from as2d.app.viewmodels.axis import TimeAxis
from as2d.app.viewmodels.timeline import TimelineModel

FOLDED_HEIGHT = 14


@dataclass
class View:
    """What all lanes are painted with; `audio_time` is the axis of audio instead of decode time."""

    model: TimelineModel
    axis: TimeAxis
    colours: Colours
    font: QFont
    metrics: QFontMetricsF
    audio_time: bool = False
    ratio: float = 1.0


class Lane(SizedItem):
    """A lane; its place is that of its item, its size is set by the layout."""

    smallest, preferred, largest = 18, 28, 110

    def __init__(self, view: View, key: str, title: str, about: str) -> None:
        super().__init__()
        self.view = view
        self.key = key
        self.title = title
        self.about = about
        self.folded = False
        self.pinned = False
        self.hidden = False
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    @property
    def height(self) -> float:
        """Its height in pixels."""
        return self._rect.height()

    def show_if(self, shown: bool) -> None:
        """Show or hide it; another layout gives its place to others."""
        self.hidden = not shown
        self.setVisible(shown)

    @property
    def wish(self) -> tuple[float, float, float]:
        """The smallest, the preferred and the largest height that suit it."""
        if self.folded:
            return (FOLDED_HEIGHT + 1.0,) * 3
        return self.smallest, self.preferred, self.largest

    @property
    def state(self) -> str:
        """A few words beside the title: a range, a unit, or why there is nothing."""
        return ""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        painter.setFont(self.view.font)
        self.draw(painter)

    def draw(self, painter: QPainter) -> None:
        """Paint what is visible; (0, 0) is the lane's upper left corner."""

    def draw_above(self, painter: QPainter) -> None:
        """Paint what the marks of requests must not cross, above them; (0, 0) as in `draw`."""

    def row_at(self, x: float) -> int | None:  # noqa: ARG002
        """The row of the bar at a pixel, where the lane has bars."""
        return None

    def tip(self, x: float) -> str:  # noqa: ARG002
        """What the pointer over this pixel reads."""
        return ""

    def value_text(self, t: int) -> str:  # noqa: ARG002
        """The value at a time, where the lane is a counter."""
        return ""

    def columns(self) -> int:
        """Columns of the device across the lane."""
        return max(1, round(self._rect.width() * self.view.ratio))

    def rows(self, inset: float = 0.0) -> int:
        """Rows of the device down the lane, `inset` left out."""
        return max(1, round((self._rect.height() - inset) * self.view.ratio))

    def contains_y(self, y: float) -> bool:
        """Whether a height of the scene lies in the lane."""
        return bool(self.y() <= y < self.y() + self.height)

    def local(self, point: QPointF) -> QPointF:
        """A point of the scene in the lane."""
        return self.mapFromScene(point)
