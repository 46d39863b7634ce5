"""A helper on this computer, as a child of this process."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from as2d.backend.helper.child import kill_child, start_child
from as2d.backend.helper.process import HelperProcess
from as2d.backend.helper.reading import read_lines

_PATIENCE_SECONDS = 5.0


class ChildChannel:
    """See `HelperChannel`; made on the thread that reads its lines, as `start_child` says."""

    def __init__(self, path: Path) -> None:
        """Start the helper.

        Raises:
            HelperFailed: the program cannot be started.
        """
        self._process = start_child(path, ["serve"])
        self._write_lock = threading.Lock()

    @property
    def pid(self) -> int:
        """See `HelperChannel.pid`."""
        return self._process.pid

    def write(self, data: bytes) -> None:
        """See `HelperChannel.write`."""
        stdin = self._process.stdin
        assert stdin is not None
        with self._write_lock:
            view = memoryview(data)
            while view:
                view = view[os.write(stdin.fileno(), view) :]

    def close_input(self) -> None:
        """See `HelperChannel.close_input`."""
        assert self._process.stdin is not None
        with self._write_lock:
            self._process.stdin.close()

    def lines(self, silence_seconds: float) -> Iterator[bytes]:
        """See `HelperChannel.lines`."""
        assert self._process.stdout is not None
        return read_lines(self._process.stdout.fileno(), silence_seconds)

    def error_lines(self) -> Iterator[bytes]:
        """See `HelperChannel.error_lines`."""
        assert self._process.stderr is not None
        return read_lines(self._process.stderr.fileno())

    def reachable(self) -> bool:
        """See `HelperChannel.reachable`."""
        return True

    def kill(self) -> None:
        """See `HelperChannel.kill`."""
        kill_child(self._process)

    def wait(self) -> int:
        """See `HelperChannel.wait`."""
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            kill_child(self._process)
            self._process.wait()
        return self._process.returncode

    def close(self) -> None:
        """See `HelperChannel.close`."""
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def start_child_helper(path: Path, *, silence_seconds: float | None = None) -> HelperProcess:
    """Start a helper program on this computer; as `HelperProcess.start`."""
    return HelperProcess.start(f"helper {path}", lambda: ChildChannel(path), silence_seconds=silence_seconds)
