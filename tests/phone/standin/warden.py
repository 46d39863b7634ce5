"""The process that keeps a stand-in: its user, its disk, and the phone's first process through every start.

Standard input is a packet socket (messages.py). When the stand-in's process ends, in whatever way, the socket
ends with it: the phone's processes are killed and its folder is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.phone.standin import emulation, messages, namespaces, phone_init

ROOT_USER = 0  # the only one that may name the emulator for a user namespace and those inside it
SHELL_USER = 2000  # Android's user `shell`


@dataclass
class _Running:
    holder: int | None = None  # the process whose only child is the phone's first process


def _fork_holder(root: Path, message: dict[str, Any], control: int, others: list[int]) -> int:
    """Starts the phone: a process that waits for the first process of a new process namespace."""
    warden = os.getpid()
    holder = os.fork()
    if holder:
        return holder
    try:
        namespaces.die_with_parent(warden)
        for fd in others:
            os.close(fd)
        namespaces.become(SHELL_USER, namespaces.NEW_MOUNTS | namespaces.NEW_PROCESSES)
        parent = os.getpid()
        first = os.fork()
        if first == 0:
            namespaces.die_with_parent(parent)
            phone_init.run(root, message, socket.socket(fileno=control))
            os._exit(0)
        os.close(control)
        os.waitpid(first, 0)
    except BaseException as error:  # noqa: BLE001 - a forked process must never run on into its parent's code
        os.write(2, f"stand-in: {error}\n".encode())
    os._exit(0)


def _halt(running: _Running) -> None:
    if running.holder is not None:
        os.kill(running.holder, signal.SIGKILL)
        os.waitpid(running.holder, 0)
        running.holder = None


def _serve(root: Path, sock: socket.socket, wake: socket.socket) -> None:
    running = _Running()
    selector = selectors.DefaultSelector()
    selector.register(sock, selectors.EVENT_READ)
    selector.register(wake, selectors.EVENT_READ)
    try:
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if wake in ready:
                wake.recv(4096)
                if running.holder is not None and os.waitpid(running.holder, os.WNOHANG)[0]:
                    running.holder = None
                    messages.send(sock, {"event": "halted"})
            if sock not in ready:
                continue
            received = messages.receive(sock)
            if received is None:
                return
            message, files = received
            if message["op"] == "boot":
                running.holder = _fork_holder(root, message, files[0], [sock.fileno(), wake.fileno()])
            else:
                _halt(running)
                messages.send(sock, {"event": "halted"})
            for fd in files:
                os.close(fd)
    finally:
        _halt(running)


def main() -> None:
    """Arguments: the phone's folder, and JSON: {"disk_bytes": number or null, "emulator": path or null}."""
    root, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
    sock = socket.socket(fileno=0)
    # What is sent to a whole group of processes is not meant for the warden: the socket's end is what counts.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    wake, woken = socket.socketpair()
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno())
    disk = settings["disk_bytes"]
    try:
        namespaces.become(ROOT_USER, namespaces.NEW_MOUNTS)
        namespaces.keep_mounts_private()
        if settings["emulator"]:
            emulation.register(root, settings["emulator"])
        if disk:
            phone_init.mount_disk(root, disk)
    except OSError as error:
        messages.send(sock, {"event": "failed", "reason": str(error)})
    else:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # gone while it was told
            messages.send(sock, {"event": "ready"})
            _serve(root, sock, wake)
    for place in [*(["data"] if disk else []), *(["proc"] if settings["emulator"] else [])]:
        with contextlib.suppress(OSError):  # it may not have come so far
            namespaces.unmount(f"{root}/{place}")
    shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
