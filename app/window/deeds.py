"""What the window's commands do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from as2d.app.playback.player import SKIP_S
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.timed_lines import timed_lines
from as2d.app.window.taking_away import TakingAway
from as2d.backend.audio.folders import SOUND_ENDINGS
from as2d.backend.cli.log_file import log_file
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow

_SIZES = (9, 40)
_SIZE_STEP = 2


class Deeds:
    """One method a command; all act on what is selected or shown in the window.

    What a command needs is loaded by it: the window appears before that.
    """

    def __init__(self, window: StudioWindow) -> None:
        self._window = window

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        window, studio = self._window, self._window.studio
        return {
            **window.device_deeds.table(),
            **window.long_run_deeds.table(),
            **window.compare_deeds.table(),
            "recordings.add": self._add,
            "recordings.folder": self._add_folder,
            "recordings.sample": self._add_sample,
            "recordings.record": window.recorder.toggle,
            "recordings.cancel": lambda: studio.cancel(window.recordings.selected()),
            "recordings.again": lambda: studio.again(window.recordings.selected()),
            "recordings.up": lambda: self._move(-1),
            "recordings.down": lambda: self._move(1),
            "recordings.remove": lambda: studio.remove(window.recordings.selected()),
            **TakingAway(window).table(),
            "transcript.copy": self._copy,
            "transcript.copy_times": self._copy_times,
            "transcript.correct": window.desk.toggle,
            "transcript.decoded": self._toggle_decoded,
            "transcript.restore": window.desk.restore,
            "transcript.find": self._find,
            "edit.undo": studio.undo.undo,
            "edit.redo": studio.undo.redo,
            "run.start": self._run,
            "run.cancel": studio.cancel_all,
            "history.open": lambda: window.history.open_current(),
            "history.delete": self._delete_runs,
            "playback.toggle": window.player.toggle,
            "playback.back": lambda: window.player.skip(-SKIP_S),
            "playback.forward": lambda: window.player.skip(SKIP_S),
            "playback.slower": lambda: window.player.step_speed(-1),
            "playback.faster": lambda: window.player.step_speed(1),
            "view.recordings": lambda: window.docks.show("recordings"),
            "view.transcript": lambda: window.docks.show("transcript"),
            "view.timeline": lambda: window.docks.show("timeline"),
            "view.inspector": lambda: window.docks.show("inspector"),
            "view.device": lambda: window.docks.show("device"),
            "view.history": lambda: window.docks.show("history"),
            "view.log": lambda: window.docks.show("log"),
            "view.origins": self._toggle_origins,
            "view.larger": lambda: self._resize_text(_SIZE_STEP),
            "view.smaller": lambda: self._resize_text(-_SIZE_STEP),
            "view.reset": lambda: window.docks.reset(),
            "app.palette": self._palette,
            "app.settings": self._settings,
            "app.shortcuts": self._shortcuts,
            "app.log_file": self._open_log_file,
            "app.about": self._about,
            "app.quit": self._quit,
        }

    def _run(self) -> None:
        if not self._window.studio.recordings.waiting():
            self._window.studio.again(self._window.recordings.selected())
        self._window.studio.start()

    def keep_shortcuts(self) -> None:
        """Write down the shortcuts that the user changed."""
        self._window.settings.change(shortcuts=self._window.registry.own_shortcuts())

    def _add(self) -> None:
        endings = " ".join(f"*.{ending}" for ending in sorted(SOUND_ENDINGS))
        names, _ = QFileDialog.getOpenFileNames(
            self._window,
            tr("Add recordings"),
            self._window.settings.current.last_folder or str(Path.home()),
            f"{tr('Recordings')} ({endings});;{tr('All files')} (*)",
        )
        if names:
            self._window.settings.change(last_folder=str(Path(names[0]).parent))
            self._window.studio.add([Path(name) for name in names])

    def _add_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self._window, tr("Add a folder"), self._window.settings.current.last_folder or str(Path.home())
        )
        if name:
            self._window.settings.change(last_folder=name)
            self._window.studio.add([Path(name)])

    def _add_sample(self) -> None:
        from as2d.backend.transcribe.sample import sample_recording

        try:
            self._window.studio.add([sample_recording()])
        except UserError as error:
            self._window.say("error", error.message)

    def _move(self, by: int) -> None:
        items = self._window.recordings.selected()
        for item in items if by < 0 else reversed(items):
            self._window.studio.move(item, by)

    def _copy(self) -> None:
        view = self._window.transcript.text_in_use
        if view.textCursor().hasSelection():
            view.copy()
        elif self._window.transcript.text is not None:
            self._window.desk.save()
            QGuiApplication.clipboard().setText(self._window.transcript.whole_text())
            self._window.status.show_idle(tr("The transcript was copied."))

    def _copy_times(self) -> None:
        text = self._window.transcript.text
        if text is not None:
            QGuiApplication.clipboard().setText(timed_lines(text))
            self._window.status.show_idle(tr("The transcript was copied with times."))

    def _toggle_decoded(self) -> None:
        self._window.desk.show_decoded(self._window.registry.action("transcript.decoded").isChecked())

    def _find(self) -> None:
        self._window.docks.show("transcript")
        self._window.transcript.find_bar.open_bar()

    def _delete_runs(self) -> None:
        from as2d.app.history.deletion import RunDeletion

        rows = self._window.history.selected()
        if rows:
            runs = [row.run for row in rows]
            self._window.studio.undo.push(RunDeletion(self._window.history_writer, runs))
            self._window.tell(
                tr_count(
                    len(runs),
                    "{n} run was deleted; Undo brings it back.",
                    "{n} runs were deleted; Undo brings them back.",
                )
            )

    def _toggle_origins(self) -> None:
        shown = self._window.registry.action("view.origins").isChecked()
        self._window.settings.change(show_origins=shown)
        self._window.transcript.show_origins(shown)

    def _resize_text(self, by: int) -> None:
        size = max(_SIZES[0], min(self._window.settings.current.text_size + by, _SIZES[1]))
        self._window.settings.change(text_size=size)
        self._window.transcript.set_text_size(size)

    def _palette(self) -> None:
        from as2d.app.commands.palette import CommandPalette

        CommandPalette(self._window.registry, self._window).show()  # not modal: a click beside it closes it

    def _shortcuts(self) -> None:
        from as2d.app.commands.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._window.registry, self._window).open()

    def _about(self) -> None:
        from as2d.app.about.dialog import AboutDialog

        AboutDialog(self._window).open()

    def _settings(self) -> None:
        from as2d.app.settings.dialog import SettingsDialog

        dialog = SettingsDialog(self._window.settings, self._window)
        dialog.accepted.connect(self._window.apply_settings)
        dialog.open()

    def _quit(self) -> None:
        self._window.close()

    def _open_log_file(self) -> None:
        path = log_file()
        if path.is_file():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
        else:
            self._window.tell(tr("There is no log file: nothing went wrong so far."))
