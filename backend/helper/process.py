"""One running helper: ops go in, answers and events come out."""

from __future__ import annotations

import itertools
import json
import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.helper.channel import HelperChannel, OpenChannel, SilentHelper
from as2d.backend.helper.endings import ConnectionLost, HelperDied, HelperRefused, describe_ending
from as2d.backend.helper.pending import Pending
from as2d.backend.protocol.events import Failed, Hello
from as2d.backend.protocol.lines import parse_helper_event, to_line
from as2d.backend.protocol.message import PROTOCOL_VERSION, Answer, HelperEvent
from as2d.backend.protocol.ops import Cancel, Operation, Shutdown

A = TypeVar("A", bound=Answer)
EventListener = Callable[[bytes, HelperEvent], None]
EndListener = Callable[[int | None, str], None]
"""Called with the return code, null where the connection was lost, and the sentence."""

HELLO_SECONDS = 20.0
SHUTDOWN_SECONDS = 5.0
SILENCE_SECONDS = 60.0
"""A helper says something twice a second; one that is silent for this long is frozen and is killed."""

_KEPT_STDERR_LINES = 200


class HelperProcess:
    """The client of one helper program.

    A reader thread opens the channel, parses its lines, calls the listeners with each (raw line, event) and
    hands answers to whoever waits for them. Listeners run on that thread in the order of the lines and must
    return at once. When the helper ends, however it ends, every wait ends with the same sentence.
    """

    def __init__(self, name: str, open_channel: OpenChannel, silence_seconds: float) -> None:
        self._name = name
        self._open_channel = open_channel
        self._silence_seconds = silence_seconds
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: dict[int, Pending] = {}
        self._listeners: list[EventListener] = []
        self._end_listeners: list[EndListener] = []
        self._stderr: deque[str] = deque(maxlen=_KEPT_STDERR_LINES)
        self._channel: HelperChannel | None = None
        self._returncode: int | None = None
        self._hello: Hello | None = None
        self._start_error: UserError | None = None
        self._verdict: UserError | None = None
        self._said_hello = threading.Event()
        self._ended = threading.Event()
        self._asked_to_end = False
        self._ended_by_itself = False
        self._reader = threading.Thread(target=self._read, name="helper-reader", daemon=True)

    @classmethod
    def start(
        cls, name: str, open_channel: OpenChannel, *, silence_seconds: float | None = None
    ) -> HelperProcess:
        """Start a helper and wait for its first line; `name` says within sentences which one it is.

        One that is silent for `silence_seconds` (default: `SILENCE_SECONDS`) is frozen and is ended, unless
        its device does not answer either: then the connection is lost.

        Raises:
            HelperFailed: it cannot be started, says nothing, or speaks another version of the protocol.
        """
        helper = cls(name, open_channel, SILENCE_SECONDS if silence_seconds is None else silence_seconds)
        try:
            helper._reader.start()
            greeted = helper._said_hello.wait(HELLO_SECONDS)
        except BaseException:  # an interrupt: nobody else would end it and wait for that
            helper.kill()
            if helper._reader.is_alive():
                helper._reader.join(SHUTDOWN_SECONDS)
            raise
        if not greeted:
            silent = HelperFailed(f"The {name} said nothing for {HELLO_SECONDS:.0f} s; rebuild it.")
            helper._stop(silent if helper._reachable() else helper._connection_lost())
        if helper._hello is None:
            helper._ended.wait()
            raise helper._start_error or helper._death()
        return helper

    @property
    def hello(self) -> Hello:
        """The helper's first line: build, MNN version, processor, methods."""
        if self._hello is None:
            raise RuntimeError("the helper has not started")
        return self._hello

    @property
    def alive(self) -> bool:
        """Whether the helper still runs."""
        return not self._ended.is_set()

    @property
    def pid(self) -> int | None:
        """Process id of the helper on its device; null: not known."""
        if self._channel is None:
            raise RuntimeError("the helper has not started")
        return self._channel.pid

    def subscribe(self, listener: EventListener) -> None:
        """Call `listener` with every line from now on, on the reader thread."""
        self._listeners.append(listener)

    def on_end(self, listener: EndListener) -> None:
        """Call `listener` with (return code, sentence) if the helper ends without being asked, or has ended
        already.
        """
        with self._lock:
            if not self._ended.is_set():
                self._end_listeners.append(listener)
                return
        if self._ended_by_itself:
            listener(self._returncode, self._death().message)

    def error_output(self) -> list[str]:
        """The last lines the helper wrote to its error output."""
        return list(self._stderr)

    def send(self, op: Operation) -> Pending:
        """Send an op; the answer arrives in what is returned.

        Raises:
            HelperDied: the helper is gone.
        """
        number = next(self._numbers)
        pending = Pending(number, type(op).__name__)
        with self._lock:
            if self._ended.is_set():
                raise self._death()
            self._pending[number] = pending
        self._write(to_line(op.model_copy(update={"id": number})))
        return pending

    def post(self, op: Operation) -> None:
        """Send an op that has no answer of its own.

        Raises:
            HelperDied: the helper is gone.
        """
        if self._ended.is_set():
            raise self._death()
        self._write(to_line(op.model_copy(update={"id": next(self._numbers)})))

    def call(self, op: Operation, answer: type[A], *, seconds: float | None = None) -> A:
        """Send an op and wait for its answer, at most `seconds` (None: as long as the helper gives signs of
        life).

        Raises:
            HelperRefused: the helper answered with an error.
            HelperDied: the helper ended, or gave no answer in time and was killed.
        """
        return self.wait(self.send(op), answer, seconds=seconds)

    def wait(self, pending: Pending, answer: type[A], *, seconds: float | None = None) -> A:
        """Wait for the answer of an op that was sent; as `call`."""
        if not pending.wait(seconds):
            what, n = pending.what, f"{seconds:.0f}"
            late = f"The helper did not answer '{what}' within {n} s and was ended; run it again."
            self._stop(HelperDied(late, -9))
            pending.wait()
        arrived = pending.answer()
        if not isinstance(arrived, answer):
            raise HelperFailed(
                f"The helper answered '{pending.what}' with '{type(arrived).__name__}'; "
                "build helper and host from the same source."
            )
        return arrived

    def cancel(self, request: str) -> None:
        """Ask the helper to end a request; a helper that is gone has ended it already."""
        try:
            self.post(Cancel(request=request))
        except HelperDied:
            return

    def shutdown(self, seconds: float = SHUTDOWN_SECONDS) -> int | None:
        """End the helper in order, by force after `seconds`; its return code (null: the connection was lost).
        Safe to call twice.
        """
        channel = self._channel
        if channel is None:
            return 0
        self._asked_to_end = True
        # A frozen helper may not even read: the timer ends it while the lines below wait for the pipe.
        by_force = threading.Timer(seconds, self._kill_if_alive)
        by_force.daemon = True
        by_force.start()
        try:
            self.post(Shutdown())
            channel.close_input()
        except UserError:
            self._kill_if_alive()
        self._reader.join()
        by_force.cancel()
        return self._returncode

    def kill(self) -> None:
        """End the helper at once."""
        self._stop(HelperDied("The helper was stopped.", -9))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()

    def _write(self, line: bytes) -> None:
        channel = self._channel
        if channel is None:
            raise RuntimeError("the helper has not started")
        try:
            channel.write(line)
        except (OSError, ValueError) as error:  # the pipe broke or is closed: the reader knows why
            self._ended.wait(self._silence_seconds)
            raise self._death() from error

    def _read(self) -> None:
        try:
            channel = self._open_channel()
        except UserError as error:
            self._start_error = error
            self._ended.set()
            self._said_hello.set()
            return
        self._channel = channel
        if self._verdict is not None:  # nobody waits for it any more: opening took too long
            channel.kill()
        errors = threading.Thread(
            target=self._read_errors, args=(channel,), name="helper-stderr", daemon=True
        )
        errors.start()
        try:
            self._read_lines(channel)
        except UserError as error:
            self._verdict = self._verdict or error
        finally:
            self._finish(channel, errors)

    def _read_lines(self, channel: HelperChannel) -> None:
        try:
            for line in channel.lines(self._silence_seconds):
                self._take(line)
        except SilentHelper as silence:
            if not channel.reachable():
                raise self._connection_lost() from silence
            raise HelperDied(
                f"The helper was silent for {self._silence_seconds:.0f} s and was ended; run it again.", -9
            ) from silence

    def _take(self, line: bytes) -> None:
        if self._hello is None:
            self._greet(line)
            return
        event = parse_helper_event(line)
        for listener in self._listeners:
            listener(line, event)
        if isinstance(event, Answer):
            with self._lock:
                pending = self._pending.pop(event.re, None)
            if pending is not None:
                pending.resolve(event)
        elif isinstance(event, Failed) and event.re is not None:
            with self._lock:
                pending = self._pending.pop(event.re, None)
            if pending is not None:
                pending.fail(HelperRefused(event.message, event.code))

    def _greet(self, line: bytes) -> None:
        try:
            spoken = json.loads(line).get("protocol")
        except (ValueError, AttributeError):
            spoken = None
        if spoken != PROTOCOL_VERSION:
            said = "no protocol version" if spoken is None else f"protocol version {spoken}"
            raise HelperFailed(
                f"The {self._name} speaks {said}, this program needs version {PROTOCOL_VERSION}; "
                "rebuild it with `make helper` (for phones `make helper-arm64`)."
            )
        event = parse_helper_event(line)
        if not isinstance(event, Hello):
            raise HelperFailed(
                f"The {self._name} began without 'hello'; rebuild it with `make helper` (for phones "
                "`make helper-arm64`)."
            )
        self._hello = event
        self._said_hello.set()

    def _read_errors(self, channel: HelperChannel) -> None:
        for line in channel.error_lines():
            self._stderr.append(line.decode("utf-8", "replace"))

    def _reachable(self) -> bool:
        return self._channel is None or self._channel.reachable()

    def _connection_lost(self) -> ConnectionLost:
        return ConnectionLost(
            f"The connection to the {self._name} was lost; connect it again and repeat the command."
        )

    def _stop(self, verdict: UserError) -> None:
        if self._verdict is None:
            self._verdict = verdict
        self._kill_if_alive()

    def _kill_if_alive(self) -> None:
        if self._channel is not None and not self._ended.is_set():
            self._channel.kill()

    def _finish(self, channel: HelperChannel, errors: threading.Thread) -> None:
        """The output closed or cannot be understood: collect the helper and end every wait."""
        if self._verdict is not None:
            self._kill_if_alive()
        self._returncode = channel.wait()
        errors.join()
        channel.close()
        with self._lock:
            self._ended_by_itself = not self._asked_to_end
            self._ended.set()
            left = list(self._pending.values())
            self._pending.clear()
        error = self._death()
        if self._ended_by_itself:
            for listener in self._end_listeners:
                listener(self._returncode, error.message)
        for pending in left:
            pending.fail(error)
        self._said_hello.set()

    def _death(self) -> UserError:
        if self._verdict is not None:
            return self._verdict
        if self._returncode is None:
            return self._connection_lost()
        last_words = next((line for line in reversed(self._stderr) if line.strip()), "")
        return HelperDied(describe_ending(self._returncode, last_words), self._returncode)
