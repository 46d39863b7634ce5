"""The window: its panels, and how they hang together."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.commands.text_keys import TextKeys
from as2d.app.compare.deeds import CompareDeeds
from as2d.app.compare.panel import ComparePanel
from as2d.app.compare.running import Comparisons
from as2d.app.device.deeds import DeviceDeeds
from as2d.app.device.knowledge import DeviceKnowledge
from as2d.app.device.live import DeviceLive
from as2d.app.device.panel import DevicePanel
from as2d.app.device.phones import Phones
from as2d.app.device.work import DeviceWorks
from as2d.app.history.panel import HistoryPanel
from as2d.app.history.writing import HistoryWriter
from as2d.app.log.messages import MessageLog
from as2d.app.log.panel import LogPanel
from as2d.app.longrun.deeds import LongRunDeeds
from as2d.app.longrun.panel import LongRunPanel
from as2d.app.longrun.running import LongRuns
from as2d.app.microphone.recorder import Recorder
from as2d.app.microphone.strip import MicrophoneStrip
from as2d.app.playback.bar import SoundBar
from as2d.app.playback.player import Player
from as2d.app.playback.sounding import Sounding
from as2d.app.recordings.dropping import can_take, pass_drops_on, paths_of
from as2d.app.recordings.panel import RecordingsPanel
from as2d.app.sentences import in_window
from as2d.app.settings.store import LanesState, SettingsStore, WindowState
from as2d.app.studio import Studio
from as2d.app.theme.theme import Theme
from as2d.app.timeline.view import Arrangement
from as2d.app.transcript.correcting import CorrectionDesk
from as2d.app.transcript.panel import TranscriptPanel
from as2d.app.translation import tr
from as2d.app.waveform.reader import WaveformReader
from as2d.app.window.closing import Closing
from as2d.app.window.commands import add_commands, fill_menus
from as2d.app.window.deeds import Deeds
from as2d.app.window.docks import Docks
from as2d.app.window.follow import Follower
from as2d.app.window.interrupted import take_interrupted
from as2d.app.window.kept_folders import KeptFolders
from as2d.app.window.message_bar import MessageBar
from as2d.app.window.readiness import Readiness
from as2d.app.window.status_line import StatusLine
from as2d.app.window.timeline_host import TimelineHost
from as2d.app.window.top_bar import TopBar

_FIRST_SIZE = (1280, 800)
_FRAME = 48  # px, of a title bar and edges
_WRITE_MS = 400


class StudioWindow(QMainWindow):
    """The studio's only window. `appeared` is emitted once, after its first picture; `closed` when everything
    has ended. `asks`: whether closing may ask the user something.
    """

    appeared = Signal()
    closed = Signal()

    def __init__(self, settings: SettingsStore, theme: Theme) -> None:
        super().__init__()
        self.setWindowTitle(tr("AS²D Studio"))
        self.setAcceptDrops(True)
        self._painted = False
        self.asks = True
        self.closing = Closing(self)
        self.settings = settings
        self._write_soon = QTimer(self)
        self._write_soon.setSingleShot(True)
        self._write_soon.setInterval(_WRITE_MS)
        self._write_soon.timeout.connect(settings.write)
        settings.later = self._write_soon.start
        self.theme = theme
        self.log = MessageLog()
        self.studio = Studio(settings, self)
        self.history_writer = HistoryWriter(self.studio.operations, self)
        self.phones = Phones(self)
        self.knowledge = DeviceKnowledge(settings, self.phones, self)
        self.works = DeviceWorks(self.studio.operations, self)
        self.long_runs = LongRuns(self.studio.operations, self)
        self.comparisons = Comparisons(self.studio.operations, self)
        self.knowledge.busy = lambda key: self.decoding or self.works.of(key) is not None
        self.device_deeds = DeviceDeeds(self)
        self.long_run_deeds = LongRunDeeds(self)
        self.compare_deeds = CompareDeeds(self)
        self.studio.refusal = self._why_no_run
        self.readiness = Readiness(self)
        self.registry = CommandRegistry(self, theme, settings.current.shortcuts)
        self.player = Player(settings.current.volume, self)
        self.recorder = Recorder(self)
        self.desk = CorrectionDesk(self)
        deeds = Deeds(self)
        add_commands(self.registry, deeds.table())
        self._make_panels()
        self._arrange()
        TextKeys(self)
        self.sounding = Sounding(self, self.player, self.waveform)
        self.follower = Follower(self)
        self.device_live = DeviceLive(self)
        self.kept = KeptFolders(self)
        self._connect(deeds)
        self._restore()
        self.follower.follow_all()
        self.follower.follow_undo()
        self.follower.follow_history()
        self.device_deeds.follow()
        self.device_live.follow()
        self.long_run_deeds.follow()
        self.compare_deeds.follow()
        if settings.problem is not None:
            self.say("error", settings.problem.message)
        settings.on_problem(lambda problem: self.say("error", problem.message))

    @property
    def decoding(self) -> bool:
        """Whether anything decodes; only one thing does at a time."""
        return self.studio.running or self.long_runs.running or self.comparisons.running

    def _why_no_run(self) -> str | None:
        """Why no run may begin now; None: it may."""
        found = (deeds.why_no_run() for deeds in (self.long_run_deeds, self.compare_deeds, self.device_deeds))
        return next((reason for reason in found if reason is not None), None)

    def begin(self, files: Sequence[Path]) -> None:
        """What happens after the window has appeared: files are added, phones are looked for."""
        if files:
            self.studio.add(files)
        elif not self.settings.current.started_before:
            self.registry.run("recordings.sample")
        self.settings.change(started_before=True)
        self.phones.watch(self.settings.current.look_for_phones)
        self.knowledge.watch(True)
        self.history_writer.do([_free_deleted_runs])
        take_interrupted(self)
        self.kept.begin()
        self.readiness.begin()
        self.history.shown.connect(self.follower.list_runs_when_free)

    def say(self, kind: str, text: str) -> None:
        """Tell the user: an error, or a note; what the backend says in the window's words."""
        text = in_window(text)
        self.log.say("error" if kind == "error" else "note", text)
        self.message_bar.say("error" if kind == "error" else "note", text)

    def tell(self, text: str, folder: Path | None = None) -> None:
        """Tell the user that something was done; `folder`, where its result is, can be opened from there."""
        self.log.say("note", text)
        self.status.show_idle(text, folder)

    def apply_settings(self) -> None:
        """Take over what the settings say now."""
        self._show_settings()
        self.phones.watch(self.settings.current.look_for_phones)
        self.readiness.follow()

    def _show_settings(self) -> None:
        current = self.settings.current
        self.theme.want(current.scheme)
        self.transcript.set_text_size(current.text_size)
        self.transcript.show_origins(current.show_origins)
        self.registry.action("view.origins").setChecked(current.show_origins)
        self.top_bar.show_settings()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell of the first picture, when it is done."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self.appeared.emit)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere on the window."""
        if can_take(event.mimeData()):
            event.acceptProposedAction()
            self.recordings.mark_drop(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Not here after all."""
        self.recordings.mark_drop(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the files."""
        self.recordings.mark_drop(False)
        local, elsewhere = paths_of(event.mimeData())
        event.acceptProposedAction()
        if local:
            self.studio.add(local)
        if elsewhere:
            self.refuse_addresses(elsewhere)

    def refuse_addresses(self, addresses: Sequence[str]) -> None:
        """Say that what lies elsewhere must be fetched first."""
        self.say(
            "error",
            tr("{address} is not on this computer; save it as a file and drop that.", address=addresses[0]),
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep where everything is, and end what runs."""
        event.setAccepted(self.closing.close())
        if event.isAccepted():
            self.closed.emit()

    def arrangement(self) -> WindowState:
        """Where everything is."""
        return WindowState(
            geometry=_coded(self.saveGeometry()),
            docks=_coded(self.docks.state()),
            lanes=LanesState(**asdict(self.calls.view.arrangement)),
        )

    def _make_panels(self) -> None:
        self.top_bar = TopBar(self.settings, self.theme, self.registry)
        self.message_bar = MessageBar(self.theme)
        self.recordings = RecordingsPanel(self.studio.recordings, self.theme, self.registry)
        self.recordings.put_above_footer(MicrophoneStrip(self.recorder, self.theme))
        self.waveform = WaveformReader(self.studio.operations, self)
        bar = SoundBar(self.player, self.waveform, self.theme, self.registry, self.settings)
        self.transcript = TranscriptPanel(self.theme, self.registry, self.settings.current.text_size, bar)
        self.device = DevicePanel(
            self.settings, self.theme, self.registry, self.phones, self.knowledge, self.works
        )
        self.device.collect_wanted = self.device_deeds.phone.collect
        self.history = HistoryPanel(self.registry)
        self.long_run = LongRunPanel(self.settings, self.theme, self.registry)
        self.compare = ComparePanel(self.settings, self.theme, self.registry)
        self.log_panel = LogPanel(self.log, self.theme)
        self.calls = TimelineHost(self)
        self.status = StatusLine()

    def _arrange(self) -> None:
        middle = QMainWindow()
        self.docks = Docks(middle, self.theme)
        self.docks.add("transcript", tr("Transcript"), self.transcript, "centre")
        self.docks.add("compare", tr("Compare"), self.compare, "centre")
        self.docks.add("device", tr("Device"), self.device, "centre")
        self.docks.add("longrun", tr("Long run"), self.long_run, "centre")
        self.docks.add("history", tr("History"), self.history, "centre")
        self.docks.place("recordings", tr("Recordings"), self.recordings, "left", "transcript")
        self.docks.add("timeline", tr("Timeline"), self.calls.timeline_place, "bottom")
        self.docks.add("log", tr("Messages"), self.log_panel, "bottom")
        self.docks.place("inspector", tr("Call"), self.calls.inspector_place, "right", "transcript")
        whole = QWidget()
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top_bar)
        layout.addWidget(middle, 1)
        self.message_bar.float_over(whole)
        pass_drops_on(whole)
        self.setCentralWidget(whole)
        self.setStatusBar(self.status)
        self.resize(*_FIRST_SIZE)
        self.docks.show("timeline")
        self.docks.show("transcript")
        self.docks.finish({"recordings": [236, 690, 354], "timeline": [335, 315]})
        fill_menus(self.menuBar(), self.registry, self.docks.toggles())

    def _connect(self, deeds: Deeds) -> None:
        self.recordings.dropped.connect(self.studio.add)
        self.recordings.model.moved.connect(self.studio.move_before)
        self.recordings.refused_addresses.connect(self.refuse_addresses)
        self.recordings.current_changed.connect(self.follower.show_item)
        self.history.open_wanted.connect(self.studio.open_run)
        self.history.search_wanted.connect(self.follower.search_runs)
        self.recordings.selection_changed.connect(self.follower.follow_running)
        self.history.selection_changed.connect(self.follower.follow_history)
        self.studio.undo.indexChanged.connect(self.follower.follow_undo)
        self.calls.call_selected.connect(self.follower.show_words)
        self.transcript.piece_chosen.connect(self.follower.show_piece)
        self.desk.changed.connect(self.follower.follow_all)
        self.long_run_deeds.connect_all()
        self.compare_deeds.connect_all()
        self.transcript.editor.edited.connect(self.desk.save)
        self.transcript.editor.left.connect(self.desk.toggle)
        self.recorder.finished.connect(lambda path: self.studio.add([path]))
        self.recorder.failed.connect(lambda text: self.say("error", text))
        self.recorder.changed.connect(self._follow_recorder)
        self.studio.failed.connect(lambda text: self.say("error", text))
        self.studio.refused.connect(lambda text: self.log.say("error", in_window(text)))
        self.studio.troubled.connect(self.log.say)
        self.history_writer.failed.connect(lambda text: self.say("error", text))
        self.history_writer.changed.connect(self.follower.list_runs)
        self.studio.noted.connect(lambda text: self.say("note", text))
        self.studio.told.connect(self.tell)
        self.phones.changed.connect(lambda: self.top_bar.show_phones(self.phones.now))
        self.registry.changed.connect(deeds.keep_shortcuts)
        self.device.chosen.connect(self.device_deeds.follow)
        self.studio.running_changed.connect(lambda _running: self.device_deeds.follow())
        self.top_bar.changed.connect(self.device_deeds.follow)
        self.top_bar.changed.connect(self.device.read_again)
        self.top_bar.changed.connect(self.readiness.follow)
        self.studio.run_recorded.connect(self.device.read_again)
        self.kept.runs_changed.connect(self.follower.list_runs_when_free)
        self.kept.measured_changed.connect(self.device.read_again)
        self.kept.models_changed.connect(self.device.read_again)
        self.kept.models_changed.connect(self.top_bar.show_models)
        self.top_bar.chip.button.clicked.connect(lambda: self.docks.show("device"))
        self.top_bar.changed.connect(self.follower.follow_all)
        self.theme.changed.connect(self.follower.follow_running)

    def _follow_recorder(self) -> None:
        recording = self.recorder.recording
        if recording:
            self.player.pause()  # the microphone would hear it
        text = tr("Stop &recording") if recording else tr("Record from the &microphone")
        if text != self.registry.action("recordings.record").text():
            self.registry.rename("recordings.record", text)

    def _restore(self) -> None:
        state = self.settings.current.window
        if state.geometry:
            self.restoreGeometry(_decoded(state.geometry))
        elif self.screen().availableSize().height() < _FIRST_SIZE[1] + _FRAME:
            self.setWindowState(Qt.WindowState.WindowMaximized)
        if state.docks:
            self.docks.restore(_decoded(state.docks))
        self.calls.view.arrange(Arrangement(**state.lanes.model_dump()))
        self._show_settings()


def _free_deleted_runs() -> None:
    """Those that were deleted before this start; their deletion cannot be undone any more."""
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    RunStore(runs_dir()).empty_aside()


def _coded(state: QByteArray) -> str:
    return base64.b64encode(state.data()).decode("ascii")


def _decoded(text: str) -> QByteArray:
    return QByteArray(base64.b64decode(text))
