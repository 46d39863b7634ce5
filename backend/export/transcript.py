"""The transcript of a recording, as `--format json` writes it, derived from a run's stream."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from as2d.backend.errors import InputRefused
from as2d.backend.export.scripts import join_texts
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import decode_seconds, draft_seconds, prepare_seconds
from as2d.backend.metrics.states import RequestState, WindowState
from as2d.backend.protocol.ops import Admission, StartCondition
from as2d.backend.runs.manifest import RunManifest

_DIGITS = 3


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TranscriptWord(_Part):
    """A word: seconds of the recording, and the window's tokens that spell it."""

    text: str
    start: float
    end: float
    first_token: int = Field(ge=0)
    tokens: int = Field(ge=0)


class TranscriptWindow(_Part):
    """A window; `start`, `end` in seconds of the recording, `tokens` the target's text tokens, times in
    seconds.

    A window without speech has empty text and zeros.
    """

    start: float
    end: float
    text: str
    tokens: tuple[int, ...]
    words: tuple[TranscriptWord, ...]
    calls: int = Field(ge=0)
    guard_calls: int = Field(ge=0)
    proposed: int = Field(ge=0)
    accepted: int = Field(ge=0)
    prepare_s: float
    draft_s: float
    decode_s: float


class Transcript(_Part):
    """A recording and how it was decoded; `max_k` = `budget` + 1, the widest target call."""

    audio: str
    text: str
    language: str | None
    method: str
    budget: int = Field(ge=0)
    max_k: int = Field(ge=1)
    admission: Admission
    start_condition: StartCondition
    target: str
    drafter: str | None
    device: str
    run: str
    windows: tuple[TranscriptWindow, ...]
    corrected: bool = Field(description="whether a person corrected the text")


class _Settings(BaseModel):
    """What a transcript needs of a manifest's settings."""

    model_config = ConfigDict(extra="ignore")

    method: str
    budget: int
    admission: Admission
    start_condition: StartCondition


def transcript_of(fold: RunFold, recording: str, manifest: RunManifest) -> Transcript:
    """The transcript of one recording of a run, as far as the stream goes.

    Raises:
        InputRefused: the run is a benchmark, which has no one way of decoding.
    """
    state = fold.recordings[recording]
    try:
        settings = _Settings.model_validate(manifest.settings)
    except ValidationError as error:
        raise InputRefused(
            f"The run {manifest.run} ({manifest.command}) has no transcripts; it compared ways of decoding."
        ) from error
    windows = tuple(_window(window) for window in state.windows)
    return Transcript(
        audio=state.audio,
        text=join_texts(window.text for window in windows),
        language=state.language,
        method=settings.method,
        budget=settings.budget,
        max_k=settings.budget + 1,
        admission=settings.admission,
        start_condition=settings.start_condition,
        target=manifest.target.name,
        drafter=manifest.drafter.name if manifest.drafter is not None else None,
        device=manifest.device.name,
        run=manifest.run,
        windows=windows,
        corrected=False,
    )


def transcript_schema_text() -> str:
    """JSON schema of one line of `--format json`, as indented text."""
    return json.dumps(Transcript.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def _window(window: WindowState) -> TranscriptWindow:
    request = window.answered()
    if request is None or request.result is None:
        return TranscriptWindow(
            start=window.start_s,
            end=window.end_s,
            text="",
            tokens=(),
            words=(),
            calls=0,
            guard_calls=0,
            proposed=0,
            accepted=0,
            prepare_s=0.0,
            draft_s=0.0,
            decode_s=0.0,
        )
    result = request.result
    return TranscriptWindow(
        start=window.start_s,
        end=window.end_s,
        text=result.text.strip(),
        tokens=result.tokens,
        words=_words(window, request),
        calls=result.counters.calls,
        guard_calls=result.counters.guard_calls,
        proposed=result.counters.proposed,
        accepted=result.counters.accepted,
        prepare_s=prepare_seconds(request),
        draft_s=draft_seconds(request),
        decode_s=decode_seconds(result),
    )


def _words(window: WindowState, request: RequestState) -> tuple[TranscriptWord, ...]:
    """The window's words on the recording's clock, inside the window."""
    return tuple(
        TranscriptWord(
            text=word.text,
            start=round(min(window.start_s + word.start, window.end_s), _DIGITS),
            end=round(min(window.start_s + word.end, window.end_s), _DIGITS),
            first_token=word.first_token,
            tokens=word.tokens,
        )
        for word in request.words
    )
