"""Whole runs on a stand-in phone: the same tokens whatever happens to the cable, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.phone import waiting
from tests.phone.small_models import SmallPair, install_small_pair
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.connection import AdbTarget, TransportLost
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.server import AdbServer as Server
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.devices.choosing import choose_device
from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.export.transcript import Transcript
from as2d.backend.jobs.collecting import collect
from as2d.backend.jobs.job import JobStore
from as2d.backend.jobs.sending import JobSender
from as2d.backend.metrics.fold import RunFold
from as2d.backend.models.progress import no_progress
from as2d.backend.paths import runs_dir
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import TranscribeSettings

Observer = Callable[[RecordedEvent], None]


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def clip(repository: Path) -> Path:
    return repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"


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


@pytest.fixture
def rig(phone: StandIn, adb_server: AdbServer, pair: SmallPair) -> Iterator[Rig]:
    made = Rig(phone, adb_server, pair)
    yield made
    assert made.nothing_runs()


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


def test_a_phone_writes_the_same_tokens_by_every_method(rig: Rig, clip: Path) -> None:
    telemetry: list[events.Telemetry] = []
    clocks: list[host_events.ClockMeasured] = []

    def keep(event: RecordedEvent) -> None:
        if isinstance(event, events.Telemetry):
            telemetry.append(event)
        if isinstance(event, host_events.ClockMeasured):
            clocks.append(event)

    begin = now_ns()
    drafted = rig.transcribe([clip], keep)
    end = now_ns()
    (clock,) = clocks
    assert abs(clock.offset_ns) > clock.uncertainty_ns  # the phone booted at another time
    told = [event.t - clock.offset_ns for event in telemetry]
    assert begin - clock.uncertainty_ns <= told[0] <= told[-1] <= end + clock.uncertainty_ns
    alone = rig.transcribe([clip], silent, "target-only")
    assert drafted.tokens == alone.tokens
    assert drafted.tokens[0]
    assert drafted.differing == [0]
    assert telemetry
    manifest = RunStore(runs_dir()).find("last").manifest
    assert manifest.device.kind == "phone"
    assert manifest.device.facts is not None
    assert manifest.device.facts.model == rig.phone.profile.properties["ro.product.model"]


@pytest.mark.parametrize(
    ("kind", "number"),
    [(events.Hello, 1), (events.Loaded, 1), (events.Prepared, 1), (decode_events.Call, 3)],
    ids=["start", "load", "prepare", "decode"],
)
def test_a_pulled_cable_pauses_a_run_and_changes_nothing(
    rig: Rig, clip: Path, kind: type[RecordedEvent], number: int
) -> None:
    whole = rig.transcribe([clip], silent)
    seen: list[RecordedEvent] = []

    def watch(event: RecordedEvent) -> None:
        seen.append(event)
        pull(event)
        if isinstance(event, host_events.StepProgress) and event.step.startswith("wait for the phone"):
            rig.back()

    pull = once(kind, rig.phone.unplug, number)
    again = rig.transcribe([clip], watch)
    assert again.tokens == whole.tokens
    assert again.differing == [0]
    endings = [event for event in seen if isinstance(event, host_events.HelperEnded)]
    assert [event.returncode for event in endings] == [None]


def test_a_phone_that_was_cleaned_while_it_was_away_gets_everything_again(rig: Rig, clip: Path) -> None:
    whole = rig.transcribe([clip], silent)

    def watch(event: RecordedEvent) -> None:
        pull(event)
        if isinstance(event, host_events.StepProgress) and event.step.startswith("wait for the phone"):
            shutil.rmtree(rig.phone.root / places.ROOT.lstrip("/"), ignore_errors=True)
            rig.back()

    pull = once(decode_events.Call, rig.phone.unplug, 3)
    again = rig.transcribe([clip], watch)
    assert again.tokens == whole.tokens
    assert again.differing == [0]


def test_a_phone_that_reboots_in_the_middle_goes_on_afterwards(rig: Rig, clip: Path) -> None:
    whole = rig.transcribe([clip], silent)
    again = rig.transcribe([clip], once(decode_events.Call, rig.phone.reboot, 2))
    assert again.tokens == whole.tokens


def test_a_killed_helper_is_started_again(rig: Rig, clip: Path) -> None:
    whole = rig.transcribe([clip], silent)
    seen: list[int | None] = []

    def watch(event: RecordedEvent) -> None:
        kill(event)
        if isinstance(event, host_events.HelperEnded):
            seen.append(event.returncode)

    kill = once(decode_events.Call, lambda: rig.phone.kill(places.PROGRAM_PREFIX) and None, 2)
    again = rig.transcribe([clip], watch)
    assert again.tokens == whole.tokens
    assert seen == [137]


def test_a_detached_job_is_done_without_a_cable(rig: Rig, clip: Path) -> None:
    attached = rig.transcribe([clip, clip], silent)
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([clip, clip], lease_seconds=600)
    rig.phone.unplug()
    assert JobStore().find(sent.job.job) == sent.job
    rig.back()
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    while (state := device.job_state(sent.job.job, cancel)) is not None and state.running:
        continue
    assert state is not None
    assert (state.results, state.exit_code) == (2, 0)
    collected = collect(sent.job, device)
    assert collected.failures == ()
    windows = [window.tokens for text in collected.transcripts.values() for window in text.windows]
    assert windows == attached.tokens
    assert JobStore().all() == []
    assert device.job_state(sent.job.job, cancel) is None
    assert not rig.phone.files(places.JOBS)


def test_a_job_whose_phone_reboots_gives_what_it_did(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([clip] * 3, lease_seconds=600)
    cancel = CancelToken()
    while (state := device.job_state(sent.job.job, cancel)) is not None and state.results == 0:
        continue
    rig.phone.reboot()
    device.make_ready(no_progress, cancel)
    state = device.job_state(sent.job.job, cancel)
    assert state is not None
    assert not state.running
    collected = collect(sent.job, device)
    assert 1 <= len(collected.transcripts) <= 3
    assert len(collected.failures) == 3 - len(collected.transcripts)
    assert rig.nothing_runs()


def test_a_cable_pulled_while_a_job_is_collected_loses_nothing(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([clip], lease_seconds=600)
    cancel = CancelToken()
    while (state := device.job_state(sent.job.job, cancel)) is not None and state.running:
        continue
    rig.phone.unplug_after(2000, direction="to_host", service="sync:")
    with pytest.raises(TransportLost):
        collect(sent.job, device)
    assert JobStore().all() == [sent.job]
    assert RunStore(runs_dir()).list() == []
    rig.back()
    device.make_ready(no_progress, cancel)
    collected = collect(sent.job, device)
    assert collected.failures == ()
    windows = [window.tokens for window in collected.transcripts["a1"].windows]
    assert windows == rig.transcribe([clip], silent).tokens


def test_a_job_that_cannot_start_leaves_nothing(rig: Rig, clip: Path) -> None:
    device = rig.device()
    with pytest.raises(HelperFailed, match="did not start"):
        JobSender(rig.settings(), device).send([clip], lease_seconds=-1)
    assert JobStore().all() == []
    assert not rig.phone.files(places.JOBS)
    contents = PhoneStore(rig.target()).contents()
    assert (contents.unused_size, contents.running) == (0, ())


def test_a_job_whose_start_is_cut_off_is_collected(rig: Rig, clip: Path) -> None:
    device = rig.device()

    def start_and_lose(*arguments: Any) -> None:
        PhoneDevice.start_job(device, *arguments)
        rig.phone.unplug()
        device.job_state(arguments[0], CancelToken())

    device.start_job = start_and_lose  # type: ignore[method-assign]
    with pytest.raises(TransportLost):
        JobSender(rig.settings(), device).send([clip], lease_seconds=600)
    (job,) = JobStore().all()
    rig.back()
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    while (state := device.job_state(job.job, cancel)) is not None and state.running:
        continue
    collected = collect(job, device)
    assert (collected.failures, collected.left_behind) == ((), False)
    assert list(collected.transcripts) == ["a1"]


def test_a_job_ends_with_its_lease(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([clip] * 40, lease_seconds=3)
    rig.phone.unplug()
    waiting.until(rig.nothing_runs, "the job's helper has ended by itself")
    rig.back()
    device.make_ready(no_progress, CancelToken())
    collected = collect(sent.job, device)
    assert collected.failures
    assert all("the job ended before, with its lease" in failure for failure in collected.failures)


def test_a_program_that_is_killed_leaves_nothing_running_on_the_phone(
    rig: Rig, clip: Path, data: Path
) -> None:
    command = [sys.executable, "-m", "as2d.backend.cli.entry", "transcribe", *[str(clip)] * 40]
    command += ["--device", rig.phone.address, "--language", "en"]
    command += ["--target", str(rig.pair.target.path), "--drafter", str(rig.pair.drafter.path)]
    environment = os.environ | {
        "AS2D_DATA_DIR": str(data), "ANDROID_ADB_SERVER_PORT": str(rig.adb.port), "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline()
        child.kill()
    waiting.until(rig.nothing_runs, "the phone's helper has ended")
