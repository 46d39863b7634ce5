"""The Device tab: a strip of devices, and the page of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.knowledge import DeviceKnowledge, Key
from as2d.app.device.phones import Phones
from as2d.app.device.work import DeviceWorks
from as2d.app.sentences import in_window
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.icons import drawn_icon
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_sensors import LiveState

if TYPE_CHECKING:
    from as2d.app.device.page import DevicePage
    from as2d.backend.devices.phone import Phone

_ICON = 16
_THIS_COMPUTER = ""


class DevicePanel(QWidget):
    """Shows every device; pages are made when the tab is first looked at. `chosen` is emitted when another
    device is shown, `first_shown` once.
    """

    chosen = Signal()
    first_shown = Signal()

    def __init__(
        self,
        settings: SettingsStore,
        theme: Theme,
        registry: CommandRegistry,
        phones: Phones,
        knowledge: DeviceKnowledge,
        works: DeviceWorks,
    ) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Devices"))
        self._settings = settings
        self._theme = theme
        self._registry = registry
        self._phones = phones
        self._knowledge = knowledge
        self._works = works
        self._pages: dict[Key, DevicePage] = {}
        self._live: dict[Key, tuple[LiveState, bool]] = {}
        self._ready: set[str] = set()
        self._names: dict[Key, str] = {}
        self.collect_wanted: Callable[[str], None] = lambda _job: None
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setIconSize(QSize(_ICON, _ICON))
        self.tabs.setAccessibleName(tr("Devices"))
        self.add_button = QToolButton()
        self.add_button.setDefaultAction(registry.action("phone.add"))
        self.add_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.stack = QStackedWidget()
        strip = QWidget()
        strip.setObjectName("strip")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(strip)
        row.setContentsMargins(6, 0, 8, 0)
        row.addWidget(self.tabs, 1)
        row.addWidget(self.add_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(strip)
        layout.addWidget(self.stack, 1)
        self.setFocusProxy(self.tabs)
        self._was_shown = False
        self._fill()
        self.tabs.currentChanged.connect(lambda _place: self._choose())
        phones.changed.connect(self._follow_phones)
        knowledge.changed.connect(self._follow_known)
        knowledge.wanted = lambda: self.current if self._was_shown else None
        works.changed.connect(self._follow_work)
        theme.changed.connect(self._fill)

    @property
    def current(self) -> Key:
        """The device that is shown."""
        return self.tabs.tabData(self.tabs.currentIndex()) or None

    def phone_of(self, key: Key) -> Phone | None:
        """The phone as it is connected now; None: it is away, or this computer is meant."""
        return next((phone for phone in self._phones.now if phone.id == key), None)

    def name_of(self, key: Key) -> str:
        """What the user calls a device, also while it is away."""
        return tr("This computer") if key is None else self._names.get(key, key)

    def choose(self, key: Key) -> None:
        """Show a device."""
        for place in range(self.tabs.count()):
            if self.tabs.tabData(place) == (key or _THIS_COMPUTER):
                self.tabs.setCurrentIndex(place)

    def page(self) -> DevicePage | None:
        """The page that is shown; None: the tab was never looked at."""
        return self._pages.get(self.current)

    def show_live(self, key: Key, state: LiveState, *, live: bool) -> None:
        """Show the newest numbers of a device."""
        self._live[key] = (state, live)
        page = self._pages.get(key)
        if page is not None and (page is self.stack.currentWidget()):
            page.show_live(state, live=live)

    def read_again(self) -> None:
        """Other models were chosen, or something may have been measured: read what this computer keeps."""
        for key in self._pages:
            self._knowledge.look_at_files(key)

    def showEvent(self, event: QShowEvent) -> None:
        """The first look makes the page, and asks the device."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.choose(self._settings.current.decode.device)
            self._choose()
            self.first_shown.emit()
        else:  # a file system that tells of no changes, as of other computers
            self.read_again()

    def _keys(self) -> list[Key]:
        found: list[Key] = [None, *(phone.id for phone in self._phones.now)]
        away = self._settings.current.decode.device
        for key in (away, *(key for key in self._pages if key is not None)):
            if key is not None and key not in found:
                found.append(key)
        return found

    def _fill(self) -> None:
        """The devices as tabs; the one that is shown stays."""
        current = self.current if self.tabs.count() else None
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        colours = self._theme.colours
        self._names.update({phone.id: phone.name for phone in self._phones.now})
        for key in self._keys():
            phone = self.phone_of(key)
            name = self.name_of(key)
            usable = key is None or (phone is not None and phone.ready)
            colour = colours.text if usable else colours.disabled
            icon = drawn_icon("computer" if key is None else "phone", colour, colours.disabled)
            place = self.tabs.addTab(icon, name)
            self.tabs.setTabData(place, key or _THIS_COMPUTER)
        self.tabs.blockSignals(False)
        self.choose(current)
        if self._was_shown:
            self._choose()

    def _choose(self) -> None:
        """Show the page of the chosen tab."""
        if not self._was_shown:
            return
        key = self.current
        page = self._pages.get(key)
        if page is None:
            from as2d.app.device.page import DevicePage

            page = DevicePage(
                key,
                self._theme,
                self._registry,
                lambda: self._works.cancel(key),
                lambda job: self.collect_wanted(job),
            )
            self._pages[key] = page
            self.stack.addWidget(page)
            if key is not None:
                page.show_phone(self.phone_of(key))
            else:
                page.show_no_phone(self._why_no_phone())
            page.show_known(self._knowledge.of(key), self._settings.current.decode.budget)
            self._look(key)
        state, live = self._live.get(key, (LiveState(reading=self._knowledge.of(key).reading), False))
        page.show_live(state, live=live)
        page.show_work(self._works.of(key))
        self.stack.setCurrentWidget(page)
        self.chosen.emit()

    def _why_no_phone(self) -> str | None:
        """Why no phone is listed, and what to do; None: one is."""
        if self._phones.now:
            return None
        if not self._settings.current.look_for_phones:
            return tr("Phones are not looked for: the settings say so, and 'Add a phone' changes that.")
        if self._phones.problem is not None:
            return in_window(self._phones.problem)
        return tr(
            "Turn on USB debugging in the phone's developer options, plug it in, unlock it, and accept "
            "this computer. It then appears here and in the list of devices above."
        )

    def _look(self, key: Key) -> None:
        phone = self.phone_of(key)
        if key is None or (phone is not None and phone.ready):
            self._knowledge.look(key)
        else:
            self._knowledge.look_at_files(key)

    def _follow_phones(self) -> None:
        ready = {phone.id for phone in self._phones.now if phone.ready}
        appeared, self._ready = ready - self._ready, ready
        self._fill()
        for key, page in self._pages.items():
            if key is not None:
                page.show_phone(self.phone_of(key))
                if key in appeared:
                    self._look(key)
            else:
                page.show_no_phone(self._why_no_phone())
        self.chosen.emit()

    def _follow_known(self, key: Key) -> None:
        page = self._pages.get(key)
        if page is not None:
            known = self._knowledge.of(key)
            page.show_known(known, self._settings.current.decode.budget)
            if not self._live.get(key, (None, False))[1]:
                self.show_live(key, LiveState(reading=known.reading), live=False)
        self.chosen.emit()

    def _follow_work(self, key: Key) -> None:
        page = self._pages.get(key)
        if page is not None:
            page.show_work(self._works.of(key))
        self.chosen.emit()
