"""The lines between the host and `as2d-helper replay`, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.errors import HelperFailed
from as2d.backend.problems import first_problem
from as2d.backend.protocol.decode_events import CallReason, Counters
from as2d.backend.protocol.message import Message
from as2d.backend.protocol.ops import Admission, StartCondition
from as2d.backend.replay.trace_file import TraceLine


class Setup(Message):
    """The first line: the target's tokenizer.json and what things cost."""

    kind: Literal["setup"] = "setup"
    tokenizer: str
    profile: CostProfile


class ArmIn(Message):
    """A way to decode every window. `confidence` and `patience` are left out where nothing was chosen."""

    kind: Literal["arm"] = "arm"
    name: str
    method: str
    budget: int = Field(ge=0)
    admission: Admission
    start_condition: StartCondition
    confidence: float | None = Field(default=None, ge=0, le=1, exclude_if=lambda value: value is None)
    patience: int | None = Field(default=None, ge=0, exclude_if=lambda value: value is None)


class Run(Message):
    """Replay every window by every arm; `detail`: with a `timeline` for each."""

    kind: Literal["run"] = "run"
    detail: bool = False


class WindowReplayed(Message):
    """One window by one arm, times on the virtual clock in ns.

    `tokens` counts through the end; `response_ns` runs from the request to the last commit, `first_token_ns`
    to the prefill's logits; `draft_ns` and `draft_steps` are the drafter's work;
    `differing` are tokens that are not the trace's.
    """

    kind: Literal["window"] = "window"
    arm: str
    window: str
    tokens: int = Field(ge=0)
    decode_ns: int = Field(ge=0)
    response_ns: int = Field(ge=0)
    first_token_ns: int = Field(ge=0)
    draft_ns: int = Field(ge=0)
    draft_steps: int = Field(ge=0)
    differing: int = Field(ge=0)
    counters: Counters


CallSpan = tuple[int, int, int, int, CallReason, int, int | None]
"""A target call: start, end (ns), k, accepted, reason, published length, cursor."""

DraftSpan = tuple[int, int, int, int]
"""A step of the drafter: start, end (ns), width, epoch."""


class TimelineReplayed(Message):
    """The calls and drafter steps of one window by one arm, on the virtual clock."""

    kind: Literal["timeline"] = "timeline"
    arm: str
    window: str
    calls: tuple[CallSpan, ...]
    drafts: tuple[DraftSpan, ...]


class RunDone(Message):
    """The end of a run: how many windows by how many arms, in how many seconds of real time."""

    kind: Literal["done"] = "done"
    replays: int = Field(ge=0)
    seconds: float = Field(ge=0)


class ReplayError(Message):
    """A line that cannot be used; the helper ends with exit status 2."""

    kind: Literal["error"] = "error"
    message: str


ReplayOut = Annotated[WindowReplayed | TimelineReplayed | RunDone | ReplayError, Field(discriminator="kind")]
"""Every line of the replaying helper, told apart by `kind`."""

_out: TypeAdapter[WindowReplayed | TimelineReplayed | RunDone | ReplayError] = TypeAdapter(ReplayOut)


def trace_message(line: TraceLine, window: str) -> bytes:
    """A window to replay as a line; `window` is its name in this replay."""
    content = line.model_copy(update={"window": window}).model_dump_json()
    return b'{"kind":"trace",' + content[1:].encode() + b"\n"


def parse_replayed(line: bytes) -> WindowReplayed | TimelineReplayed | RunDone | ReplayError:
    """The answer in a line.

    Raises:
        HelperFailed: the line is none that this version knows.
    """
    try:
        return _out.validate_json(line)
    except ValidationError as error:
        raise HelperFailed(
            f"The helper answered a replay with a line that this version does not understand "
            f"({first_problem(error)}); build helper and host from the same source."
        ) from error
