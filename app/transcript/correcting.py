"""Correcting the transcript that is shown: begins, saves itself, ends, and shows what was decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from as2d.app.transcript.corrections import Correcting, Corrections
from as2d.app.translation import tr
from as2d.app.viewmodels.recordings import ENDED, RecordingItem
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.transcript import RecordingText

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


@dataclass(frozen=True)
class _Session:
    """What is being corrected, and its corrected text when that began."""

    run: RunViewModel
    recording: str
    name: str
    before: str | None
    decoded: str


class CorrectionDesk(QObject):
    """The one place where the window's transcripts are corrected. `changed`: another text is to be shown."""

    changed = Signal()

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self.corrections = Corrections(window.studio.operations, self)
        self._session: _Session | None = None
        self._as_decoded = False
        self.corrections.changed.connect(self.changed)
        self.corrections.failed.connect(lambda text: window.say("error", text))

    @property
    def editing(self) -> bool:
        """Whether a text is being corrected."""
        return self._session is not None

    @property
    def as_decoded(self) -> bool:
        """Whether decoded texts are shown although they were corrected."""
        return self._as_decoded

    def shown(self, run: RunViewModel, text: RecordingText) -> RecordingText:
        """What is to be shown of a recording."""
        return text if self._as_decoded else self.corrections.shown(run, text.recording)

    def why_not(self, item: RecordingItem) -> str | None:
        """Why a recording's text cannot be corrected now; None: it can."""
        run = self._window.studio.run_of(item)
        if item.status not in ENDED:
            return tr("The transcript can be corrected when the recording is decoded.")
        if run is None or run.folder is None:  # a correction is kept beside what was decoded
            return tr("The transcript cannot be corrected: its run could not be recorded.")
        return None

    def is_corrected(self, item: RecordingItem | None) -> bool:
        """Whether a recording's text was corrected."""
        run = self._window.studio.run_of(item) if item is not None else None
        if run is None or item is None or item.recording is None:
            return False
        return self.corrections.text(run, item.recording) is not None

    def toggle(self) -> None:
        """Begin to correct what is shown, or end."""
        if self._session is not None:
            self.finish()
        else:
            self._begin()
        self.changed.emit()

    def show_decoded(self, shown: bool) -> None:
        """Show decoded texts, or corrected ones."""
        self.finish()
        self._as_decoded = shown
        self.changed.emit()

    def restore(self) -> None:
        """Let the decoded text count again, which can be undone."""
        self.finish()
        item = self._window.follower.item
        run = self._window.studio.run_of(item) if item is not None else None
        if item is None or run is None or item.recording is None:
            return
        before = self.corrections.text(run, item.recording)
        if before is not None:
            deed = Correcting(self.corrections, run, item.recording, item.name, (before, None))
            self._window.studio.undo.push(deed)

    def save(self) -> None:
        """Keep what is typed so far."""
        session = self._session
        if session is not None:
            text = self._window.transcript.editor.corrected()
            self.corrections.keep(session.run, session.recording, _meant(text, session))

    def finish(self) -> None:
        """End correcting; what was typed is kept as one deed that can be undone."""
        session = self._session
        if session is None:
            return
        after = _meant(self._window.transcript.editor.corrected(), session)
        self._session = None
        self._window.transcript.show_editor(None)
        if after != session.before:
            texts = (session.before, after)
            deed = Correcting(self.corrections, session.run, session.recording, session.name, texts)
            self._window.studio.undo.push(deed)

    def _begin(self) -> None:
        item = self._window.follower.item
        run = self._window.studio.run_of(item) if item is not None else None
        if item is None or run is None or item.recording is None:
            return
        reason = self.why_not(item)
        if reason is not None:
            self._window.say("note", reason)
            return
        self._as_decoded = False
        decoded = run.transcript.recordings[item.recording].text()
        before = self.corrections.text(run, item.recording)
        self._session = _Session(run, item.recording, item.name, before, decoded)
        self._window.docks.show("transcript")
        self._window.transcript.show_editor(before if before is not None else decoded)


def _meant(text: str, session: _Session) -> str | None:
    """None where the text is the decoded one again."""
    return None if text == " ".join(session.decoded.split()) else text
