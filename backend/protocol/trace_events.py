"""What the helper records of a window for replay."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from as2d.backend.protocol.decode_events import Stop
from as2d.backend.protocol.message import Answer, Message
from as2d.backend.protocol.ops import Task


class HexText(Message):
    """Bytes of a text that are no whole UTF-8 characters."""

    hex: str = Field(pattern=r"^([0-9a-f]{2})+$")


Piece = tuple[
    str | HexText,
    Annotated[float, Field(ge=0, le=1)],
    Annotated[int, Field(ge=0)],
    bool,
]
"""One step of the drafter: text, confidence, width (tokens run through the drafter), end of text."""


class Continuation(Message):
    """What the drafter says when it goes on from the text of the first `after` tokens of the answer."""

    after: int = Field(ge=1)
    pieces: tuple[Piece, ...]


class EncoderTimes(Message):
    """Audio preparation of one window, ms: encoders, and cross keys and values."""

    target_ms: float = Field(ge=0)
    target_cross_ms: float = Field(ge=0)
    drafter_ms: float = Field(ge=0)
    drafter_cross_ms: float = Field(ge=0)


class TraceContent(Message):
    """Target, drafter and work of one window.

    `tokens` is the answer, a stopping end of text included, `margins` the difference of the two best logits
    at each, null where only one token could win. `own` is the drafter's own history, empty where it does
    not know the language; an `after` missing from `continuations` goes on from the nearest earlier one
    whose text begins with the tokens in between. `logit_gap` is g of the margin guard, `token_limit` the
    most tokens of an answer, `call_ms` the median of the scalar calls.
    """

    window: str
    language: str
    task: Task
    prompt_tokens: int = Field(ge=1)
    tokens: tuple[int, ...]
    margins: tuple[float | None, ...]
    stop: Stop
    no_speech_prob: float
    end_token: int
    token_limit: int = Field(ge=1)
    logit_gap: float = Field(ge=0)
    own: tuple[Piece, ...]
    continuations: tuple[Continuation, ...]
    encoder: EncoderTimes
    prefill_ms: float = Field(ge=0)
    call_ms: float = Field(ge=0)


class Traced(TraceContent, Answer):
    """The recorded window."""

    event: Literal["trace"] = "trace"
