"""The kinds of bars in each lane, with the colour names of resources/palette.json."""

from __future__ import annotations

from enum import IntEnum


class AudioKind(IntEnum):
    """Work of the target on a window's audio, before decoding."""

    ENCODE = 0
    LANGUAGE = 1
    PREFILL = 2


class DraftKind(IntEnum):
    """Work of the drafter; early steps are those before the request."""

    ENCODE = 0
    EARLY = 1
    STEP = 2


class CallKind(IntEnum):
    """Target calls by outcome: all candidates accepted, some, none; no candidates; guard."""

    ALL = 0
    SOME = 1
    NONE = 2
    TARGET_ONLY = 3
    GUARD = 4


class CommitKind(IntEnum):
    """Committed text by where its first token came from."""

    PREFILL = 0
    ACCEPTED = 1
    CORRECTION = 2
    TARGET_ONLY = 3
    GUARD = 4


AUDIO_COLOURS = ("encode", "prefill", "prefill")
DRAFT_COLOURS = ("encode", "draft", "draft")
CALL_COLOURS = ("accepted", "accepted", "correction", "target-only", "guard")
COMMIT_COLOURS = ("prefill", "accepted", "correction", "target-only", "guard")
