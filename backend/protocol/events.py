"""What the helper says: one JSON line an event.

`t` and every `start`, `end` and time are CLOCK_BOOTTIME nanoseconds of the helper's machine; `seq` counts
the lines. An event with `re` answers the op of that id.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from as2d.backend.protocol.decode_events import Call, Commit, Draft, Publish, Result, Stage, Words
from as2d.backend.protocol.message import Answer, HelperEvent, Message
from as2d.backend.protocol.ops import Backend
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.protocol.trace_events import Traced


class Cpu(Message):
    """The processor as the helper sees it."""

    arch: str
    features: tuple[str, ...]
    cores: int = Field(ge=1)


class Hello(HelperEvent):
    """The first line of a helper, unasked; `backends` are those that a model can be loaded for. Helpers of
    protocol version 2, which did not say so, had the CPU only.
    """

    event: Literal["hello"] = "hello"
    protocol: int
    build: str
    mnn: str
    backends: tuple[Backend, ...] = ("cpu",)
    cpu: Cpu
    methods: tuple[str, ...]
    pid: int


class Loaded(Answer):
    """A model is ready; `backend` is the one that really runs, `bytes` the size of its files, `cpus` the
    CPUs that the system lets its threads run on (null in runs of protocol version 2).
    """

    event: Literal["loaded"] = "loaded"
    model: str
    kind: str
    name: str
    threads: int = Field(ge=1)
    shared_threads: int = Field(ge=1)
    backend: Backend
    cpus: tuple[int, ...] | None = None
    arithmetic: dict[str, str]
    bytes: int = Field(ge=0)
    start: int
    end: int


class SelfTested(Answer):
    """g of the margin guard in logits, over `positions` positions of a whole history for each pair of
    settings.
    """

    event: Literal["self_test"] = "self_test"
    model: str
    logit_gap: float = Field(ge=0)
    positions: int = Field(ge=0)
    widths: tuple[int, ...]
    thread_settings: tuple[int, ...]
    start: int
    end: int


class CallTimes(Message):
    """The times of the repeated target calls of one width, in milliseconds, in the order they ran."""

    k: int = Field(ge=1)
    ms: tuple[float, ...]


class MeasuredCalls(Answer):
    """Times of target calls by width."""

    event: Literal["measured_calls"] = "measured_calls"
    model: str
    threads: int = Field(ge=1)
    context: int = Field(ge=0)
    rows: tuple[CallTimes, ...]


class MeasuredDrafter(Answer):
    """Times of drafter calls by width, in a window of `seconds` of audio."""

    event: Literal["measured_drafter"] = "measured_drafter"
    model: str
    seconds: float = Field(gt=0)
    threads: int = Field(ge=1)
    context: int = Field(ge=0)
    rows: tuple[CallTimes, ...]


class MeasuredEncoder(Answer):
    """Times of an encoder and of the cross keys and values made from its states, ms, as they ran."""

    event: Literal["measured_encoder"] = "measured_encoder"
    model: str
    seconds: float = Field(gt=0)
    threads: int = Field(ge=1)
    ms: tuple[float, ...]
    cross_ms: tuple[float, ...]


class MeasuredInterference(Answer):
    """Times of target calls of `k` tokens and of drafter steps, ms, each alone and beside the other."""

    event: Literal["measured_interference"] = "measured_interference"
    target: str
    drafter: str
    k: int = Field(ge=1)
    target_alone_ms: tuple[float, ...]
    target_beside_ms: tuple[float, ...]
    drafter_alone_ms: tuple[float, ...]
    drafter_beside_ms: tuple[float, ...]


class TurnTimes(Message):
    """A target call of `k` tokens, and the drafter's steps behind it, the first of `width` tokens, the others
    of one: the times of each in ms, in the order they ran.
    """

    k: int = Field(ge=1)
    width: int = Field(ge=1)
    call_ms: tuple[float, ...]
    steps_ms: tuple[tuple[float, ...], ...]


class MeasuredTurns(Answer):
    """Times of a target and a drafter that take turns, in a window of `seconds` of audio."""

    event: Literal["measured_turns"] = "measured_turns"
    target: str
    drafter: str
    context: int = Field(ge=0)
    seconds: float = Field(gt=0)
    turns: tuple[TurnTimes, ...]


class Prepared(Answer):
    """The target's audio state of a window is there, and its draft where the op waits for that; `seconds` is
    the length of its audio.
    """

    event: Literal["prepared"] = "prepared"
    window: str
    seconds: float = Field(ge=0)
    start: int
    end: int


class Language(HelperEvent):
    """The language that the target detected in a window."""

    event: Literal["language"] = "language"
    window: str
    language: str
    probability: float = Field(ge=0, le=1)


class Released(Answer):
    """A window is forgotten."""

    event: Literal["released"] = "released"
    window: str


class Unloaded(Answer):
    """A model is forgotten."""

    event: Literal["unloaded"] = "unloaded"
    model: str


class Pong(Answer):
    """A sign of life."""

    event: Literal["pong"] = "pong"


class Bye(Answer):
    """The last line before a helper that was asked to end does so."""

    event: Literal["bye"] = "bye"


class Warned(HelperEvent):
    """Something went wrong that does not change the answer, such as a drafter that failed."""

    event: Literal["warning"] = "warning"
    code: str
    message: str
    window: str | None = None
    request: str | None = None


class Failed(HelperEvent):
    """An op failed (`re`), or a line that was none (null); the helper goes on."""

    event: Literal["error"] = "error"
    re: int | None
    code: str
    message: str


HelperEvents = Annotated[
    Hello
    | Loaded
    | SelfTested
    | MeasuredCalls
    | MeasuredDrafter
    | MeasuredEncoder
    | MeasuredInterference
    | MeasuredTurns
    | Traced
    | Prepared
    | Language
    | Stage
    | Draft
    | Publish
    | Call
    | Commit
    | Words
    | Result
    | Released
    | Unloaded
    | Pong
    | Bye
    | Telemetry
    | Warned
    | Failed,
    Field(discriminator="event"),
]
"""Every event of the helper, told apart by `event`."""
