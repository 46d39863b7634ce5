"""Which service a name stands for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping, Sequence

from tests.phone.standin import shell
from tests.phone.standin.machine import Machine, StandInFailed


def _text(text: str) -> socket.socket:
    """A service that says one thing and ends."""
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(text.encode())
    return ours


def _sync(machine: Machine, features: Sequence[str]) -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        machine.serve_sync(theirs, features)
    return ours


def open_service(
    name: str,
    machine: Machine,
    features: Sequence[str],
    *,
    environment: Mapping[str, str],
    terminal_shell: bool,
    reboot: Callable[[], None],
    drop: Callable[[], None],
) -> socket.socket | None:
    """The host's end of the service's socket; None when this phone has no such service."""
    kind = name.partition(":")[0].partition(",")[0]
    try:
        if kind == "shell":
            request = shell.parse(name, always_terminal=terminal_shell)
            if request.framed and "shell_v2" not in features:
                return None
            return shell.start(machine, request, environment)
        if kind == "exec":
            return shell.run_raw(machine, name.partition(":")[2], environment)
        if kind == "sync":
            return _sync(machine, features)
        if kind == "reboot":
            threading.Thread(target=reboot, name="stand-in reboot", daemon=True).start()
            return _text("")
        if kind == "reconnect":
            threading.Thread(target=drop, name="stand-in reconnect", daemon=True).start()
            return _text("done")
        if kind == "root":
            return _text("adbd cannot run as root in production builds\n")
        if kind == "remount":
            return _text('Not running as root. Try "adb root" first.\n')
    except StandInFailed:
        return None  # the phone is going down
    return None
