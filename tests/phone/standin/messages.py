"""Messages between the stand-in and its processes: one JSON object a packet, files beside it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from typing import Any

LONGEST = 180_000  # bytes; a packet socket's default buffer holds it
_MOST_FILES = 4


def send(sock: socket.socket, message: dict[str, Any], files: Sequence[int] = ()) -> None:
    """Raises OSError when the other side is gone."""
    data = json.dumps(message).encode()
    if len(data) > LONGEST:
        raise ValueError(f"a message of {len(data)} bytes is too long")
    socket.send_fds(sock, [data], list(files))


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and its open files (not inherited by programs); None when the other side is gone."""
    try:
        data, files, _, _ = socket.recv_fds(sock, LONGEST, _MOST_FILES)
    except ConnectionResetError:
        return None
    for fd in files:
        os.set_inheritable(fd, False)
    if not data:
        return None
    message: dict[str, Any] = json.loads(data)
    return message, list(files)
