"""The scene of the timeline: lanes with their names, laid out over the width and height that there are."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.timeline.backdrop import RULER, draw_backdrop
from as2d.app.timeline.bar_lane import BarLane
from as2d.app.timeline.colours import colours_of, is_dark
from as2d.app.timeline.counter_lane import CounterLane
from as2d.app.timeline.header import WIDTH, Header
from as2d.app.timeline.lane import Lane, View
from as2d.app.timeline.lanes import make_lanes
from as2d.app.timeline.layout import Wish
from as2d.app.timeline.overlay import Overlay
from as2d.app.timeline.stacking import stack
from as2d.app.viewmodels.axis import TimeAxis
from as2d.app.viewmodels.timeline import TimelineModel

_POINTS = 9.0


class Canvas(QGraphicsView):
    """Holds one item a lane, one a name and one over all of them; scene and viewport coincide."""

    resized = Signal()

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        pass_drops_on(self)
        font = self.font()
        font.setPointSizeF(_POINTS)
        palette = colours_of(is_dark(self.palette()))
        self.view = View(model, TimeAxis(0, 10**9, 1), palette, font, QFontMetricsF(font))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self.lanes = make_lanes(self.view)
        self.headers = [Header(lane) for lane in self.lanes]
        self.overlay = Overlay(self.view)
        self.overlay.lanes = self.lanes
        self.overlay.counters = [lane for lane in self.lanes if isinstance(lane, CounterLane)]
        for item in (*self.lanes, *self.headers, self.overlay):
            self._scene.addItem(item)
        self.scrolled = 0.0
        self.overflow = 0.0
        self._wishes: list[Wish] = []

    def lane(self, key: str) -> Lane:
        """A lane by its key."""
        return next(lane for lane in self.lanes if lane.key == key)

    def bar_lane(self, key: str) -> BarLane:
        """A lane of bars by its key."""
        lane = self.lane(key)
        if not isinstance(lane, BarLane):
            raise KeyError(key)
        return lane

    def lane_at(self, point: QPointF) -> Lane | None:
        """The lane at a point of the viewport; pinned ones lie above the others."""
        if point.y() < RULER:
            return None
        found = [lane for lane in self.lanes if not lane.hidden and lane.contains_y(point.y())]
        return max(found, key=lambda lane: lane.zValue(), default=None)

    def header_of(self, lane: Lane) -> Header:
        """The name of a lane."""
        return self.headers[self.lanes.index(lane)]

    def lay_out(self) -> None:
        """Place the lanes: pinned ones first; all fit where their smallest heights do."""
        size = self.viewport().size()
        width, height = float(size.width()), float(size.height())
        self._scene.setSceneRect(0, 0, width, height)
        self.view.ratio = self.devicePixelRatioF()
        self._wishes = [Wish(*lane.wish) for lane in self.lanes]
        for lane, header in zip(self.lanes, self.headers, strict=True):
            header.setVisible(not lane.hidden)
        self.scrolled, self.overflow = stack(
            self.view, self.lanes, self.headers, self.overlay, (width, height), self.scrolled
        )
        self.repaint_all()

    def keep_laid_out(self) -> None:
        """Lay out anew where a lane's wishes have changed, as when a sensor began to speak."""
        if self._wishes != [Wish(*lane.wish) for lane in self.lanes]:
            self.lay_out()

    def repaint_all(self) -> None:
        """Paint everything anew."""
        for item in (*self.lanes, *self.headers, self.overlay):
            item.update()
        self.viewport().update()

    def repaint_overlay(self) -> None:
        """Paint anew what lies over the lanes; the lanes themselves come from their caches."""
        self.overlay.update()

    def follow_palette(self, palette: QPalette) -> None:
        """Take the light or dark colours that suit a window of this palette."""
        self.view.colours = colours_of(is_dark(palette))
        self.repaint_all()

    def drawBackground(self, painter: QPainter, rect: QRectF | object) -> None:  # noqa: ARG002
        size = self.viewport().size()
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), self.view.colours["background"])
        draw_backdrop(painter, self.view, WIDTH, float(size.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.view.ratio != self.devicePixelRatioF():
            self.lay_out()
        super().paintEvent(event)
