"""The end of the window: what is open is kept, and what runs ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox

from as2d.app.operations.operation import PATIENCE_S
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.recordings import ENDED

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


class Closing:
    """Asks before what decodes is ended. The question holds nothing up: a window that is told to close
    without one, as by a signal, does so beside it.
    """

    def __init__(self, window: StudioWindow) -> None:
        self._window = window
        self._question: QMessageBox | None = None
        self._agreed = False

    def close(self) -> bool:
        """End everything, or ask whether to; whether the window closes now."""
        going = _what_decodes(self._window) if self._window.asks and not self._agreed else None
        if going is not None:
            self._ask(*going)
            return False
        self._agreed = False
        if self._question is not None:
            self._question.reject()
        return _close_in_order(self._window)

    def _ask(self, what: str, kept: str) -> None:
        if self._question is not None:
            self._question.activateWindow()
            return
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(tr("Quit AS²D Studio"))
        box.setText(what)
        box.setInformativeText(kept)
        leave = box.addButton(tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        stay = box.addButton(tr("Keep running"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.finished.connect(lambda _result: self._answered(box.clickedButton() is leave))
        self._question = box
        box.open()

    def _answered(self, leave: bool) -> None:
        if self._question is not None:
            self._question.deleteLater()
            self._question = None
        if leave:
            self._agreed = True
            self._window.close()


def _what_decodes(window: StudioWindow) -> tuple[str, str] | None:
    """What decodes and was not told to end yet, and what is kept of it; None: nothing does."""
    if window.studio.running and not window.studio.stopping:
        own = (None, window.studio.live.number if window.studio.live is not None else None)
        items = window.studio.recordings.items
        left = sum(item.run in own and item.status not in ENDED for item in items)
        what = tr_count(
            left, "{n} recording is still being decoded.", "{n} recordings are still being decoded."
        )
        return what, tr("What was decoded so far is kept; the history lists the run as interrupted.")
    if window.comparisons.running and not window.comparisons.stopping:
        done, total = window.comparisons.done_of_total
        what = (
            tr("A comparison is being run: {done} of {total} decodes are done.", done=done, total=total)
            if total
            else tr("A comparison is being run.")
        )
        return what, tr("What was decoded so far is kept; it goes on from there when it is run again.")
    if window.long_runs.running and not window.long_runs.stopping:
        return tr("A long run goes on."), tr("What was decoded so far is kept; the long run ends here.")
    return None


def _close_in_order(window: StudioWindow) -> bool:
    """End everything: all of it is asked to before any is waited for. False: the user stays in the window."""
    window.desk.finish()
    if not window.desk.corrections.flush() and window.asks and not _may_lose_corrections(window):
        return False
    window.settings.change(window=window.arrangement().model_dump())
    window.docks.hide()  # what has to end does so unseen
    window.hide()
    end = time.monotonic() + PATIENCE_S

    def left() -> float:
        return max(end - time.monotonic(), 0)

    window.recorder.stop()
    window.knowledge.cancel()
    window.studio.leave()
    window.readiness.leave()
    recorded = window.recorder.close(left())
    if recorded is not None:
        window.settings.change(recorded_last=str(recorded))
    window.settings.later = None
    window.settings.write()
    window.player.close()
    window.compare_deeds.close(left())
    window.studio.close(left())
    window.readiness.close(left())
    window.knowledge.close(left())
    window.phones.close(left())
    return True


def _may_lose_corrections(window: StudioWindow) -> bool:
    """Ask whether the window may close although a correction could not be written."""
    answer = QMessageBox.question(
        window,
        tr("Corrections are not saved"),
        tr("What was corrected could not be written; the messages say why. Close the window and lose it?"),
        QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel,
        QMessageBox.StandardButton.Cancel,
    )
    return answer == QMessageBox.StandardButton.Discard
