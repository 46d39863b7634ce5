"""Detached jobs on a stand-in phone: done without a cable, collected without a loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.phone import waiting
from tests.phone.rig import Rig, silent

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.cli.jobs import jobs
from as2d.backend.devices.adb import listing, places
from as2d.backend.devices.adb.connection import TransportLost
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.devices.device import JobState
from as2d.backend.errors import HelperFailed
from as2d.backend.jobs.collecting import collect
from as2d.backend.jobs.job import Job, JobStore
from as2d.backend.jobs.sending import JobSender
from as2d.backend.models.progress import no_progress
from as2d.backend.paths import runs_dir
from as2d.backend.protocol import ops
from as2d.backend.protocol.lines import to_line
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken


def wait_for(device: PhoneDevice, job: Job, reached: Callable[[JobState], bool]) -> None:
    """Wait until a job on its phone has come so far."""

    def look() -> bool:
        state = device.job_state(job.job, CancelToken())
        assert state is not None
        return reached(state)

    waiting.until(look, f"the job {job.job} has come so far")


def test_a_detached_job_is_done_without_a_cable(rig: Rig, clip: Path) -> None:
    attached = rig.transcribe([clip, clip], silent)
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([FoundRecording(clip)] * 2, lease_seconds=600)
    rig.phone.unplug()
    assert JobStore().find(sent.job.job) == sent.job
    waiting.until(rig.nothing_runs, "the job has ended without a cable")
    rig.back()
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    state = device.job_state(sent.job.job, cancel)
    assert state is not None
    assert not state.running
    assert (state.results, state.exit_code) == (2, 0)
    collected = collect(sent.job, device)
    assert collected.failures == ()
    windows = [window.tokens for text in collected.transcripts.values() for window in text.windows]
    assert windows == attached.tokens
    assert JobStore().all() == []
    assert device.job_state(sent.job.job, cancel) is None
    assert not rig.phone.files(places.JOBS)
    contents = PhoneStore(rig.target()).contents()
    assert (contents.unused_size, contents.incoming_files) == (0, 0)


def test_a_job_that_is_stopped_gives_all_that_it_did(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([FoundRecording(clip)] * 12, lease_seconds=600)
    wait_for(device, sent.job, lambda state: state.results > 0)
    alive_when_fetched: list[bool] = []
    fetch = device.fetch_events

    def watched(*arguments: Any) -> None:
        alive_when_fetched.append(rig.helper_runs())
        fetch(*arguments)

    device.fetch_events = watched  # type: ignore[method-assign]
    collected = collect(sent.job, device)
    assert alive_when_fetched == [False]
    assert 1 <= len(collected.transcripts) <= 12
    assert len(collected.failures) == 12 - len(collected.transcripts)
    assert PhoneStore(rig.target()).contents().unused_size == 0
    assert not rig.phone.files(places.RUNS)


def test_jobs_are_looked_after_without_a_helper_for_phones(
    rig: Rig, clip: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent = JobSender(rig.settings(), rig.device()).send([FoundRecording(clip)], lease_seconds=600)
    monkeypatch.setenv("AS2D_HELPER_ARM64", str(tmp_path / "missing"))
    device = rig.device()
    cancel = CancelToken()
    wait_for(device, sent.job, lambda state: not state.running)
    rig.phone.unplug()
    rig.back()
    device.wait_until_back(no_progress, cancel)
    assert collect(sent.job, device).failures == ()
    with pytest.raises(HelperFailed, match="AS2D_HELPER_ARM64"):
        device.make_ready(no_progress, cancel)


def test_the_list_of_jobs_says_why_a_phone_is_out_of_reach(
    rig: Rig, clip: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = JobSender(rig.settings(), rig.device()).send([FoundRecording(clip)], lease_seconds=600)
    device = rig.device()
    wait_for(device, sent.job, lambda state: not state.running)
    server = f"127.0.0.1:{rig.adb.port}"

    def listed() -> tuple[str, str]:
        jobs(adb_server=server)
        said = capsys.readouterr()
        row = next(line for line in said.out.splitlines() if line.startswith(sent.job.job))
        return row, said.err

    assert listed()[0].rstrip().endswith("ended, 1 done")
    with monkeypatch.context() as impatient:
        impatient.setattr(listing, "ASK_SECONDS", 1.0)
        rig.phone.cable.stall()
        row, said = listed()
    assert row.rstrip().endswith("out of reach")
    assert "does not answer" in said
    rig.phone.cable.resume()
    rig.phone.unplug()
    row, said = listed()
    assert row.rstrip().endswith("out of reach")
    assert f"Job {sent.job.job} cannot be looked at now" in said
    rig.back()
    device.wait_until_back(no_progress, CancelToken())
    assert collect(sent.job, device).failures == ()


def test_a_job_whose_phone_reboots_gives_what_it_did(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([FoundRecording(clip)] * 3, lease_seconds=600)
    wait_for(device, sent.job, lambda state: state.results > 0)
    rig.phone.reboot()
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    state = device.job_state(sent.job.job, cancel)
    assert state is not None
    assert not state.running
    collected = collect(sent.job, device)
    assert 1 <= len(collected.transcripts) <= 3
    assert len(collected.failures) == 3 - len(collected.transcripts)


def test_a_cable_pulled_while_a_job_is_collected_loses_nothing(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([FoundRecording(clip)], lease_seconds=600)
    cancel = CancelToken()
    wait_for(device, sent.job, lambda state: not state.running)
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
        JobSender(rig.settings(), device).send([FoundRecording(clip)], lease_seconds=-1)
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
        JobSender(rig.settings(), device).send([FoundRecording(clip)], lease_seconds=600)
    (job,) = JobStore().all()
    rig.back()
    cancel = CancelToken()
    device.make_ready(no_progress, cancel)
    wait_for(device, job, lambda state: not state.running)
    collected = collect(job, device)
    assert (collected.failures, collected.left_behind) == ((), False)
    assert list(collected.transcripts) == ["a1"]


def test_a_job_ends_with_its_lease(rig: Rig, clip: Path, tmp_path: Path) -> None:
    device = rig.device()

    def start_with_endless_work(job: str, asked: str, lease_seconds: int, cancel: CancelToken) -> None:
        """Between the models and the windows there is work for many leases."""
        lines = rig.phone.root.joinpath(asked.lstrip("/")).read_bytes().splitlines(keepends=True)
        loads = [line for line in lines if json.loads(line)["op"] == "load"]
        load = ops.Load.model_validate_json(loads[0])
        work = ops.MeasureCalls(
            model=load.model, widths=(32,) * 64, context=20, threads=load.threads, repeats=1000
        )
        endless = [to_line(work.model_copy(update={"id": 10_000 + number})) for number in range(20)]
        file = tmp_path / "endless.jsonl"
        file.write_bytes(b"".join([*loads, *endless, *lines[len(loads) :]]))
        placed = device.place_file(file, no_progress, cancel)
        PhoneDevice.start_job(device, job, placed, lease_seconds, cancel)

    device.start_job = start_with_endless_work  # type: ignore[method-assign]
    sent = JobSender(rig.settings(), device).send([FoundRecording(clip)], lease_seconds=3)
    rig.phone.unplug()
    waiting.until(rig.nothing_runs, "the job's helper has ended by itself")
    rig.back()
    device.make_ready(no_progress, CancelToken())
    collected = collect(sent.job, device)
    (failure,) = collected.failures
    assert "the job ended before, with its lease" in failure
