"""Recordings that the end of the window or of the program interrupted come into the list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from as2d.app.microphone.recorder import interrupted_recordings
from as2d.app.operations.operation import Operation
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


def take_interrupted(window: StudioWindow) -> None:
    """Look for what was being recorded when the window was closed, or the program killed."""
    last = window.settings.current.recorded_last
    window.settings.change(recorded_last=None)

    def look(_operation: Operation) -> list[Path]:
        closed = [Path(last)] if last is not None and Path(last).is_file() else []
        return [*closed, *interrupted_recordings()]

    operation = Operation(tr("Looking for interrupted recordings"), look)

    def found(paths: list[Path]) -> None:
        if paths:
            window.studio.add(paths)
            window.say(
                "note", tr("{name} was interrupted; what was recorded is in the list.", name=paths[-1].name)
            )

    operation.succeeded.connect(found)
    operation.failed.connect(lambda error: window.say("error", error.message))
    window.studio.operations.start(operation)
