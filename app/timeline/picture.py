"""The timeline as a picture, drawn by the same items as in the window."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QGraphicsItem, QStyleOptionGraphicsItem

from as2d.app.timeline.backdrop import RULER, draw_backdrop
from as2d.app.timeline.bar_lane import BarLane
from as2d.app.timeline.colours import colours_of
from as2d.app.timeline.header import WIDTH, Header
from as2d.app.timeline.lane import View
from as2d.app.timeline.lanes import make_lanes
from as2d.app.timeline.overlay import Overlay
from as2d.app.timeline.stacking import stack
from as2d.app.translation import tr
from as2d.app.viewmodels.axis import TimeAxis, fitted
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.errors import WrongUse
from as2d.backend.export.picture import Picture
from as2d.backend.runs.store import StoredRun

_FONT_PIXELS = 12
_SVG_RATIO = 2.0
_NS = 1e9


def picture_of_stored(stored: StoredRun, picture: Picture) -> bytes:
    """The timeline of a recorded run; makes an application where there is none.

    Raises:
        InputRefused: the run's stream cannot be read.
        WrongUse: as `picture_of`.
    """
    application = QApplication.instance() or QApplication(["as2d"])
    run = RunViewModel(stored.folder)
    run.feed(stored.events())
    content = picture_of(run.timeline, picture)
    del application
    return content


def picture_of(model: TimelineModel, picture: Picture) -> bytes:
    """The timeline of a model that is fed no more, on any thread; the same model gives the same bytes.

    Raises:
        WrongUse: there is nothing to draw in the part that was asked for.
    """
    sheet = _Sheet(model, picture)
    content = QBuffer()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    if picture.form == "svg":
        _draw_svg(sheet, picture, content)
    else:
        _draw_png(sheet, picture, content)
    return bytes(content.data().data())


class _Sheet:
    """The items of the window's timeline without a window, in a font and colours that do not depend on it."""

    def __init__(self, model: TimelineModel, picture: Picture) -> None:
        font = QFont("Sans Serif")
        font.setPixelSize(_FONT_PIXELS)
        self.size = picture.width, picture.height
        self.view = View(
            model,
            TimeAxis(0, 10**9, 1),
            colours_of(picture.dark),
            font,
            QFontMetricsF(font),
            picture.audio_time,
            _SVG_RATIO if picture.form == "svg" else picture.scale,
        )
        self.lanes = make_lanes(self.view)
        self.headers = [Header(lane) for lane in self.lanes]
        for header in self.headers:
            header.plain = True
        self.overlay = Overlay(self.view)
        self.overlay.lanes = self.lanes
        stack(self.view, self.lanes, self.headers, self.overlay, self.size)
        self.view.axis = self._axis(picture)

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        width, height = self.size
        colours = self.view.colours
        painter.fillRect(QRectF(0, 0, width, height), colours["background"])
        draw_backdrop(painter, self.view, WIDTH, height)
        painter.fillRect(QRectF(0, RULER, WIDTH - 1, height - RULER), colours["header"])
        items: list[QGraphicsItem] = [*self.lanes, *self.headers, self.overlay]
        option = QStyleOptionGraphicsItem()
        for item in sorted(items, key=lambda item: item.zValue()):
            painter.save()
            painter.translate(item.pos())
            painter.setClipRect(item.boundingRect())
            item.paint(painter, option, None)
            painter.restore()

    def _axis(self, picture: Picture) -> TimeAxis:
        model, width = self.view.model, int(picture.width - WIDTH)
        whole = self._span_of(picture.recording) if picture.recording else self._whole()
        if whole is None:
            raise WrongUse(tr("There is nothing to draw: nothing was decoded in this part of the run."))
        if picture.begin_s is None and picture.end_s is None:
            return fitted(whole, width)
        origin = 0 if picture.audio_time or model.span is None else model.span[0]
        begin = whole[0] if picture.begin_s is None else origin + round(picture.begin_s * _NS)
        end = whole[1] if picture.end_s is None else origin + round(picture.end_s * _NS)
        if end <= max(begin, whole[0]) or begin >= whole[1]:
            raise WrongUse(tr("There is nothing to draw: nothing was decoded in this part of the run."))
        return TimeAxis(begin, end, width)

    def _whole(self) -> tuple[int, int] | None:
        if not self.view.audio_time:
            return self.view.model.span
        spans = [lane.bars().span for lane in self.lanes if isinstance(lane, BarLane)]
        known = [span for span in spans if span is not None]
        return (min(span[0] for span in known), max(span[1] for span in known)) if known else None

    def _span_of(self, recording: str) -> tuple[int, int] | None:
        """From the first work on a recording to the end of its last, in the axis that is shown."""
        requests = [
            request
            for request in self.view.model.requests
            if request.preparation.window.recording == recording and request.preparation.begin is not None
        ]
        if not requests:
            return None
        if self.view.audio_time:
            windows = [request.preparation.window for request in requests]
            begin = min(window.audio_s for window in windows)
            end = max(window.audio_s + window.end_s - window.start_s for window in windows)
            return round(begin * _NS), round(end * _NS)
        begins = [request.preparation.begin for request in requests]
        ends = [request.end or request.last_commit or request.preparation.end for request in requests]
        return min(t for t in begins if t is not None), max(t for t in ends if t is not None)


def _draw_png(sheet: _Sheet, picture: Picture, content: QBuffer) -> None:
    size = QSize(round(picture.width * picture.scale), round(picture.height * picture.scale))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(picture.scale)
    painter = QPainter(image)
    sheet.paint(painter)
    painter.end()
    image.save(content, "PNG")  # type: ignore[call-overload]


def _draw_svg(sheet: _Sheet, picture: Picture, content: QBuffer) -> None:
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(content)
    generator.setResolution(96)  # a pixel of CSS
    generator.setSize(QSize(picture.width, picture.height))
    generator.setViewBox(QRectF(0, 0, picture.width, picture.height))
    generator.setTitle(tr("Timeline"))
    generator.setDescription("")
    painter = QPainter(generator)
    sheet.paint(painter)
    painter.end()
