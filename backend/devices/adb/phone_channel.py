"""A helper on a phone, over adb's shell protocol."""

from __future__ import annotations

from collections.abc import Iterator

from as2d.backend.devices.adb.connection import TransportLost
from as2d.backend.devices.adb.incoming import Silence
from as2d.backend.devices.adb.shell import ShellStream
from as2d.backend.helper.channel import SilentHelper

_PATIENCE_SECONDS = 10.0


class PhoneChannel:
    """See `HelperChannel`. The helper ends at the end of its input, so also when the connection is lost."""

    def __init__(self, stream: ShellStream) -> None:
        self._stream = stream

    @property
    def pid(self) -> None:
        """See `HelperChannel.pid`; the helper says it in its first line."""
        return None

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

    def kill(self) -> None:
        """See `HelperChannel.kill`: the streams end here; a helper that is frozen is ended by its pid."""
        self._stream.close()

    def wait(self) -> int | None:
        """See `HelperChannel.wait`."""
        self._stream.wait(_PATIENCE_SECONDS)
        return self._stream.exit_code

    def close(self) -> None:
        """See `HelperChannel.close`."""
        self._stream.close()
