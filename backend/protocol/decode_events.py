"""What the helper says while it decodes a window: spans, drafts, publishes, calls, commits and the result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from as2d.backend.protocol.message import Answer, HelperEvent, Message
from as2d.backend.protocol.ops import Admission, StartCondition

Actor = Literal["target", "drafter"]
CallKind = Literal["verify", "target-only", "guard"]
CallReason = Literal[
    "candidates", "none-published", "no-match", "producer-none", "budget-zero", "at-limit", "guard"
]
Origin = Literal["prefill", "accepted", "correction", "target-only", "guard"]
Stop = Literal["end_of_text", "length_limit", "repetition", "no_speech", "cancelled"]


class Stage(HelperEvent):
    """A span of work outside the decode loop."""

    event: Literal["stage"] = "stage"
    window: str
    actor: Actor
    stage: Literal["encoder", "cross", "language", "prefill"]
    start: int
    end: int
    threads: int = Field(ge=1)


class Draft(HelperEvent):
    """One step of the drafter: the text it appended and how sure it was (probability of its own choice).

    `width` is the number of tokens it ran through the drafter: 1, or more where it had to catch up.
    """

    event: Literal["draft"] = "draft"
    window: str
    epoch: int = Field(ge=0)
    step: int = Field(ge=0)
    start: int
    end: int
    text: str
    drafter_tokens: int = Field(ge=0)
    confidence: float = Field(ge=0, le=1)
    end_of_text: bool
    width: int = Field(default=1, ge=0)


class Publish(HelperEvent):
    """Target tokens that became usable; `first` is the index of the first, `length` the published length
    after it.
    """

    event: Literal["publish"] = "publish"
    window: str
    epoch: int = Field(ge=0)
    first: int = Field(ge=0)
    tokens: tuple[int, ...]
    texts: tuple[str, ...]
    length: int = Field(ge=0)


class Call(HelperEvent):
    """One target call.

    `k` = 1 + candidates; `choices` are the target's own tokens g0..gm, `margins` the difference of the two
    best logits at each; `accepted` of the candidates equal the choices before them; `published` and
    `cursor` are the draft stream's length and the aligned position that the call was made with.
    """

    event: Literal["call"] = "call"
    request: str
    window: str
    index: int = Field(ge=0)
    kind: CallKind
    start: int
    end: int
    threads: int = Field(ge=1)
    k: int = Field(ge=1)
    root: int
    candidates: tuple[int, ...]
    choices: tuple[int, ...]
    margins: tuple[float, ...]
    accepted: int = Field(ge=0)
    published: int = Field(ge=0)
    cursor: int | None
    reason: CallReason


class Commit(HelperEvent):
    """Tokens that became final. `text` is what they complete in whole UTF-8 characters; `first` the index
    of the first.
    """

    event: Literal["commit"] = "commit"
    request: str
    window: str
    tokens: tuple[int, ...]
    text: str
    origins: tuple[Origin, ...]
    first: int = Field(ge=0)


class Word(Message):
    """A word with its time in seconds from the window's start and the target tokens that spell it."""

    text: str
    start: float
    end: float
    first_token: int = Field(ge=0)
    tokens: int = Field(ge=0)


class Words(HelperEvent):
    """The words of a result; made after decoding, before the `result` line."""

    event: Literal["words"] = "words"
    request: str
    window: str
    words: tuple[Word, ...]


class Counters(Message):
    """What one request did; the terms are those of the algorithm.

    `tokens` counts through the end of text; `calls` leaves out guard calls; position 0 of the lists is the
    first candidate.
    """

    tokens: int = Field(ge=0)
    calls: int = Field(ge=0)
    guard_calls: int = Field(ge=0)
    proposed: int = Field(ge=0)
    accepted: int = Field(ge=0)
    accepted_by_position: tuple[int, ...]
    proposed_by_position: tuple[int, ...]
    hits: int = Field(ge=0, description="calls that had candidates")
    end_accepted: bool = Field(description="the end of text was accepted as a candidate")


class ResultTimes(Message):
    """The moments of a request, ns; `first_token` is when the prefill's logits were ready."""

    request: int
    prefill_start: int
    first_token: int
    end: int
    audio_ready: int


class Audit(Message):
    """The comparison with a target-only decode of the same window."""

    tokens: int = Field(ge=0)
    differing: int = Field(ge=0)
    first_difference: int | None
    margin: float | None


class Result(Answer):
    """The answer to a request; `tokens` are the text tokens without the end of text.

    Budget, admission, `confidence` and `patience` are those it was decoded with.
    """

    event: Literal["result"] = "result"
    request: str
    window: str
    method: str
    budget: int = Field(ge=0)
    admission: Admission
    start_condition: StartCondition
    language: str
    language_probability: float | None
    tokens: tuple[int, ...]
    text: str
    stop: Stop
    counters: Counters
    times: ResultTimes
    no_speech_prob: float
    audit: Audit | None
    confidence: float | None = Field(default=None, ge=0, le=1)
    patience: int | None = Field(default=None, ge=0)
