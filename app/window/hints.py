"""What stands in the transcript's place while there is no text."""

from __future__ import annotations

from as2d.app.sentences import in_window
from as2d.app.translation import tr
from as2d.app.viewmodels.recordings import RecordingItem


def hint_for(item: RecordingItem, problem: str | None, *, running: bool, first: bool) -> tuple[str, bool]:
    """What the transcript's place says of a recording that has no text, and whether to offer Run; `problem`:
    why it cannot be read, where that was found out already; `first`: no other one is decoded, or will be,
    before it.
    """
    match item.status:
        case "waiting" if problem is not None:
            return in_window(problem), False
        case "waiting" if running and first:
            return tr("It is the first: its text appears as soon as the models are ready."), False
        case "waiting" if running:
            return tr("It waits until the recordings before it are decoded."), False
        case "waiting":
            return tr("It is ready to be decoded. Its text appears here while it is computed."), True
        case "active":
            return tr("It is being prepared; the first words appear in a moment."), False
        case "done":
            return tr("There is no speech in this recording."), False
        case "cancelled":
            return tr("It was cancelled before there was any text."), False
    return in_window(item.message or ""), False
