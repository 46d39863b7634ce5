"""The models of the last run are loaded while the window opens, and stay loaded from run to run."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, HoldBehind, OpenStudio, wait_for_all, wait_for_end

from as2d.app.settings.dialog import SettingsDialog
from as2d.app.window.main_window import StudioWindow
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.events import Hello, Loaded
from as2d.backend.protocol.host_events import RecordingQueued, StepProgress
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe import preloading
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.ready import Loader, ModelChoice, ReadyModels
from as2d.backend.transcribe.settings import TranscribeSettings

SENTENCE = "ask what you can do for your country."


_OTHERS: set[int] = set()


@pytest.fixture(autouse=True)
def others() -> None:
    """Helpers that fixtures of other modules keep for the whole session are none of a window's."""
    _OTHERS.clear()
    _OTHERS.update(helpers())


def helpers() -> list[int]:
    """The process ids of the helpers that this process has started since the test began and that run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            before, after = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:  # it ended meanwhile
            continue
        state, parent = after.split()[:2]
        if before.endswith("(as2d-helper") and state != "Z" and int(parent) == os.getpid():
            found.append(int(folder.name))
    return [pid for pid in found if pid not in _OTHERS]


def opened(open_studio: OpenStudio, qtbot: QtBot, **settings: object) -> StudioWindow:
    """The window once its models are loaded."""
    window = open_studio(keep_models=True, **settings)
    qtbot.waitUntil(lambda: window.readiness.models.loaded, timeout=PATIENCE_MS)
    return window


def run_again(window: StudioWindow, qtbot: QtBot) -> list[RecordedEvent]:
    """Decode the sample; what was recorded of it."""
    window.studio.again(window.studio.recordings.items)
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    folder = window.studio.shown.folder  # type: ignore[union-attr]
    return list(RunStore(folder.parent).find(folder.name).events())  # type: ignore[union-attr]


def helpers_of(events: Sequence[RecordedEvent]) -> list[int]:
    return [event.pid for event in events if isinstance(event, Hello)]


def tokens_of(events: Sequence[RecordedEvent]) -> list[tuple[int, ...]]:
    return [tuple(event.tokens) for event in events if isinstance(event, Result)]


_loader_of = preloading.loader_of


class SlowModules:
    """The modules that load models, as on a cold start: nothing is loaded until `read` is set."""

    def __init__(self) -> None:
        self.wanted = threading.Event()
        self.read = threading.Event()

    def loader_of(self, settings: TranscribeSettings) -> Loader:
        self.wanted.set()
        self.read.wait()
        return _loader_of(settings)


@pytest.fixture
def slow_modules(open_studio: OpenStudio, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModules]:
    modules = SlowModules()
    monkeypatch.setattr(preloading, "loader_of", modules.loader_of)
    yield modules
    modules.read.set()  # before the window is closed, which waits for them


def test_the_first_run_and_the_next_take_the_models_that_were_loaded_with_the_window(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = opened(open_studio, qtbot)
    ready = helpers()
    assert len(ready) == 1
    first, second = run_again(window, qtbot), run_again(window, qtbot)
    for events in (first, second):
        assert helpers_of(events) == ready
        loaded = [event for event in events if isinstance(event, Loaded)]
        assert [event.model for event in loaded] == ["target", "drafter"]
        queued = next(event.t for event in events if isinstance(event, RecordingQueued))
        assert all(event.end < queued for event in loaded)  # told as what it is: loaded before
        steps = [event.step for event in events if isinstance(event, StepProgress)]
        assert not [step for step in steps if step == "start the helper" or step.startswith("load whisper")]
    assert helpers() == ready

    window.settings.change(keep_models=False)
    own = run_again(window, qtbot)
    assert helpers_of(own) != ready
    assert tokens_of(first) == tokens_of(second) == tokens_of(own)
    assert helpers() == []


def test_a_run_with_other_models_loads_its_own_and_leaves_those(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = opened(open_studio, qtbot)
    ready = helpers()
    window.settings.change_decode(method="target-only")
    alone = run_again(window, qtbot)
    assert helpers_of(alone) == helpers() != ready
    assert [event.model for event in alone if isinstance(event, Loaded)] == ["target"]
    again = run_again(window, qtbot)
    assert helpers_of(again) == helpers_of(alone)
    assert tokens_of(again) == tokens_of(alone)


def test_a_recording_that_is_refused_does_not_lose_them(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    window = opened(open_studio, qtbot)
    ready = helpers()
    wrong = tmp_path / "wrong.mp3"
    wrong.write_text("this is no sound at all\n" * 50)
    window.studio.add([wrong])
    events = run_again(window, qtbot)
    assert sorted(item.status for item in window.studio.recordings.items) == ["done", "failed"]
    assert helpers_of(events) == helpers() == ready


def test_a_run_that_begins_while_they_are_loaded_waits_for_them(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = open_studio(keep_models=True)
    qtbot.waitUntil(lambda: len(helpers()) == 1, timeout=PATIENCE_MS)
    loading = helpers()
    events = run_again(window, qtbot)
    assert helpers_of(events) == loading
    assert len([event for event in events if isinstance(event, Loaded)]) == 2


def test_a_run_that_begins_while_the_modules_that_load_them_are_read_waits_for_them_too(
    open_studio: OpenStudio, qtbot: QtBot, slow_modules: SlowModules, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = ReadyModels.take
    asked = threading.Event()

    def noted(models: ReadyModels, choice: ModelChoice, cancel: CancelToken) -> LoadedHelper | None:
        asked.set()
        return take(models, choice, cancel)

    monkeypatch.setattr(ReadyModels, "take", noted)
    window = open_studio(keep_models=True)
    qtbot.waitUntil(slow_modules.wanted.is_set, timeout=PATIENCE_MS)
    window.registry.run("run.start")
    qtbot.waitUntil(asked.is_set, timeout=PATIENCE_MS)
    slow_modules.read.set()
    wait_for_end(window, qtbot)
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    folder = window.studio.shown.folder  # type: ignore[union-attr]
    events = list(RunStore(folder.parent).find(folder.name).events())  # type: ignore[union-attr]
    assert "start the helper" not in [event.step for event in events if isinstance(event, StepProgress)]
    assert helpers_of(events) == helpers()


def test_nothing_is_loaded_beside_a_run_that_begins_with_the_window(
    open_studio: OpenStudio, qtbot: QtBot, slow_modules: SlowModules, hold_behind: HoldBehind
) -> None:
    goes_on = hold_behind(lambda event: isinstance(event, StepProgress))
    window = open_studio(keep_models=True, run_on_drop=True)
    assert window.studio.running
    later = window.readiness.findChild(QTimer)
    assert isinstance(later, QTimer)
    qtbot.waitUntil(lambda: not later.isActive(), timeout=PATIENCE_MS)
    goes_on.set()
    wait_for_end(window, qtbot)
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    assert window.readiness.models.loaded  # the run's own
    assert not slow_modules.wanted.is_set()
    assert len(helpers()) == 1


def _measure(window: StudioWindow, goes_on: threading.Event) -> None:
    window.works.begin(None, "Measuring", lambda _operation: goes_on.wait(), lambda _result: None, alone=True)


def _want_none(window: StudioWindow, _goes_on: threading.Event) -> None:
    window.settings.change(keep_models=False)
    window.readiness.follow()


@pytest.mark.parametrize("happens", [_measure, _want_none])
def test_they_are_let_go_while_the_modules_that_load_them_are_read(
    open_studio: OpenStudio,
    qtbot: QtBot,
    slow_modules: SlowModules,
    happens: Callable[[StudioWindow, threading.Event], None],
) -> None:
    goes_on = threading.Event()
    window = open_studio(keep_models=True)
    try:
        qtbot.waitUntil(slow_modules.wanted.is_set, timeout=PATIENCE_MS)
        happens(window, goes_on)
        with qtbot.waitSignal(window.readiness.settled, timeout=PATIENCE_MS):
            slow_modules.read.set()
        assert not window.readiness.models.loaded
        assert helpers() == []
    finally:
        goes_on.set()


def test_a_helper_that_was_killed_meanwhile_is_not_missed(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = opened(open_studio, qtbot)
    ready = helpers()
    os.kill(ready[0], signal.SIGKILL)
    qtbot.waitUntil(lambda: not window.readiness.models.loaded, timeout=PATIENCE_MS)
    events = run_again(window, qtbot)
    assert len(helpers_of(events)) == 1
    assert helpers_of(events) != ready
    assert window.message_bar.isHidden()


@pytest.mark.parametrize("loaded", [False, True])
def test_closing_the_window_ends_them(open_studio: OpenStudio, qtbot: QtBot, loaded: bool) -> None:
    window = open_studio(keep_models=True)
    qtbot.waitUntil(
        lambda: window.readiness.models.loaded if loaded else bool(helpers()), timeout=PATIENCE_MS
    )
    window.close()
    wait_for_all(window)
    qtbot.waitUntil(lambda: helpers() == [], timeout=PATIENCE_MS)


def test_closing_the_window_in_a_run_that_uses_them_ends_them(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    window = opened(open_studio, qtbot)
    runs = hold_behind(lambda event: isinstance(event, StepProgress) and event.step == "load the models")
    window.registry.run("run.start")
    qtbot.waitUntil(lambda: bool(window.studio.live and window.studio.live.step), timeout=PATIENCE_MS)
    window.studio.leave()
    runs.set()
    window.close()
    wait_for_all(window)
    qtbot.waitUntil(lambda: helpers() == [], timeout=PATIENCE_MS)


def test_without_models_nothing_is_loaded_and_nothing_told(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    window = open_studio(keep_models=True)
    with qtbot.waitSignal(window.readiness.settled, timeout=PATIENCE_MS):
        pass
    assert helpers() == []
    assert not window.readiness.models.loaded
    assert window.message_bar.isHidden()
    assert not (tmp_path / "models" / "folders").exists()


def test_the_settings_and_a_phone_let_them_go(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = opened(open_studio, qtbot)
    dialog = SettingsDialog(window.settings, window)
    qtbot.addWidget(dialog)
    assert dialog.keep_models.isChecked()
    dialog.keep_models.setChecked(False)
    dialog.accepted.connect(window.apply_settings)
    dialog.accept()
    qtbot.waitUntil(lambda: helpers() == [], timeout=PATIENCE_MS)
    assert not window.settings.current.keep_models
    window.settings.change(keep_models=True)
    window.readiness.begin()
    qtbot.waitUntil(lambda: window.readiness.models.loaded, timeout=PATIENCE_MS)
    window.settings.change_decode(device="a phone")
    window.top_bar.changed.emit()
    qtbot.waitUntil(lambda: helpers() == [], timeout=PATIENCE_MS)
