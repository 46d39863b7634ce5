"""The panels of the window: docked, tabbed, floated, hidden, and back where they were."""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget
from PySide6QtAds import (
    BottomDockWidgetArea,
    CDockManager,
    CDockWidget,
    CenterDockWidgetArea,
    LeftDockWidgetArea,
    RightDockWidgetArea,
)

from as2d.app.theme.stylesheet import dock_stylesheet
from as2d.app.theme.theme import Theme

_AREAS = {
    "left": LeftDockWidgetArea,
    "right": RightDockWidgetArea,
    "bottom": BottomDockWidgetArea,
    "centre": CenterDockWidgetArea,
}
_VERSION = 2


class Docks:
    """The panels by name. The first panel of an area makes it; later ones become tabs of it."""

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        flags = CDockManager.eConfigFlag
        for flag, wanted in (
            (flags.OpaqueSplitterResize, True),
            (flags.FocusHighlighting, True),
            (flags.RetainTabSizeWhenCloseButtonHidden, True),  # else tabs move when another is current
            (flags.AlwaysShowTabs, True),
            (flags.DockAreaHasCloseButton, False),
            (flags.DockAreaHasUndockButton, False),
            (flags.DockAreaDynamicTabsMenuButtonVisibility, True),
            (flags.EqualSplitOnInsertion, False),
            (flags.FloatingContainerHasWidgetTitle, True),
        ):
            CDockManager.setConfigFlag(flag, wanted)
        self.manager = CDockManager(window)
        self._theme = theme
        self._docks: dict[str, CDockWidget] = {}
        self._areas: dict[str, object] = {}
        self._first_state = QByteArray()
        theme.changed.connect(self._restyle)
        self._restyle()

    def add(self, name: str, title: str, widget: QWidget, area: str) -> None:
        """Add a panel."""
        dock = CDockWidget(self.manager, title)
        dock.setObjectName(name)
        dock.setWidget(widget, CDockWidget.eInsertMode.ForceNoScrollArea)
        dock.setMinimumSizeHintMode(CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContent)
        beside = self._areas.get(area)
        if beside is None:
            self._areas[area] = self.manager.addDockWidget(_AREAS[area], dock)
        else:
            self.manager.addDockWidget(CenterDockWidgetArea, dock, beside)
        self._docks[name] = dock

    def place(self, name: str, title: str, widget: QWidget, side: str, beside: str) -> None:
        """Add a panel on one side of another."""
        dock = CDockWidget(self.manager, title)
        dock.setObjectName(name)
        dock.setWidget(widget, CDockWidget.eInsertMode.ForceNoScrollArea)
        dock.setMinimumSizeHintMode(CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContent)
        area = self._docks[beside].dockAreaWidget()
        self._areas[name] = self.manager.addDockWidget(_AREAS[side], dock, area)
        self._docks[name] = dock

    def finish(self, shares: dict[str, list[int]]) -> None:
        """Give areas their sizes and remember the arrangement as the first one."""
        for name, sizes in shares.items():
            self.manager.setSplitterSizes(self._docks[name].dockAreaWidget(), sizes)
        self._first_state = self.manager.saveState(_VERSION)

    def show(self, name: str) -> None:
        """Open a panel and bring it to the front."""
        dock = self._docks[name]
        dock.toggleView(True)
        dock.setAsCurrentTab()
        dock.widget().setFocus()

    def is_shown(self, name: str) -> bool:
        """Whether a panel is in sight."""
        dock = self._docks[name]
        return bool(dock.isCurrentTab()) and not dock.isClosed()

    def toggles(self) -> list[QAction]:
        """An action for each panel that shows or hides it."""
        return [dock.toggleViewAction() for dock in self._docks.values()]

    def state(self) -> QByteArray:
        """Where everything is."""
        state: QByteArray = self.manager.saveState(_VERSION)
        return state

    def restore(self, state: QByteArray) -> bool:
        """Put everything where it was; False: the state is of another version."""
        return bool(self.manager.restoreState(state, _VERSION))

    def reset(self) -> None:
        """Put everything where it was first."""
        self.manager.restoreState(self._first_state, _VERSION)

    def hide(self) -> None:
        """Take all panels out of sight, those that float too; their state has to be asked for before."""
        self.manager.hideManagerAndFloatingWidgets()

    def _restyle(self) -> None:
        self.manager.setStyleSheet(dock_stylesheet(self._theme.scheme))
