"""The look of the window: follows the system or the user's choice, and tells when it changes."""

from __future__ import annotations

from PySide6.QtCore import QDir, QObject, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication

from as2d.app.settings.store import ColourScheme
from as2d.app.theme.colours import Colours, Scheme, colours_of, data_colours_of
from as2d.app.theme.icons import drawn_icon
from as2d.app.theme.stylesheet import stylesheet
from as2d.backend.paths import resources_dir


class Theme(QObject):
    """Colours and icons of the scheme in force; `changed` comes after the application has the new ones."""

    changed = Signal()

    def __init__(self, application: QApplication, wanted: ColourScheme) -> None:
        super().__init__()
        self._application = application
        self._wanted = wanted
        application.setStyle("Fusion")
        QDir.setSearchPaths("as2dicons", [str(resources_dir() / "icons")])
        application.styleHints().colorSchemeChanged.connect(self._follow)
        self.scheme: Scheme = self._resolved()
        self._apply()

    @property
    def colours(self) -> Colours:
        """Colours of frames, controls and texts."""
        return colours_of(self.scheme)

    @property
    def data(self) -> dict[str, str]:
        """Colours of what is shown of decoding."""
        return data_colours_of(self.scheme)

    def want(self, scheme: ColourScheme) -> None:
        """Change to what the user wants."""
        self._wanted = scheme
        self._follow()

    def icon(self, name: str, *, on_accent: bool = False) -> QIcon:
        """An icon in the text's colour, or in that of text on the accent colour."""
        colours = self.colours
        return drawn_icon(name, colours.accent_text if on_accent else colours.text, colours.disabled)

    def _resolved(self) -> Scheme:
        if self._wanted != "system":
            return self._wanted
        dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def _follow(self) -> None:
        scheme = self._resolved()
        if scheme != self.scheme:
            self.scheme = scheme
            self._apply()
            self.changed.emit()

    def _apply(self) -> None:
        self._application.setPalette(_palette(self.colours))
        self._application.setStyleSheet(stylesheet(self.scheme))


def _palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, colour in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.sunken),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.secondary),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.danger),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.accent_text),
        (role.Accent, colours.accent),
        (role.Light, colours.raised),
        (role.Midlight, colours.hover),
        (role.Mid, colours.border),
        (role.Dark, colours.border),
        (role.Shadow, colours.border),
    ):
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.disabled))
    return palette
