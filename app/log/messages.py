"""The messages of one session. Knows no Qt."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Level = Literal["error", "warning", "note"]
_MOST = 2000


@dataclass(frozen=True)
class LogMessage:
    """A sentence and when it was said, in local time."""

    at: datetime
    level: Level
    text: str


class MessageLog:
    """Keeps the last 2,000 messages; listeners hear of each."""

    def __init__(self) -> None:
        self.messages: deque[LogMessage] = deque(maxlen=_MOST)
        self._listeners: list[Callable[[LogMessage], None]] = []

    def listen(self, listener: Callable[[LogMessage], None]) -> None:
        """Hear of messages."""
        self._listeners.append(listener)

    def say(self, level: Level, text: str) -> None:
        """Add a message."""
        message = LogMessage(datetime.now().astimezone(), level, text)
        self.messages.append(message)
        for listener in self._listeners:
            listener(message)
