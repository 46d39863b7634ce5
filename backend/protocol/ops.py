"""What the host asks of the helper: one JSON line an op.

Each op carries an `id`; the answer carries it as `re`. `HelperProcess` numbers the ops, so the id is left
out when one is made.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from as2d.backend.protocol.message import Message

Role = Literal["target", "drafter"]
Backend = Literal["cpu", "opencl"]
StartCondition = Literal["request-start", "pre-drafted"]
Preparing = Literal["isolated", "ahead"]
"""When a window is prepared: while nothing is decoded, or ahead, while the window before it is."""
Admission = Literal["root", "text"]
Task = Literal["transcribe", "translate"]


def _is_none(value: object) -> bool:
    return value is None


def _is_false(value: object) -> bool:
    return value is False


class Operation(Message):
    """What every op carries."""

    id: int = Field(default=0, ge=0, description="number of the op, given by the sender")


class Load(Operation):
    """Load the model folder `path` under the name `model`. Answer: `loaded`.

    `logit_gap` is the self-test's g in logits (null: not measured yet, the margin guard then never fires).
    `shared_threads` is what a target uses while a producer runs. A drafter has `threads` while the target
    waits for it (the serial methods) and `shared_threads` beside the target. `cpus` are the numbers of the
    CPUs that a target's threads, or a drafter's beside the target, are kept on (null: any).
    """

    op: Literal["load"] = "load"
    model: str = Field(min_length=1)
    path: str = Field(min_length=1)
    role: Role
    threads: int = Field(ge=1)
    shared_threads: int = Field(ge=1)
    logit_gap: float | None = Field(default=None, ge=0)
    backend: Backend = "cpu"
    cpus: tuple[Annotated[int, Field(ge=0, le=1023)], ...] | None = Field(
        default=None, min_length=1, max_length=64
    )


class SelfTest(Operation):
    """Measure g of the margin guard on the recording `audio` (16 kHz mono s16 WAV). Answer: `self_test`."""

    op: Literal["self_test"] = "self_test"
    model: str = Field(min_length=1)
    audio: str = Field(min_length=1)
    language: str


class MeasureCalls(Operation):
    """Time target calls of the given widths at one context length. Answer: `measured_calls`."""

    op: Literal["measure_calls"] = "measure_calls"
    model: str = Field(min_length=1)
    widths: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    context: int = Field(ge=0, description="tokens in the KV cache before each call")
    threads: int = Field(ge=1)
    repeats: int = Field(ge=1)


class MeasureDrafter(Operation):
    """Time drafter calls of the given widths at one length of its text and of the window's audio.

    Answer: `measured_drafter`.
    """

    op: Literal["measure_drafter"] = "measure_drafter"
    model: str = Field(min_length=1)
    widths: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    context: int = Field(ge=0, description="tokens in the KV cache before each call")
    seconds: float = Field(default=30.0, gt=0, le=30, description="length of the window's audio")
    threads: int = Field(ge=1)
    repeats: int = Field(ge=1)


class MeasureEncoder(Operation):
    """Time the encoder and the cross keys and values of a model of either role for `seconds` of audio.

    Answer: `measured_encoder`.
    """

    op: Literal["measure_encoder"] = "measure_encoder"
    model: str = Field(min_length=1)
    seconds: float = Field(gt=0, le=30, description="length of the window's audio")
    threads: int = Field(ge=1)
    repeats: int = Field(ge=1)


class MeasureInterference(Operation):
    """Time target calls of `k` tokens and drafter steps of one token, alone and both at once, each at its
    `shared_threads`. Answer: `measured_interference`.
    """

    op: Literal["measure_interference"] = "measure_interference"
    target: str = Field(min_length=1)
    drafter: str = Field(min_length=1)
    k: int = Field(ge=1)
    context: int = Field(ge=0, description="tokens in the target's KV cache before each call")
    repeats: int = Field(ge=1)


class MeasureTurns(Operation):
    """Time a target and a drafter that take turns, as where a method drafts while the target waits.

    A turn is a target call of `widths[i]` tokens and the drafter's steps behind it: the first of
    `step_widths[i]` tokens, the others of one. Each at its threads while the other stands still. Answer:
    `measured_turns`.
    """

    op: Literal["measure_turns"] = "measure_turns"
    target: str = Field(min_length=1)
    drafter: str = Field(min_length=1)
    widths: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    step_widths: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1, description="as many")
    context: int = Field(ge=0, description="tokens in both KV caches before a turn")
    seconds: float = Field(gt=0, le=30, description="length of the window's audio")
    repeats: int = Field(ge=1)


class Prepare(Operation):
    """Open a window: encode its audio for the target and, if it can help, for the drafter. Answer:
    `prepared`.

    `audio` is a 16 kHz mono s16 WAV on the helper's machine; null: the audio follows in `append` ops. With
    `pre-drafted` the drafter starts with the audio, with `request-start` with the request. `language` null:
    it is detected on the target and said in a `language` event.

    `beside` names a request: the window is prepared while the target decodes that one, at once where it is
    over. It needs a `language`, and a request for it must wait for `prepared`. Null, and then not sent: it is
    prepared in its turn. `drafted`: the answer waits until the drafter that starts with the audio is at its
    end, too.
    """

    op: Literal["prepare"] = "prepare"
    window: str = Field(min_length=1)
    target: str = Field(min_length=1)
    drafter: str | None
    audio: str | None
    start_condition: StartCondition
    language: str | None
    task: Task
    beside: str | None = Field(default=None, min_length=1, exclude_if=_is_none)
    drafted: bool = Field(default=False, exclude_if=_is_false)


class Append(Operation):
    """At most one second of a window's audio: base64 of 16 kHz mono s16le samples. It has no answer of its
    own.
    """

    op: Literal["append"] = "append"
    window: str = Field(min_length=1)
    pcm: str
    last: bool


class Request(Operation):
    """Decode a prepared window. Answer: `result`, after the commits.

    `budget` is the most candidates a call may carry. `producer_done`: start only when nothing drafts any
    more, so that a producer that began with the audio is at its end (benchmarks). `words`: word times
    wanted. `audit`: decode target-only too and compare. `confidence`: `specasr` ends a draft behind a token
    that the drafter gave a lower probability. `patience`: after so many calls in a row without an accepted
    candidate the producer of `as2d-resync` restarts; 0: after any rejection. Null, and then not sent: the
    helper's own.
    """

    op: Literal["request"] = "request"
    request: str = Field(min_length=1)
    window: str = Field(min_length=1)
    method: str = Field(min_length=1)
    budget: int = Field(ge=0)
    admission: Admission
    task: Task
    language: str | None
    words: bool
    audit: bool
    producer_done: bool
    confidence: float | None = Field(default=None, ge=0, le=1, exclude_if=_is_none)
    patience: int | None = Field(default=None, ge=0, exclude_if=_is_none)


class Trace(Operation):
    """Record all that replay needs of a window that was prepared with a drafter and `request-start`.

    Answer: `trace`.
    """

    op: Literal["trace"] = "trace"
    window: str = Field(min_length=1)
    language: str | None
    task: Task


class Cancel(Operation):
    """End a request within one call; its `result` then says `cancelled`."""

    op: Literal["cancel"] = "cancel"
    request: str = Field(min_length=1)


class Release(Operation):
    """Forget a window and its audio state. Answer: `released`."""

    op: Literal["release"] = "release"
    window: str = Field(min_length=1)


class Unload(Operation):
    """Forget a model. Answer: `unloaded`."""

    op: Literal["unload"] = "unload"
    model: str = Field(min_length=1)


class Ping(Operation):
    """Ask for a sign of life. Answer: `pong`."""

    op: Literal["ping"] = "ping"


class Shutdown(Operation):
    """End the helper. Answer: `bye`, then exit status 0. The end of stdin means the same."""

    op: Literal["shutdown"] = "shutdown"


Op = Annotated[
    Load
    | SelfTest
    | MeasureCalls
    | MeasureDrafter
    | MeasureEncoder
    | MeasureInterference
    | MeasureTurns
    | Prepare
    | Append
    | Request
    | Trace
    | Cancel
    | Release
    | Unload
    | Ping
    | Shutdown,
    Field(discriminator="op"),
]
"""Every op, told apart by `op`."""
