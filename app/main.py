"""The start of the window: `as2d studio [FILES…]`."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QSocketNotifier, Qt, QTranslator, Signal
from PySide6.QtGui import QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication

import as2d
from as2d.app.crash import catch_everything
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.icons import APPLICATION_ICON, application_icon
from as2d.app.theme.theme import Theme
from as2d.app.translation import SOURCE_LANGUAGE, closest_language, use_language
from as2d.app.window.main_window import StudioWindow


def open_studio(files: Sequence[Path], appeared: Callable[[StudioWindow], None] | None = None) -> int:
    """Open the window with these recordings and stay until it is closed; the exit status.

    `appeared` is called once, when the window has shown its first picture and takes input.
    """
    gc.disable()  # next to nothing becomes garbage before the window is there; looking for it takes a sixth
    application = make_application()
    settings = SettingsStore()
    prepare_language(application, settings.current.language)
    window = StudioWindow(settings, Theme(application, settings.current.scheme))
    teller = _Teller(window)
    catch_everything(teller.told.emit)
    window.appeared.connect(_collect_again)
    window.appeared.connect(lambda: window.begin(files))
    if appeared is not None:
        window.appeared.connect(lambda: appeared(window))

    def ask_nothing(_manager: QSessionManager) -> None:
        window.asks = False  # the session ends, and nobody may be there to answer

    application.commitDataRequest.connect(ask_nothing)
    window.show()
    with _Signals(window):
        status: int = application.exec()
    return status


def _collect_again() -> None:
    gc.freeze()  # what stays as long as the window is not looked at any more
    gc.enable()


def make_application() -> QApplication:
    """The Qt application with the program's names and icon."""
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    QGuiApplication.setDesktopFileName(APPLICATION_ICON)
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(["as2d"])
    application.setApplicationName("as2d-studio")
    application.setApplicationDisplayName("AS²D Studio")
    application.setApplicationVersion(as2d.__version__)
    application.setWindowIcon(application_icon())
    return application


def prepare_language(application: QApplication, chosen: str | None) -> None:
    """Use a language for the window's texts and for Qt's own; None: the system's."""
    language = chosen or closest_language(QLocale.system().uiLanguages())
    use_language(language)
    if language != SOURCE_LANGUAGE:
        QLocale.setDefault(QLocale(language))
        translator = QTranslator(application)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if translator.load(f"qtbase_{language}", folder):
            application.installTranslator(translator)


class _Teller(QObject):
    """Brings sentences from any thread to the window."""

    told = Signal(str)

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self.told.connect(self._tell)

    def _tell(self, text: str) -> None:
        self._window.say("error", text)


class _Signals:
    """While this is entered, an interrupt or a termination closes the window in order."""

    def __init__(self, window: StudioWindow) -> None:
        self._window = window

    def __enter__(self) -> None:
        self._receiving, self._sending = socket.socketpair()
        self._sending.setblocking(False)
        self._before = signal.set_wakeup_fd(self._sending.fileno(), warn_on_full_buffer=False)
        # Qt's loop runs no Python by itself; a byte on the socket wakes it, and the handlers then do nothing.
        self._handlers = {number: signal.signal(number, _noted) for number in (signal.SIGINT, signal.SIGTERM)}
        self._notifier = QSocketNotifier(self._receiving.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._close)

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._receiving.close()
        self._sending.close()

    def _close(self) -> None:
        self._receiving.recv(64)
        self._window.asks = False  # nobody may be there to answer
        self._window.close()


def _noted(number: int, frame: object) -> None:
    """See `_Signals`."""
