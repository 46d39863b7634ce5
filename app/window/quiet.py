"""Only one thing decodes at a time, and nothing does while its device is being measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from as2d.app.device.knowledge import Key
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


def why_not_now(window: StudioWindow, keys: Iterable[Key]) -> str | None:
    """Why nothing may begin to decode on these devices now: both would be spoiled. None: it may."""
    if window.studio.running:
        return tr("Recordings are being decoded; begin when that has ended, or cancel it.")
    for deeds in (window.long_run_deeds, window.compare_deeds):
        reason = deeds.why_no_run()
        if reason is not None:
            return reason
    for key in keys:
        work = window.works.of(key)
        if work is not None:
            return tr(
                "{device} is busy ({what}); run when that has ended, or cancel it in the Device tab.",
                device=window.device.name_of(key),
                what=work.title,
            )
    return None
