"""Commands that take results away, bring foreign ones in, and keep the list of runs in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit

from as2d.app.export.dialog import ExportDialog
from as2d.app.export.saving import Saving
from as2d.app.history.labelling import RunLabelling
from as2d.app.operations.operation import Operation
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.export import Exportable, ExportKind, recordings_of
from as2d.app.viewmodels.run import RunViewModel

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.runs.labels import Labels

BUNDLE_ENDING = "as2d"


def run_to_take(window: StudioWindow) -> RunViewModel | None:
    """The run that can be taken away: that of the current recording, else the one that is shown; None: there
    is none, or it goes on.
    """
    item = window.follower.item
    run = (window.studio.run_of(item) if item is not None else None) or window.studio.shown
    return run if run is not None and run.folder is not None and run is not window.studio.live else None


class TakingAway:
    """One method a command."""

    def __init__(self, window: StudioWindow) -> None:
        self._window = window

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "transcript.export": self.export,
            "transcript.export_all": lambda: self.export("transcript", each=True),
            "timeline.export": lambda: self.export("picture"),
            "run.bundle": lambda: self.export("bundle"),
            "bundle.open": self.open_bundles,
            "history.bundle": self.bundle_selected,
            "history.rename": self.rename,
            "history.tag": self.tag,
            "history.compare": self.compare,
        }

    def export(self, first: ExportKind = "transcript", *, each: bool = False) -> None:
        """Ask what to take away of the run that is shown, with what was corrected a moment ago."""
        self._window.desk.finish()
        self._window.desk.corrections.when_written(lambda: self._export(first, each=each))

    def _export(self, first: ExportKind, *, each: bool) -> None:
        source = self.source()
        if source is None:
            self._window.say("error", tr("A run can be exported when it has ended."))
            return
        dialog = ExportDialog(source, self._window, dark=self._window.theme.scheme == "dark", first=first)
        if each:
            dialog.choose_each()
        dialog.wanted.connect(lambda choice: Saving(self._window).save(source, choice))
        dialog.open()

    def source(self) -> Exportable | None:
        """What can be taken away; None while the run goes on, or when none is shown."""
        from as2d.backend.runs.corrections import CORRECTIONS_NAME

        window = self._window
        item, run = window.follower.item, run_to_take(window)
        if run is None or run.folder is None:
            return None
        view = window.calls.view
        audio_time = view.canvas.view.audio_time
        return Exportable(
            run,
            run.folder,
            recordings_of(run),
            item.recording if item is not None and item.recording in dict(recordings_of(run)) else None,
            (run.folder / CORRECTIONS_NAME).is_file(),
            window.desk.as_decoded,
            _seconds(run, view.navigator.span, audio_time) if window.calls.model is run.timeline else None,
            audio_time,
        )

    def open_bundles(self) -> None:
        """Ask for bundles, and open them."""
        names, _ = QFileDialog.getOpenFileNames(
            self._window,
            tr("Open a run bundle"),
            self._window.settings.current.last_folder or str(Path.home()),
            f"{tr('Run bundles')} (*.{BUNDLE_ENDING});;{tr('All files')} (*)",
        )
        if names:
            self._window.settings.change(last_folder=str(Path(names[0]).parent))
            self._window.studio.open_bundles([Path(name) for name in names])

    def bundle_selected(self) -> None:
        """Pack the selected runs of the history into one file."""
        rows = self._window.history.selected()
        start = Path(self._window.settings.current.last_folder or Path.home())
        stem = rows[0].run if len(rows) == 1 else tr("{n} runs", n=len(rows))
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            tr("Pack into a run bundle"),
            str(start / f"{stem}.{BUNDLE_ENDING}"),
            f"{tr('Run bundles')} (*.{BUNDLE_ENDING})",
        )
        if not name or not rows:
            return
        path = Path(name) if Path(name).suffix else Path(f"{name}.{BUNDLE_ENDING}")
        self._window.settings.change(last_folder=str(path.parent))
        operation = Operation(
            tr("Packing the runs"),
            lambda operation: _pack([row.run for row in rows], path, operation),
            can_be_cancelled=True,
        )
        operation.succeeded.connect(
            lambda _result: self._window.tell(tr("The bundle was saved as {path}.", path=path), path.parent)
        )
        operation.failed.connect(lambda error: self._window.say("error", error.message))
        self._window.desk.finish()
        self._window.desk.corrections.when_written(lambda: self._window.studio.operations.start(operation))

    def compare(self) -> None:
        """Hold the selected runs against each other, the oldest as the reference."""
        runs = sorted((row.created, row.run) for row in self._window.history.selected())
        if not runs:
            return
        self._window.compare_deeds.compare_runs([run for _, run in runs])

    def rename(self) -> None:
        """Ask for a name of the first selected run."""
        rows = self._window.history.selected()[:1]
        for row in rows:
            self._ask(
                tr("Name of the run"),
                tr("A name for {title}; leave it empty for none.", title=row.title or row.run),
                row.name or "",
                lambda name, run=row.run: self._label(  # type: ignore[misc]
                    [run], lambda labels: labels.named(name), tr("naming a run")
                ),
            )

    def tag(self) -> None:
        """Ask for the tags of the selected runs: those that all of them have are shown."""
        rows = self._window.history.selected()
        if not rows:
            return
        common = [tag for tag in rows[0].tags.split() if all(tag in row.tags.split() for row in rows)]

        def change(text: str) -> None:
            wanted = text.replace(",", " ").split()
            gone = [tag for tag in common if tag.casefold() not in {word.casefold() for word in wanted}]
            self._label(
                [row.run for row in rows], lambda labels: labels.tagged(wanted, gone), tr("tagging runs")
            )

        self._ask(
            tr("Tags"),
            tr_count(
                len(rows),
                "Tags of the run, with blanks between.",
                "Tags of all {n} runs, with blanks between.",
            ),
            " ".join(common),
            change,
        )

    def _label(self, runs: Sequence[str], change: Callable[[Labels], Labels], what: str) -> None:
        self._window.studio.undo.push(RunLabelling(self._window.history_writer, runs, change, what))

    def _ask(self, title: str, question: str, value: str, answered: Callable[[str], None]) -> None:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(title)
        dialog.setLabelText(question)
        dialog.setTextEchoMode(QLineEdit.EchoMode.Normal)
        dialog.setTextValue(value)
        dialog.setOkButtonText(tr("OK"))
        dialog.setCancelButtonText(tr("Cancel"))
        dialog.textValueSelected.connect(answered)
        dialog.finished.connect(lambda _code: dialog.deleteLater())
        dialog.resize(420, dialog.sizeHint().height())
        dialog.open()


def _seconds(run: RunViewModel, span: tuple[int, int] | None, audio_time: bool) -> tuple[float, float] | None:
    """A span of the timeline's axis in seconds from where its axis counts."""
    if span is None or run.timeline.span is None:
        return None
    origin = 0 if audio_time else run.timeline.span[0]
    return (span[0] - origin) / 1e9, (span[1] - origin) / 1e9


def _pack(runs: Sequence[str], path: Path, operation: Operation) -> None:
    from as2d.backend.bundles.writing import write_bundle
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    store = RunStore(runs_dir())
    write_bundle([store.find(run) for run in runs], path, audio=False, check=operation.cancel.check)
