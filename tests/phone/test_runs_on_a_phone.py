"""Whole runs on a stand-in phone: the same tokens whatever happens to the cable, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.phone import waiting
from tests.phone.rig import Rig, once, silent

from as2d.backend.devices.adb import phone_device, places
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.phone import Phone
from as2d.backend.helper import process
from as2d.backend.models.progress import no_progress
from as2d.backend.paths import profiles_dir, runs_dir
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken


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


def test_a_cable_pulled_just_before_the_helper_starts_pauses_a_run(rig: Rig, clip: Path) -> None:
    def watch(event: RecordedEvent) -> None:
        if isinstance(event, host_events.StepProgress):
            if event.step == "start the helper":
                rig.phone.unplug()
            elif event.step.startswith("wait for the phone"):
                rig.back()

    done = rig.transcribe([clip], watch)
    assert done.tokens[0]
    assert done.differing == [0]


def test_a_stalled_link_is_a_lost_connection_and_pauses_a_run(
    rig: Rig, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rig.transcribe([clip], silent)
    monkeypatch.setattr(process, "SILENCE_SECONDS", 10.0)
    endings: list[host_events.HelperEnded] = []

    def watch(event: RecordedEvent) -> None:
        stall(event)
        if isinstance(event, host_events.HelperEnded):
            endings.append(event)
        if isinstance(event, host_events.StepProgress) and event.step.startswith("wait for the phone"):
            rig.phone.cable.resume()

    stall = once(decode_events.Call, rig.phone.cable.stall, 3)
    again = rig.transcribe([clip], watch)
    assert again.tokens == whole.tokens
    assert again.differing == [0]
    assert [event.returncode for event in endings] == [None]
    assert "The connection to the helper on" in endings[0].message
    # The phone's side of the stalled connection notices its end when bytes pass again.
    waiting.until(rig.nothing_runs, "the first helper has ended")


def test_a_frozen_helper_on_a_phone_that_answers_is_started_again(
    rig: Rig, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rig.transcribe([clip], silent)
    monkeypatch.setattr(process, "SILENCE_SECONDS", 10.0)
    endings: list[host_events.HelperEnded] = []

    def watch(event: RecordedEvent) -> None:
        freeze(event)
        if isinstance(event, host_events.HelperEnded):
            endings.append(event)

    freeze = once(
        decode_events.Call, lambda: rig.phone.kill(places.PROGRAM_PREFIX, signal.SIGSTOP) and None, 2
    )
    again = rig.transcribe([clip], watch)
    assert again.tokens == whole.tokens
    assert "was silent for 10 s" in endings[0].message
    # The shell that had started it was frozen with it.
    rig.phone.kill(places.PROGRAM_PREFIX, signal.SIGCONT)
    waiting.until(rig.nothing_runs, "the frozen shell has ended")


def test_phones_are_not_looked_for_again_while_the_connection_holds(
    rig: Rig, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def counted(*arguments: Any) -> list[Phone]:
        looks.append(arguments)
        return list_phones(*arguments)

    device = rig.device()
    monkeypatch.setattr(phone_device, "list_phones", counted)
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    for number in range(3):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(bytes([number]) * 1000)
        placed = device.place_file(path, no_progress, cancel)
        assert (rig.phone.root / placed.lstrip("/")).read_bytes() == path.read_bytes()
    assert looks == []
    rig.phone.unplug()
    path.write_bytes(b"another")

    def plug_in(stage: str, done: int, total: int) -> None:
        if stage.startswith("wait for the phone"):
            rig.back()

    device.place_file(path, plug_in, cancel)
    assert looks


@pytest.mark.parametrize(
    "step",
    ["load small", "self-test of small", None],
    ids=["load target", "self-test", "decode"],
)
def test_a_phone_that_was_cleaned_while_it_was_away_gets_everything_again(
    rig: Rig, clip: Path, step: str | None
) -> None:
    whole = rig.transcribe([clip], silent)
    shutil.rmtree(profiles_dir())  # so that the self-test is done again
    endings: list[host_events.HelperEnded] = []
    pull = once(decode_events.Call, rig.phone.unplug, 3)

    def watch(event: RecordedEvent) -> None:
        if step is None:
            pull(event)
        if isinstance(event, host_events.HelperEnded):
            endings.append(event)
        if not isinstance(event, host_events.StepProgress):
            return
        if step is not None and event.step.split(" (")[0] == step and not endings:
            rig.phone.unplug()
        if event.step.startswith("wait for the phone"):
            shutil.rmtree(rig.phone.root / places.ROOT.lstrip("/"), ignore_errors=True)
            rig.back()

    again = rig.transcribe([clip], watch)
    assert [ending.returncode for ending in endings] == [None]
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
