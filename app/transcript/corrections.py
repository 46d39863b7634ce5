"""Corrected texts: kept beside the decoded ones, written in the background, undone and redone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.transcript import RecordingText

if TYPE_CHECKING:
    from as2d.app.viewmodels.transcript import CorrectedText
    from as2d.backend.errors import UserError

_Key = tuple[Path, str]


@dataclass
class _Known:
    """The corrected text of a recording, None where there is none, and how it is shown once that is made;
    `before`: how the text before it was shown.
    """

    text: str | None
    shown: CorrectedText | None = None
    before: CorrectedText | None = None
    making: bool = False


class Corrections(QObject):
    """The corrections of all runs that are looked at. `changed` comes when a text can be shown.

    What could not be written is tried again with the next correction, before an export, and at the end.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._known: dict[_Key, _Known] = {}
        self._unwritten: dict[_Key, tuple[RunViewModel, str | None]] = {}
        self._failed: set[_Key] = set()
        self._writing: Operation | None = None
        self._awaited: list[Callable[[], object]] = []

    def text(self, run: RunViewModel, recording: str) -> str | None:
        """The corrected text; None: there is none."""
        return self._of(run, recording).text if run.folder is not None else None

    def shown(self, run: RunViewModel, recording: str) -> RecordingText:
        """What is to be shown: the corrected text once it is made, else the decoded one."""
        decoded = run.transcript.recordings[recording]
        if run.folder is None:
            return decoded
        known = self._of(run, recording)
        if known.text is not None and known.shown is None and not known.making:
            self._make(run, recording, known)
        return known.shown or (known.before if known.text is not None else None) or decoded

    def keep(self, run: RunViewModel, recording: str, text: str | None) -> None:
        """Let a text be the corrected one; None: there is none any more. It is written at once."""
        if run.folder is None:
            return
        known = self._of(run, recording)
        if known.text == text:
            return
        self._known[run.folder, recording] = _Known(text, before=known.shown or known.before)
        self._unwritten[run.folder, recording] = (run, text)
        self._failed.clear()
        self._write()
        self.changed.emit()

    def when_written(self, do: Callable[[], object]) -> None:
        """Do something when all is written, or what is left cannot be: at once where nothing waits."""
        self._failed.clear()
        self._awaited.append(do)
        self._write()

    def flush(self) -> bool:
        """Write what is not written yet, here and now, as the window ends; whether nothing is left."""
        from as2d.backend.errors import UserError
        from as2d.backend.runs.corrections import write_correction

        if self._writing is not None and not self._writing.wait(10.0):
            return False
        for (folder, recording), (_, text) in list(self._unwritten.items()):
            if folder.is_dir():
                try:
                    write_correction(folder, recording, text)
                except UserError as error:
                    self.failed.emit(error.message)
                    continue
            del self._unwritten[folder, recording]
        return not self._unwritten

    def _of(self, run: RunViewModel, recording: str) -> _Known:
        from as2d.backend.errors import UserError
        from as2d.backend.runs.corrections import read_corrections

        assert run.folder is not None
        key = (run.folder, recording)
        if key not in self._known:
            text = None
            try:
                correction = read_corrections(run.folder).recordings.get(recording)
                text = correction.text if correction is not None else None
            except UserError as error:
                self.failed.emit(error.message)
            self._known[key] = _Known(text)
        return self._known[key]

    def _write(self) -> None:
        """One text after another, so that the last one stays."""
        key = next((key for key in self._unwritten if key not in self._failed), None)
        if self._writing is not None:
            return
        if key is None:
            awaited, self._awaited = self._awaited, []
            for do in awaited:
                do()
            return
        (folder, recording), deed = key, self._unwritten[key]
        text = deed[1]

        def work(_operation: Operation) -> None:
            from as2d.backend.runs.corrections import write_correction

            if folder.is_dir():  # a run that was deleted takes its corrections along
                write_correction(folder, recording, text)

        def done(_nothing: object) -> None:
            if self._unwritten.get(key) is deed:
                del self._unwritten[key]

        def failed(error: UserError) -> None:
            if self._unwritten.get(key) is deed:
                self._failed.add(key)
            self.failed.emit(error.message)

        self._writing = Operation(tr("Saving the correction"), work)
        self._writing.succeeded.connect(done)
        self._writing.failed.connect(failed)
        self._writing.ended.connect(self._written)
        self._operations.start(self._writing)

    def _written(self) -> None:
        self._writing = None
        self._write()

    def _make(self, run: RunViewModel, recording: str, known: _Known) -> None:
        text, folder = known.text, run.folder
        assert text is not None
        assert folder is not None
        known.making = True

        def work(_operation: Operation) -> CorrectedText:
            from as2d.app.viewmodels.corrected import corrected_text
            from as2d.backend.export.corrected import with_text
            from as2d.backend.export.transcript import transcript_of
            from as2d.backend.runs.manifest import read_manifest

            transcript = transcript_of(run.fold, recording, read_manifest(folder))
            return corrected_text(run.transcript.recordings[recording], with_text(transcript, text))

        def made(shown: CorrectedText) -> None:
            known.shown = shown
            self.changed.emit()

        operation = Operation(tr("Aligning the correction"), work)
        operation.succeeded.connect(made)
        operation.failed.connect(lambda error: self.failed.emit(error.message))
        self._operations.start(operation)


class Correcting(QUndoCommand):
    """A correction as something that can be undone."""

    def __init__(
        self,
        corrections: Corrections,
        run: RunViewModel,
        recording: str,
        name: str,
        texts: tuple[str | None, str | None],
    ) -> None:
        """`texts`: before and after."""
        super().__init__(tr("correcting {name}", name=name))
        self._corrections = corrections
        self._run = run
        self._recording = recording
        self._before, self._after = texts

    def redo(self) -> None:
        """The corrected text."""
        self._corrections.keep(self._run, self._recording, self._after)

    def undo(self) -> None:
        """The text before it."""
        self._corrections.keep(self._run, self._recording, self._before)
