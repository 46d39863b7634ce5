"""How a recording's state is told in words. Knows no Qt."""

from __future__ import annotations

from as2d.app.sentences import in_window
from as2d.app.translation import tr
from as2d.app.viewmodels.clock import clock_text
from as2d.app.viewmodels.recordings import RecordingItem


def status_words(item: RecordingItem) -> str:
    """The state in a word or two."""
    match item.status:
        case "waiting":
            return tr("waiting")
        case "active" if item.paused:
            return tr("paused, the device is away")
        case "active":
            fraction = item.fraction
            if fraction is None or fraction == 0:
                return tr("decoding") if item.begun else tr("preparing")
            return tr("{percent} % decoded", percent=int(fraction * 100))
        case "done":
            return tr("done")
        case "failed":
            return tr("failed")
        case "refused":
            return tr("refused")
        case "cancelled":
            return tr("cancelled")


def _without_name(sentence: str, name: str) -> str:
    """The reason alone, where the sentence begins with what was refused: the name stands above it."""
    for colon in (": ", "："):
        head, found, reason = sentence.partition(colon)
        if found and name in head:
            return reason
    return sentence


def details_of(item: RecordingItem) -> str:
    """What there is to say beside the name: the reason of a failure, else the state and the length."""
    if item.message is not None:
        return _without_name(in_window(item.message), item.name)
    parts = [status_words(item)]
    if item.duration_s is not None:
        parts.insert(0, clock_text(item.duration_s))
    if item.reopened:
        parts.append(tr("from the history"))
    if item.warnings:
        parts.append(tr("with warnings"))
    return " · ".join(parts)
