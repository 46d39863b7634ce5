"""The curves of a long run, one under the other over the same minutes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.theme.axes import dress_axis
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.arm_names import short_name
from as2d.app.viewmodels.sustained import METHOD_COLOURS, Curve, Curves

_SPEED, _SMALL, _AXIS = 3, 1, 52
_ROOM_FOR_ALL, _ROOM_FOR_TWO = 250, 190


class _MinuteAxis(pg.AxisItem):  # type: ignore[misc]
    """Ticks with their unit, which needs no label of its own."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        return [tr("{n} min", n=f"{value:g}") for value in values]


@dataclass(frozen=True)
class _Row:
    """One plot: what of the curves it shows, its unit, and from which height on there is room for it."""

    name: str
    unit: str
    colour: str
    room: int


class LongRunCharts(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """Speeds on top, then temperature, power, memory and clock where they are known.

    A minute is looked at by the mouse or by Left and Right; `told` says it in words, empty: none.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        pass_drops_on(self)
        self._theme = theme
        self._curves: Curves | None = None
        self._place: int | None = None
        self.setBackground(None)
        self.setFrameShape(self.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(120)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Speed, temperature, power and memory over the minutes"))
        self.ci.layout.setSpacing(2)
        self.ci.layout.setContentsMargins(0, 4, 8, 0)
        self._rows = {
            "temperature": _Row(tr("Hottest"), "°C", "correction", 0),
            "power": _Row(tr("Power"), "W", "encode", _ROOM_FOR_TWO),
            "memory": _Row(tr("Memory"), "MB", "ready", _ROOM_FOR_ALL),
            "clock": _Row(tr("Clock"), "GHz", "draft", _ROOM_FOR_ALL),
        }
        self.plots = {"speed": self._plot(0, _SPEED)}
        for place, name in enumerate(self._rows, start=1):
            self.plots[name] = self._plot(place, _SMALL)
            self.plots[name].setXLink(self.plots["speed"])
        self.lines = {
            "speed": [self.plots["speed"].plot(connect="finite") for _ in METHOD_COLOURS],
            **{name: [self.plots[name].plot(connect="finite")] for name in self._rows},
        }
        self._marks = {name: self._mark(plot) for name, plot in self.plots.items()}
        self._bands: list[pg.LinearRegionItem] = []
        self.told = QLabel(self)
        self.told.setObjectName("plate")
        self.told.setAccessibleName(tr("The part that is looked at"))
        self.told.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.told.hide()
        theme.changed.connect(self._colour)
        self._colour()

    def show_curves(self, curves: Curves) -> None:
        """Draw these."""
        self._curves = curves
        if self._place is not None and self._place >= len(curves.minutes):
            self._place = None
        self._draw()
        self._look()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is looked at any more."""
        super().leaveEvent(event)
        self._place = None
        self._look()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Look at the minute under the mouse."""
        super().mouseMoveEvent(event)
        minute = self.plots["speed"].vb.mapSceneToView(self.mapToScene(event.position().toPoint())).x()
        self._look_at(minute)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right go from part to part."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        count = len(self._curves.minutes) if self._curves is not None else 0
        if step is None or not count:
            super().keyPressEvent(event)
            return
        before = self._place if self._place is not None else (-1 if step > 0 else count)
        self._place = min(max(before + step, 0), count - 1)
        self._look()

    def wheelEvent(self, event: object) -> None:
        """The page scrolls, not the plot."""
        event.ignore()  # type: ignore[attr-defined]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room the less important curves are left out."""
        super().resizeEvent(event)
        if getattr(self, "_curves", None) is not None:
            self._draw()

    def _plot(self, row: int, stretch: int) -> pg.PlotItem:
        plot = self.addPlot(row=row, col=0, axisItems={"bottom": _MinuteAxis()})
        self.ci.layout.setRowStretchFactor(row, stretch)
        plot.setMouseEnabled(x=False, y=False)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.getAxis("left").setWidth(_AXIS)
        for axis in ("left", "bottom"):
            plot.getAxis(axis).enableAutoSIPrefix(False)
            plot.getAxis(axis).setStyle(tickLength=-4)
        return plot

    def _mark(self, plot: pg.PlotItem) -> pg.InfiniteLine:
        line = pg.InfiniteLine(angle=90, movable=False)
        line.hide()
        plot.addItem(line, ignoreBounds=True)
        return line

    def _colour(self) -> None:
        """Give everything the theme's colours; a line is told by its dashes and its points too."""
        colours, data = self._theme.colours, self._theme.data
        for name, plot in self.plots.items():
            unit = tr("tokens/s") if name == "speed" else self._rows[name].unit
            dress_axis(plot.getAxis("bottom"), colours, self.font())
            dress_axis(plot.getAxis("left"), colours, self.font(), unit)
            plot.showGrid(x=False, y=True, alpha=0.18)
            self._marks[name].setPen(pg.mkPen(data["focus"], width=1, style=Qt.PenStyle.DotLine))
        for place, line in enumerate(self.lines["speed"]):
            dash = Qt.PenStyle.DashLine if place else Qt.PenStyle.SolidLine
            self._style(line, data[METHOD_COLOURS[place]], dash, "t1" if place else "o")
        for name, row in self._rows.items():
            self._style(self.lines[name][0], data[row.colour], Qt.PenStyle.SolidLine, "o")
        if self._curves is not None:
            self._draw()

    def _style(self, line: pg.PlotDataItem, colour: str, dash: Qt.PenStyle, symbol: str) -> None:
        line.setPen(pg.mkPen(colour, width=2, style=dash))
        line.setSymbol(symbol)
        line.setSymbolSize(6)
        line.setSymbolBrush(QColor(colour))
        line.setSymbolPen(pg.mkPen(self._theme.colours.surface, width=1))

    def _draw(self) -> None:
        curves = self._curves
        if curves is None:
            return
        minutes = curves.minutes
        span = len(minutes) * curves.part_minutes
        self.plots["speed"].setXRange(0, max(span, curves.part_minutes), padding=0.01)
        for place, line in enumerate(self.lines["speed"]):
            _show(line, minutes, curves.speeds[place][1] if place < len(curves.speeds) else None)
        self._fit(self.plots["speed"], [values for _, values in curves.speeds], from_zero=True)
        last = "speed"
        for name, row in self._rows.items():
            values: Curve | None = getattr(curves, name)
            there = values is not None and self.height() >= row.room
            self.plots[name].setVisible(there)
            self.ci.layout.setRowStretchFactor(list(self.plots).index(name), _SMALL if there else 0)
            self.ci.layout.setRowMaximumHeight(list(self.plots).index(name), 16777215 if there else 0)
            if values is not None and there:
                _show(self.lines[name][0], minutes, values)
                self._fit(self.plots[name], [values], from_zero=name == "memory")
                last = name
        for name, plot in self.plots.items():
            plot.getAxis("bottom").setStyle(showValues=name == last)
            plot.getAxis("bottom").setHeight(None if name == last else 4)
        self._draw_bands(curves)

    def _fit(self, plot: pg.PlotItem, curves: list[Curve], *, from_zero: bool) -> None:
        known = [values[np.isfinite(values)] for values in curves]
        whole = np.concatenate(known) if known else np.zeros(0)
        if not len(whole):
            return
        low, high = (0.0 if from_zero else float(whole.min())), float(whole.max())
        room = max(high - low, 1e-3 * max(abs(high), 1.0)) * 0.14
        plot.setYRange(low if from_zero else low - room, high + room, padding=0)

    def _draw_bands(self, curves: Curves) -> None:
        """The spans in which the phone was slowed down, as shaded marks with their word."""
        plot = self.plots["speed"]
        while len(self._bands) < len(curves.throttled):
            band = pg.LinearRegionItem(movable=False)
            band.setZValue(-10)
            plot.addItem(band, ignoreBounds=True)
            band.label = pg.InfLineLabel(band.lines[0], "", position=0.92, anchors=[(0, 0.5), (0, 0.5)])
            self._bands.append(band)
        colour = QColor(self._theme.colours.warning)
        for place, band in enumerate(self._bands):
            band.setVisible(place < len(curves.throttled))
            if place < len(curves.throttled):
                told = curves.throttled[place]
                band.setRegion((told.begin, told.end))
                band.label.setText(told.text, color=colour)
        fill = QColor(colour)
        fill.setAlpha(38)
        for band in self._bands:
            band.setBrush(fill)
            for line in band.lines:
                line.setPen(pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine))

    def _look_at(self, minute: float) -> None:
        curves = self._curves
        if curves is None or not len(curves.minutes) or not np.isfinite(minute):
            return
        place = int(minute // curves.part_minutes)
        self._place = place if 0 <= place < len(curves.minutes) else None
        self._look()

    def _look(self) -> None:
        curves, place = self._curves, self._place
        for mark in self._marks.values():
            mark.setVisible(place is not None)
        if curves is None or place is None:
            self.told.hide()
            self.told.clear()
            return
        for mark in self._marks.values():
            mark.setPos(curves.minutes[place])
        end = (place + 1) * curves.part_minutes
        parts = [tr("until minute {n}", n=f"{end:.3g}")]
        for arm, values in curves.speeds:
            if np.isfinite(values[place]):
                parts.append(tr("{arm} {tps} tokens/s", arm=short_name(arm), tps=f"{values[place]:.1f}"))
        for name, row in self._rows.items():
            told: Curve | None = getattr(curves, name)
            if told is not None and np.isfinite(told[place]):
                parts.append(f"{row.name} {told[place]:.3g} {row.unit}")
        self.told.setText("  ·  ".join(parts))
        self.setAccessibleDescription(", ".join(parts))
        self.told.adjustSize()
        self.told.move(max(self.width() - self.told.width() - 10, _AXIS), 4)
        self.told.show()


def _show(line: pg.PlotDataItem, minutes: Curve, values: Curve | None) -> None:
    """Give a line its values; one without any is empty."""
    if values is None or not np.isfinite(values).any():
        line.setData(np.zeros(0), np.zeros(0))
    else:
        line.setData(minutes, values)
