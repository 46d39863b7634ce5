"""What tests say to a helper of their own, and what they hear."""

from __future__ import annotations

import json
from typing import Any

from as2d.backend.protocol import ops
from as2d.backend.protocol.message import HelperEvent


class Heard:
    """What a helper said."""

    def __init__(self) -> None:
        self.events: list[HelperEvent] = []

    def __call__(self, line: bytes, event: HelperEvent) -> None:
        assert json.loads(line)["t"] == event.t
        self.events.append(event)

    def of(self, kind: type[Any], request: str | None = None) -> list[Any]:
        """The events of a kind, of one request if it is named."""
        found = [event for event in self.events if isinstance(event, kind)]
        return [event for event in found if request is None or event.request == request]


def prepare(window: str, **changes: Any) -> ops.Prepare:
    """Target `t` and drafter `d`, drafted with the audio, unless changed."""
    fields = {
        "target": "t",
        "drafter": "d",
        "audio": None,
        "start_condition": "pre-drafted",
        "language": "en",
        "task": "transcribe",
    }
    return ops.Prepare.model_validate({"window": window, **fields, **changes})


def request(window: str, name: str, **changes: Any) -> ops.Request:
    """`as2d` with words and an audit, once the drafts are there, unless changed."""
    fields = {
        "method": "as2d",
        "budget": 4,
        "admission": "text",
        "task": "transcribe",
        "language": "en",
        "words": True,
        "audit": True,
        "producer_done": True,
    }
    return ops.Request.model_validate({"window": window, "request": name, **fields, **changes})
