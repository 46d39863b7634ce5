"""Icons in the colours of the theme, sharp at any scale."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from as2d.backend.paths import resources_dir

APPLICATION_ICON = "as2d-studio"


class _DrawnIcon(QIconEngine):
    """Draws a picture of one colour; another colour where the icon is disabled or switched on."""

    def __init__(self, name: str, normal: str, disabled: str) -> None:
        super().__init__()
        self._name = name
        self._normal = normal
        self._disabled = disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:  # noqa: ARG002
        colour = self._disabled if mode == QIcon.Mode.Disabled else self._normal
        _renderer(self._name, colour).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _DrawnIcon(self._name, self._normal, self._disabled)


@cache
def _renderer(name: str, colour: str) -> QSvgRenderer:
    source = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))


def draw_icon(name: str, colour: str, painter: QPainter, rect: QRectF) -> None:
    """Draw an icon into a rectangle."""
    _renderer(name, colour).render(painter, rect)


def drawn_icon(name: str, normal: str, disabled: str) -> QIcon:
    """The icon `name` of resources/icons in these colours."""
    return QIcon(_DrawnIcon(name, normal, disabled))


def application_icon() -> QIcon:
    """The icon of the program."""
    return QIcon(str(resources_dir() / "icons" / f"{APPLICATION_ICON}.svg"))
