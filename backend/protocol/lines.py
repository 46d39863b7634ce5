"""Messages to JSON lines and back."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.problems import first_problem
from as2d.backend.protocol.events import HelperEvents
from as2d.backend.protocol.host_events import HostEvent, HostEvents
from as2d.backend.protocol.message import HelperEvent, Message
from as2d.backend.protocol.ops import Op

RecordedEvent = HelperEvent | HostEvent
"""What a line of a recorded stream holds."""

_ops: TypeAdapter[Message] = TypeAdapter(Op)
_helper_events: TypeAdapter[HelperEvent] = TypeAdapter(HelperEvents)
_host_events: TypeAdapter[HostEvent] = TypeAdapter(HostEvents)

_SHOWN = 200


def to_line(message: Message) -> bytes:
    """The message as one line of UTF-8 JSON, line feed included."""
    return message.model_dump_json().encode() + b"\n"


def parse_op(line: bytes) -> Message:
    """The op in a line.

    Raises:
        InputRefused: the line is no op of this version.
    """
    try:
        return _ops.validate_json(line)
    except ValidationError as error:
        raise InputRefused(
            f"Not an op of this protocol version: {first_problem(error)} in {_excerpt(line)}."
        ) from error


def parse_helper_event(line: bytes) -> HelperEvent:
    """The helper's event in a line.

    Raises:
        HelperFailed: the line is no event of this protocol version.
    """
    try:
        return _helper_events.validate_json(line)
    except ValidationError as error:
        raise HelperFailed(
            "The helper sent a line that this version does not understand "
            f"({first_problem(error)} in {_excerpt(line)}); build helper and host from the same source."
        ) from error


def parse_recorded(line: bytes) -> RecordedEvent:
    """The event in a line of a recorded stream, of the host or of the helper.

    Raises:
        InputRefused: the line is no event that this version knows.
    """
    adapter: TypeAdapter[HostEvent] | TypeAdapter[HelperEvent]
    # Helper lines begin with their own fields in any order; only the host's carry the key "host".
    adapter = _host_events if b'"host":' in line and b'"event":' not in line else _helper_events
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        raise InputRefused(
            f"Not an event that this version knows: {first_problem(error)} in {_excerpt(line)}."
        ) from error


def _excerpt(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
