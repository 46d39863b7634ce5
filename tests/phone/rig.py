"""A stand-in phone and this program's view of it: what tests of whole runs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.phone.small_models import SmallPair
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.server import AdbServer as Server
from as2d.backend.devices.choosing import choose_device
from as2d.backend.errors import UserError
from as2d.backend.export.transcript import Transcript
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import TranscribeSettings

Observer = Callable[[RecordedEvent], None]


@dataclass
class Rig:
    """A stand-in phone, and this program's view of it."""

    phone: StandIn
    adb: AdbServer
    pair: SmallPair

    def device(self) -> PhoneDevice:
        """The phone as a device."""
        server = Server(ServerAddress("127.0.0.1", self.adb.port))
        found = choose_device(self.phone.address, server=server)
        assert found is not None
        return PhoneDevice(server, found)

    def target(self) -> AdbTarget:
        """The way to the phone."""
        return AdbTarget("127.0.0.1", self.adb.port, self.phone.address)

    def settings(self, method: str = "as2d") -> TranscribeSettings:
        """Settings with the small models."""
        return TranscribeSettings(
            method=method,
            target=str(self.pair.target.path),
            drafter=str(self.pair.drafter.path),
            language="en",
            audit=True,
        )

    def transcribe(self, paths: list[Path], observer: Observer, method: str = "as2d") -> Done:
        """Decode recordings on the phone."""
        transcriber = Transcriber(self.settings(method), device=self.device(), observers=[observer])
        for path in paths:
            transcriber.queue.add(path)
        with transcriber:
            outcomes = list(transcriber.outcomes())
        return Done(
            [outcome.transcript for outcome in outcomes],
            [outcome.error for outcome in outcomes],
            transcriber.log.fold,
        )

    def back(self) -> None:
        """Plug the phone in again; adb connects by itself or is asked to by whoever waits."""
        self.phone.plug_in()

    def helper_runs(self) -> bool:
        """Whether a helper program runs on the phone; the shell that it was started by is none."""
        words = (word for line in self.phone.processes().values() for word in line)
        return any(word.startswith(places.PROGRAM_PREFIX) and " " not in word for word in words)

    def nothing_runs(self) -> bool:
        """Whether no process of ours is on the phone."""
        return not any(places.PROGRAM_PREFIX in " ".join(words) for words in self.phone.processes().values())


@dataclass(frozen=True)
class Done:
    """What came of a run."""

    transcripts: list[Transcript | None]
    errors: list[UserError | None]
    fold: RunFold

    @property
    def tokens(self) -> list[tuple[int, ...]]:
        """The text tokens of each window."""
        assert self.errors == [None] * len(self.errors)
        return [window.tokens for one in self.transcripts if one is not None for window in one.windows]

    @property
    def differing(self) -> list[int]:
        """The audits: tokens that are not target-only's on the same phone."""
        results = [request.result for request in self.fold.finished_requests()]
        return [
            result.audit.differing for result in results if result is not None and result.audit is not None
        ]


def silent(event: RecordedEvent) -> None:
    """An observer that sees nothing."""


def once(kind: type[RecordedEvent], act: Callable[[], None], number: int = 1) -> Observer:
    """An observer that acts at the `number`-th event of a kind."""
    left = [number]

    def observe(event: RecordedEvent) -> None:
        if isinstance(event, kind):
            left[0] -= 1
            if left[0] == 0:
                act()

    return observe
