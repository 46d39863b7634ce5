"""The waveform above the transcript: what is heard and where; a click goes there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from as2d.app.sentences import in_window
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.clock import clock_text
from as2d.app.waveform.picture import draw_outline
from as2d.app.waveform.reader import WaveformReader
from as2d.app.waveform.span import Span

_RULER = 14
_HEIGHT = 62
_ZOOM = 0.8
_WHEEL = 120.0
_HEAD = 4.0
_STEP_S = 1.0


class WaveformStrip(QWidget):
    """Shows what a `WaveformReader` reads. `asked` gives the seconds that were clicked or dragged to."""

    asked = Signal(float)

    def __init__(self, reader: WaveformReader, theme: Theme) -> None:
        super().__init__()
        self._reader = reader
        self._theme = theme
        self.span = Span()
        self._position = 0.0
        self._hover: float | None = None
        self._dragging = False
        self._pictures: tuple[QImage, QImage] | None = None
        self._drawn: tuple[object, ...] = ()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(160)
        self.setAccessibleName(tr("Waveform"))
        self.setAccessibleDescription(
            tr("Left and right: a second. Home and End. Plus and minus: zoom. F: the whole recording.")
        )
        reader.changed.connect(self._follow_reader)
        theme.changed.connect(self._redraw)

    def sizeHint(self) -> QSize:
        """Wide, and as high as it always is."""
        return QSize(400, _HEIGHT)

    def show_length(self, seconds: float | None) -> None:
        """The length of the recording, where it is known."""
        self.span.set_length(max(seconds or 0.0, self._outlined()))
        self.update()

    def show_position(self, seconds: float, *, follow: bool) -> None:
        """Mark the place that is heard; `follow`: keep it in sight."""
        before = self._x(self._position)
        self._position = seconds
        if follow and not self._dragging and self.span.turn_to(seconds):
            self.update()
            return
        after = self._x(seconds)
        if round(before) != round(after):
            left, right = min(before, after), max(before, after)
            self.update(QRectF(left - 8, 0, right - left + 16, self.height()).toAlignedRect())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """The outline, what was heard of it in the accent colour, the ruler, and the places."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.colours.sunken))
        wave = QRectF(0, 0, self.width(), self.height() - _RULER)
        if self._reader.problem is not None:
            self._say(painter, wave, in_window(self._reader.problem))
            return
        self._draw_ruler(painter)
        painter.setPen(QPen(QColor(self._theme.colours.border), 1))
        painter.drawLine(QPointF(0, wave.center().y()), QPointF(wave.right(), wave.center().y()))
        x = self._x(self._position)
        pictures = self._current_pictures(wave)
        if pictures is not None:
            heard, to_come = pictures
            painter.save()
            painter.setClipRect(QRectF(0, 0, max(x, 0), wave.height()))
            painter.drawImage(wave, heard)
            painter.setClipRect(QRectF(max(x, 0), 0, max(0.0, self.width() - x), wave.height()))
            painter.drawImage(wave, to_come)
            painter.restore()
        self._draw_hover(painter, wave)
        if self.span.length:
            self._draw_head(painter, x)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.colours.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        if event.button() == Qt.MouseButton.LeftButton and self.span.length:
            self._dragging = True
            self.asked.emit(self._seconds(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which place it is, and go there while the button is down."""
        self._hover = event.position().x()
        if self._dragging:
            self.asked.emit(self._seconds(self._hover))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The place stays."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False

    def leaveEvent(self, event: QEvent) -> None:
        """No place is pointed at."""
        self._hover = None
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; with Shift, or sideways, move along."""
        delta = event.angleDelta()
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or abs(delta.x()) > abs(
            delta.y()
        )
        if sideways:
            turns = (delta.x() or delta.y()) / _WHEEL
            self.span.move(-turns * 0.15 * self.span.width)
        else:
            self.span.zoom(_ZOOM ** (delta.y() / _WHEEL), self._seconds(event.position().x()))
        self.update()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, Home, End, plus, minus and F."""
        key = Qt.Key
        match event.key():
            case key.Key_Left | key.Key_Right if not event.modifiers():
                self.asked.emit(self._position + (_STEP_S if event.key() == key.Key_Right else -_STEP_S))
            case key.Key_Home:
                self.asked.emit(0.0)
            case key.Key_End:
                self.asked.emit(self.span.length)
            case key.Key_Plus | key.Key_Equal:
                self.span.zoom(_ZOOM, self._position)
            case key.Key_Minus:
                self.span.zoom(1 / _ZOOM, self._position)
            case key.Key_F:
                self.span.fit()
            case _:
                super().keyPressEvent(event)
                return
        self.update()

    def _follow_reader(self) -> None:
        if self._reader.peaks is None:
            self.span.set_length(0.0)
        self.span.set_length(max(self.span.length, self._outlined()))
        self.update()

    def _outlined(self) -> float:
        return self._reader.peaks.duration_s if self._reader.peaks is not None else 0.0

    def _redraw(self) -> None:
        self._drawn = ()
        self.update()

    def _current_pictures(self, wave: QRectF) -> tuple[QImage, QImage] | None:
        """The outline in both colours; drawn anew only when something about it changed."""
        peaks = self._reader.peaks
        if peaks is None or not peaks.count or not self.span.length:
            return None
        ratio = self.devicePixelRatioF()
        size = max(1, round(wave.width() * ratio)), max(1, round(wave.height() * ratio))
        wanted = (id(peaks), peaks.count, self.span.begin, self.span.width, size, self._theme.scheme)
        if wanted != self._drawn:
            colours = self._theme.colours
            begin, end = self.span.begin, self.span.begin + self.span.width
            self._pictures = (
                draw_outline(peaks, begin, end, *size, QColor(colours.accent)),
                draw_outline(peaks, begin, end, *size, QColor(colours.control_border)),
            )
            self._drawn = wanted
        return self._pictures

    def _draw_ruler(self, painter: QPainter) -> None:
        colours = self._theme.colours
        font = painter.font()
        font.setPixelSize(10)
        painter.setFont(font)
        top = self.height() - _RULER
        for seconds in self.span.marks(self.width() / 74):
            x = self._x(seconds)
            painter.setPen(QPen(QColor(colours.border), 1))
            painter.drawLine(QPointF(x, top), QPointF(x, self.height()))
            painter.setPen(QColor(colours.secondary))
            painter.drawText(QPointF(x + 4, self.height() - 3), self.span.label(seconds))

    def _draw_hover(self, painter: QPainter, wave: QRectF) -> None:
        if self._hover is None or not self.span.length:
            return
        colours = self._theme.colours
        painter.setPen(QPen(QColor(colours.secondary), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(self._hover, 0), QPointF(self._hover, wave.bottom()))
        text = self.span.label(self._seconds(self._hover), fine=True)
        width = painter.fontMetrics().horizontalAdvance(text) + 8
        left = self._hover + 3 if self._hover + width + 6 < self.width() else self._hover - width - 3
        ground = QRectF(left, 1, width, 14)
        painter.fillRect(ground, QColor(colours.raised))
        painter.setPen(QColor(colours.text))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_head(self, painter: QPainter, x: float) -> None:
        colour = QColor(self._theme.colours.text)
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height() - _RULER))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPolygon(
            QPolygonF([QPointF(x - _HEAD, 0), QPointF(x + _HEAD, 0), QPointF(x, 1.5 * _HEAD)])
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _say(self, painter: QPainter, rect: QRectF, text: str) -> None:
        painter.setPen(QColor(self._theme.colours.secondary))
        painter.drawText(
            rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text
        )

    def _x(self, seconds: float) -> float:
        return (seconds - self.span.begin) / self.span.width * self.width() if self.span.width else 0.0

    def _seconds(self, x: float) -> float:
        place = self.span.begin + x / max(self.width(), 1) * self.span.width
        return max(0.0, min(place, self.span.length))


def position_text(seconds: float, length: float | None) -> str:
    """Where it is and how long it is, as 0:07 / 1:02:03."""
    return (
        f"{clock_text(int(seconds))} / {clock_text(length)}"
        if length is not None
        else clock_text(int(seconds))
    )
