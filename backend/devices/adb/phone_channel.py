"""A helper on a phone, over adb's shell protocol."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.connection import AdbTarget, TransportLost
from as2d.backend.devices.adb.incoming import Silence
from as2d.backend.devices.adb.processes import PROCESSES
from as2d.backend.devices.adb.shell import ShellStream, run
from as2d.backend.errors import UserError
from as2d.backend.helper.channel import SilentHelper
from as2d.backend.helper.endings import ConnectionLost

_PATIENCE_SECONDS = 10.0
_KILL_SECONDS = 5.0
_PING_SECONDS = 10.0


class PhoneChannel:
    """See `HelperChannel`. The helper ends at the end of its input, so also when the connection is lost."""

    def __init__(self, target: AdbTarget, program: str) -> None:
        """Start `program`, the helper's name on the phone.

        Raises:
            ConnectionLost: the phone is out of reach.
            UserError: it refuses to run commands.
        """
        self._target = target
        self._lost = False
        self._pid_file = f"{places.RUNS}/attached-{secrets.token_hex(4)}"
        start = f"mkdir -p {places.RUNS} && exec {program} serve --pid-file {self._pid_file}"
        try:
            self._stream = ShellStream.open(target, ["sh", "-c", start])
        except TransportLost as lost:
            raise ConnectionLost(lost.message) from lost

    @property
    def pid(self) -> None:
        """See `HelperChannel.pid`; the helper says it in its first line."""
        return

    def write(self, data: bytes) -> None:
        """See `HelperChannel.write`."""
        try:
            self._stream.write(data)
        except TransportLost as lost:
            raise BrokenPipeError(lost.message) from lost

    def close_input(self) -> None:
        """See `HelperChannel.close_input`."""
        self._stream.close_input()

    def lines(self, silence_seconds: float) -> Iterator[bytes]:
        """See `HelperChannel.lines`."""
        try:
            yield from self._stream.stdout.lines(silence_seconds)
        except Silence as silence:
            raise SilentHelper from silence

    def error_lines(self) -> Iterator[bytes]:
        """See `HelperChannel.error_lines`."""
        return self._stream.stderr.lines()

    def reachable(self) -> bool:
        """See `HelperChannel.reachable`."""
        try:
            run(self._target, ["true"], seconds=_PING_SECONDS)
        except TransportLost:
            self._lost = True
            return False
        except UserError:  # it answers, though with a refusal
            return True
        return True

    def kill(self) -> None:
        """See `HelperChannel.kill`."""
        self._stream.close()
        if self._lost:
            return
        # One that is frozen does not hear that its input ended. A phone that is away ends it by that.
        end = f"{PROCESSES}for p in $(running {self._pid_file}); do kill -9 $p; done; rm -f {self._pid_file}"
        with contextlib.suppress(UserError):
            run(self._target, ["sh", "-c", end], seconds=_KILL_SECONDS)

    def wait(self) -> int | None:
        """See `HelperChannel.wait`."""
        self._stream.wait(_PATIENCE_SECONDS)
        return self._stream.exit_code

    def close(self) -> None:
        """See `HelperChannel.close`."""
        self._stream.close()
