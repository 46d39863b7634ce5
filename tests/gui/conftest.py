"""The window on the real backend with the real helper and models, in a data folder of the session's own."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# A screen of a usual size; Qt's own offscreen one is smaller than the window.
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={Path(__file__).parent / 'screen.json'}")

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.small_disks import small_disk

from as2d.app.main import make_application
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.app.window.main_window import StudioWindow
from as2d.backend.paths import data_dir
from as2d.backend.protocol.host_events import HostEvent
from as2d.backend.transcribe.run_log import RunLog

__all__ = ["small_disk"]

RUN = "20261130-032604-4659"
"""A run of three recordings, see `run_folder`."""
PATIENCE_MS = 240_000


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """The application as the program makes it."""
    return make_application()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models, and with what was measured of this computer."""
    folder = tmp_path_factory.mktemp("studio")
    (folder / "models").symlink_to(data_dir() / "models")
    (folder / "profiles").mkdir()
    for profile in (data_dir() / "profiles").glob("*.json"):  # others write theirs meanwhile
        shutil.copy(profile, folder / "profiles")
    return folder


@pytest.fixture
def data_folder(
    installed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The data folder of one test: models and profiles of the session, no settings and no runs."""
    folder = tmp_path_factory.mktemp("data")
    for shared in ("models", "profiles"):
        (folder / shared).symlink_to(installed / shared)
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


OpenStudio = Callable[..., StudioWindow]


@pytest.fixture
def open_studio(qtbot: QtBot, qapp: QApplication, data_folder: Path) -> Iterator[OpenStudio]:
    """Opens the window as the program does; `language`, `scheme` as in the settings."""
    opened: list[StudioWindow] = []

    def make(*files: Path, language: str = SOURCE_LANGUAGE, **settings: object) -> StudioWindow:
        use_language(language)
        store = SettingsStore()
        store.change(**{"look_for_phones": False, "keep_models": False, "scheme": "light", **settings})
        window = StudioWindow(store, Theme(qapp, store.current.scheme))
        qtbot.addWidget(window)
        opened.append(window)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
        window.begin(list(files))
        return window

    yield make
    for window in opened:
        window.asks = False  # a test that fails in the middle of a run leaves nobody who answers
        window.close()
    for window in opened:
        wait_for_all(window)
    use_language(SOURCE_LANGUAGE)


HoldBehind = Callable[[Callable[[HostEvent], bool]], threading.Event]


@pytest.fixture
def hold_behind(open_studio: OpenStudio, monkeypatch: pytest.MonkeyPatch) -> Iterator[HoldBehind]:
    """Lets a run wait, on its own thread, behind the first event of a kind until what is returned is set:
    what a test does before that is done in the middle of the run, whichever of them is slow.
    """
    held: list[threading.Event] = []
    pass_on = RunLog.host

    def hold(behind: Callable[[HostEvent], bool]) -> threading.Event:
        go_on = threading.Event()
        held.append(go_on)

        def host(log: RunLog, event: HostEvent) -> None:
            pass_on(log, event)
            if not go_on.is_set() and behind(event):
                go_on.wait()

        monkeypatch.setattr(RunLog, "host", host)
        return go_on

    yield hold
    for go_on in held:  # before the window is closed, which waits for the run
        go_on.set()


def drop(widget: QWidget, *paths: Path | str) -> None:
    """Drop files on a widget as a file manager does, with the real events."""
    data = QMimeData()
    data.setUrls([QUrl(path) if isinstance(path, str) else QUrl.fromLocalFile(str(path)) for path in paths])
    drop_data(widget, data)


def drop_data(widget: QWidget, data: QMimeData) -> None:
    """Drop any data on a widget, with the real events."""
    place = QPoint(widget.width() // 2, widget.height() // 2)
    action, button, no_key = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter = QDragEnterEvent(place, action, data, button, no_key)
    QApplication.sendEvent(widget, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(widget, QDropEvent(QPointF(place), action, data, button, no_key))


def wait_for_end(window: StudioWindow, qtbot: QtBot) -> None:
    """Wait until no run goes on."""
    qtbot.waitUntil(lambda: not window.studio.running, timeout=PATIENCE_MS)


def wait_for_all(window: StudioWindow) -> None:
    """Wait until nothing of a closed window goes on: closing it waits for some seconds only, and what a slow
    machine ends later would meet what the test looks at, or the next test.
    """
    assert window.studio.close(PATIENCE_MS / 1000)
    assert window.knowledge.close(PATIENCE_MS / 1000)
    assert window.readiness.close(PATIENCE_MS / 1000)


def statuses(window: StudioWindow) -> list[tuple[str, str]]:
    """The names and states of the list."""
    return [(item.name, item.status) for item in window.studio.recordings.items]


@pytest.fixture
def run_folder(repository: Path, data_folder: Path) -> Path:
    """The runs folder with one run."""
    shutil.copytree(repository / "tests/data/runs/three-recordings", data_folder / "runs" / RUN)
    return data_folder / "runs" / RUN


def show_run(window: StudioWindow, qtbot: QtBot, folder: Path) -> None:
    """Open a run as the history does."""
    qtbot.waitUntil(lambda: window.history.model.rowCount() > 0, timeout=PATIENCE_MS)
    window.history.open_wanted.emit(folder)
    qtbot.waitUntil(
        lambda: window.studio.shown is not None and window.studio.shown.folder == folder, timeout=PATIENCE_MS
    )
