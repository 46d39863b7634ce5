"""The bases of the messages, the version of the protocol and the clock of its times."""

from __future__ import annotations

import time

from pydantic import BaseModel, ConfigDict, Field

PROTOCOL_VERSION = 3
"""The version that host and helper must share; raised with any change of a message."""

NANOSECONDS = 1_000_000_000


class Message(BaseModel):
    """A message: unknown fields are errors, nothing is converted, nothing changes after construction."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class HelperEvent(Message):
    """What every event of the helper carries."""

    t: int = Field(ge=0, description="when the event was made, ns")
    seq: int = Field(ge=0, description="number of the line since the helper started")


class Answer(HelperEvent):
    """An event that answers an op."""

    re: int = Field(ge=0, description="id of the op that this answers")


def now_ns() -> int:
    """The host's CLOCK_BOOTTIME in nanoseconds, the clock that the helper on this computer uses too."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
