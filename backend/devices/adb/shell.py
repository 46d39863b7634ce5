"""Commands on a phone: input, output, error output and exit code apart, while they run."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from as2d.backend.devices.adb.connection import (
    ANSWER_SECONDS,
    AdbConnection,
    AdbTarget,
    ServiceRefused,
    TransportLost,
    features_of,
    open_service,
)
from as2d.backend.devices.adb.incoming import Incoming
from as2d.backend.devices.adb.shell_codecs import MarkerCodec, PacketCodec, ShellCodec
from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.models.progress import Cancel, Cancelled

WRITE_SECONDS = 60.0
"""How long a command may leave its input unread."""

KEPT_BYTES = 64 << 20
"""More output than this waits on the phone until some is read."""

_READ_BYTES = 1 << 18
_SLICE_SECONDS = 0.1


class ShellStream:
    """A command that runs on a phone.

    A thread of its own parts what arrives into `stdout` and `stderr`, so that nothing that is written waits
    for output to be read. All methods may be called on any thread. The command's input ends when this is
    closed or the connection is lost; a command that does not read its input has to be ended by its pid.
    """

    def __init__(
        self, target: AdbTarget, connection: AdbConnection, codec: ShellCodec, kept_bytes: int | None
    ) -> None:
        """Used by `open`."""
        self._target = target
        self._connection = connection
        self._codec = codec
        self._write_lock = threading.Lock()
        self._input_closed = False
        self._ended = threading.Event()
        self._closed = False
        self.exit_code: int | None = None
        """Exit code (128 + number of a signal), None while it runs and when the connection was lost first."""
        self.problem: UserError | None = None
        """Why there is no exit code, once the stream has ended without one."""
        self.stdout = Incoming(kept_bytes)
        self.stderr = Incoming(kept_bytes)
        self._reader = threading.Thread(target=self._read, name="phone-shell", daemon=True)

    @classmethod
    def open(
        cls,
        target: AdbTarget,
        command: Sequence[str],
        *,
        features: frozenset[str] | None = None,
        with_input: bool = True,
        kept_bytes: int | None = KEPT_BYTES,
        seconds: float = ANSWER_SECONDS,
        cancel: Cancel | None = None,
    ) -> ShellStream:
        """Start a command; `command` are its words, quoted here.

        `features` are the phone's, if the caller has them. Without `with_input` the command reads an empty
        input. Of output that nobody reads, `kept_bytes` are kept (None: all). `seconds` and `cancel` are
        about the start only.

        On a phone without shell v2 the input has to be text in lines, and the error output comes after the
        output.

        Raises:
            TransportLost: the phone is out of reach.
            ServiceRefused: the phone refuses to run commands.
            Cancelled: the cancel question was answered with yes.
        """
        known = features if features is not None else features_of(target, cancel=cancel)
        codec: ShellCodec = (
            PacketCodec(command) if "shell_v2" in known else MarkerCodec(command, with_input=with_input)
        )
        *others, last = codec.services
        for service in others:
            try:
                connection = open_service(target, service, seconds=seconds, cancel=cancel)
                break
            except ServiceRefused:
                continue
        else:
            connection = open_service(target, last, seconds=seconds, cancel=cancel)
        connection.outlive_cancel()
        stream = cls(target, connection, codec, kept_bytes)
        stream._reader.start()
        if not with_input and isinstance(codec, PacketCodec):
            stream.close_input()
        return stream

    def write(self, data: bytes) -> None:
        """Send input; waits while the command does not read.

        Raises:
            BrokenPipeError: the command has ended, or its input is closed.
            TransportLost: the connection was lost, or nothing was read for a minute.
        """
        with self._write_lock:
            if self._input_closed or self._ended.is_set():
                raise BrokenPipeError
            self._send(self._codec.encode(data))

    def close_input(self) -> None:
        """End the command's input; again, or after its end, is no error."""
        with self._write_lock:
            if not self._input_closed and not self._ended.is_set():
                self._input_closed = True
                try:
                    self._send(self._codec.encode_end())
                except (BrokenPipeError, TransportLost):  # its input has ended with it
                    return

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, with or without an exit code, at most `seconds`; whether it has come.

        Output beyond `kept_bytes` has to be read, else the end does not come.
        """
        return self._ended.wait(seconds)

    def close(self) -> None:
        """End everything at once, from any thread; again is no error. The command loses its streams."""
        self._closed = True
        self._connection.abort()
        self.stdout.end()
        self.stderr.end()
        if threading.current_thread() is not self._reader:
            self._reader.join()
            with self._write_lock:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, data: bytes) -> None:
        try:
            self._connection.send(data, seconds=WRITE_SECONDS)
        except TransportLost:
            # Half a packet may have gone: nothing that follows would be understood.
            self._connection.abort()
            self._ended.wait(ANSWER_SECONDS)
            if self.exit_code is not None:
                raise BrokenPipeError from None
            raise

    def _read(self) -> None:
        try:
            self._take_everything()
        except UserError as error:
            self.problem = error
        except ValueError:
            self.problem = HelperFailed(
                f"The phone {self._target.name} does not speak adb's shell protocol; restart it."
            )
        finally:
            if self.exit_code is None and self.problem is None:
                self.problem = (
                    TransportLost(f"The command on the phone {self._target.name} was ended from here.")
                    if self._closed
                    else self._connection.lost()
                )
            self._ended.set()
            self._connection.abort()
            self.stdout.end()
            self.stderr.end()

    def _take_everything(self) -> None:
        while block := self._connection.receive(_READ_BYTES, seconds=None):
            for piece in self._codec.decode(block):
                if isinstance(piece, int):
                    self.exit_code = piece
                    return
                name, data = piece
                (self.stdout if name == "stdout" else self.stderr).put(data)


@dataclass(frozen=True)
class Completed:
    """A command that has ended: its exit code (128 + number of a signal), output and error output."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        r"""The output as text with `\n` ends of lines."""
        return self.out.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").decode("utf-8", "replace")

    @property
    def last_words(self) -> str:
        """The last line of the error output, else of the output; empty where there is none."""
        for output in (self.err, self.out):
            lines = output.decode("utf-8", "replace").split("\n")
            said = [line.strip() for line in lines if line.strip()]
            if said:
                return said[-1]
        return ""


def run(
    target: AdbTarget,
    command: Sequence[str],
    *,
    seconds: float = ANSWER_SECONDS,
    cancel: Cancel | None = None,
    features: frozenset[str] | None = None,
) -> Completed:
    """Run a command without input until it ends.

    Raises:
        TransportLost: the connection was lost before the exit code came, or the command took longer than
            `seconds`; whether it did its work is not known.
        ServiceRefused: the phone refuses to run commands.
        Cancelled: the cancel question was answered with yes.
    """
    with ShellStream.open(
        target, command, features=features, with_input=False, kept_bytes=None, cancel=cancel
    ) as stream:
        end = time.monotonic() + seconds
        while not stream.wait(_SLICE_SECONDS):
            if cancel is not None and cancel():
                raise Cancelled
            if time.monotonic() > end:
                raise TransportLost(
                    f"A command on the phone {target.name} did not end within {seconds:g} s; "
                    "connect it again and repeat the command."
                )
        if stream.exit_code is None:
            raise stream.problem or TransportLost(f"The phone {target.name} gave no answer; try again.")
        return Completed(stream.exit_code, stream.stdout.read_all(), stream.stderr.read_all())
