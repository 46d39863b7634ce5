"""The end of the window: what is open is kept, and what runs ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox

from as2d.app.operations.operation import PATIENCE_S
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


def close_in_order(window: StudioWindow) -> bool:
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
