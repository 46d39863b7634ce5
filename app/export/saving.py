"""From a choice to a file: asks for its name and writes it beside the window's own work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from as2d.app.operations.operation import Operation
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.export import EACH, FORMS, Exportable, ExportChoice, suggested_name

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.export.content import ContentFormat
    from as2d.backend.export.formats import Format
    from as2d.backend.export.picture import PictureFormat
    from as2d.backend.export.tables import TableName


def export_bytes(source: Exportable, choice: ExportChoice) -> bytes:
    """What the file of an export holds (not of a bundle): the same as `as2d export` writes.

    Raises:
        UserError: it cannot be made.
    """
    from as2d.backend.export.content import export_content
    from as2d.backend.export.picture import Picture

    if choice.kind == "picture":
        from as2d.app.timeline.picture import picture_of

        picture = Picture(
            cast("PictureFormat", choice.form),
            choice.width,
            choice.height,
            choice.scale,
            choice.dark,
            choice.audio_time,
            choice.recording,
            choice.begin_s,
            choice.end_s,
        )
        return picture_of(source.run.timeline, picture)
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    stored = RunStore(runs_dir()).find(str(source.folder))
    return export_content(
        stored,
        "perfetto" if choice.kind == "trace" else cast("ContentFormat", choice.form),
        recording=choice.recording,
        table=cast("TableName", choice.table),
        decoded=choice.decoded,
    )


def save_file(
    source: Exportable, choice: ExportChoice, path: Path, check: Callable[[], None] = lambda: None
) -> str:
    """Write an export; a sentence that says where it is. `check` may raise to stop.

    Raises:
        UserError: it cannot be made or written; no half of it is left.
    """
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.files import storage_error, write_atomically
    from as2d.backend.runs.store import RunStore

    if choice.kind == "bundle":
        from as2d.backend.bundles.writing import write_bundle

        stored = RunStore(runs_dir()).find(str(source.folder))
        missing = write_bundle([stored], path, audio=choice.sound, check=check)
        if missing:
            return tr(
                "The bundle was saved as {path}, without {name}, which is not there any more.",
                path=path,
                name=", ".join(missing),
            )
        return tr("The bundle was saved as {path}.", path=path)
    content = export_bytes(source, choice)
    check()
    try:
        write_atomically(path, content)
    except OSError as error:
        raise storage_error(error, path, tr("the export")) from error
    return tr("The export was saved as {path}.", path=path)


def save_each(
    source: Exportable, choice: ExportChoice, place: Path, check: Callable[[], None] = lambda: None
) -> str:
    """Write the transcript of every recording into a folder; a sentence that says how many. `check` may raise
    to stop.

    Raises:
        UserError: a transcript cannot be written; those before it are.
    """
    from as2d.backend.export.each import write_each
    from as2d.backend.paths import runs_dir
    from as2d.backend.runs.store import RunStore

    stored = RunStore(runs_dir()).find(str(source.folder))
    fold = stored.fold()
    recordings = [fold.recordings[name] for name, _ in source.recordings]
    form = cast("Format", choice.form)
    for _ in write_each(stored, fold, recordings, form, place, decoded=choice.decoded, check=check):
        continue
    return tr_count(
        len(recordings),
        "{n} transcript was saved in {folder}.",
        "{n} transcripts were saved in {folder}.",
        folder=place,
    )


class Saving(QObject):
    """Asks for a place and saves there, telling how it went in the window."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window

    def save(self, source: Exportable, choice: ExportChoice) -> None:
        """Ask where to, and write."""
        start = Path(self._window.settings.current.last_folder or Path.home())
        if choice.recording == EACH:
            name = QFileDialog.getExistingDirectory(
                self._window, tr("Export all transcripts into"), str(start)
            )
            if name:
                self._begin(lambda check: save_each(source, choice, Path(name), check), Path(name))
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            tr("Export"),
            str(start / suggested_name(source, choice)),
            f"{choice.ending} (*.{choice.ending});;{tr('All files')} (*)",
        )
        if not name:
            return
        path = Path(name)
        typed = path.suffix[1:].lower()
        if typed in FORMS.get(choice.kind, ()):
            choice = replace(choice, form=typed)
        elif not path.suffix:
            path = path.with_name(f"{path.name}.{choice.ending}")
        self._begin(lambda check: save_file(source, choice, path, check), path.parent)

    def _begin(self, work: Callable[[Callable[[], None]], str], folder: Path) -> None:
        self._window.settings.change(last_folder=str(folder))
        operation = Operation(
            tr("Exporting"), lambda operation: work(operation.cancel.check), can_be_cancelled=True
        )
        operation.succeeded.connect(lambda text: self._window.tell(str(text), folder))
        operation.failed.connect(lambda error: self._window.say("error", error.message))
        self._window.studio.operations.start(operation)
