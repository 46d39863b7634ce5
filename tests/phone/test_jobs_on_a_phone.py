"""Detached jobs on a stand-in phone: done without a cable, collected without a loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.phone import waiting
from tests.phone.rig import Rig, silent

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.connection import TransportLost
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.errors import HelperFailed
from as2d.backend.jobs.collecting import collect
from as2d.backend.jobs.job import JobStore
from as2d.backend.jobs.sending import JobSender
from as2d.backend.models.progress import no_progress
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken


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
    contents = PhoneStore(rig.target()).contents()
    assert (contents.unused_size, contents.incoming_files) == (0, 0)


def test_a_job_that_is_stopped_gives_all_that_it_did(rig: Rig, clip: Path) -> None:
    device = rig.device()
    sent = JobSender(rig.settings(), device).send([clip] * 12, lease_seconds=600)
    cancel = CancelToken()
    while (state := device.job_state(sent.job.job, cancel)) is not None and state.results == 0:
        continue
    alive_when_fetched: list[bool] = []
    fetch = device.fetch_events

    def watched(*arguments: Any) -> None:
        alive_when_fetched.append(not rig.nothing_runs())
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
    sent = JobSender(rig.settings(), rig.device()).send([clip], lease_seconds=600)
    monkeypatch.setenv("AS2D_HELPER_ARM64", str(tmp_path / "missing"))
    device = rig.device()
    cancel = CancelToken()
    while (state := device.job_state(sent.job.job, cancel)) is not None and state.running:
        continue
    rig.phone.unplug()
    rig.back()
    device.wait_until_back(no_progress, cancel)
    assert collect(sent.job, device).failures == ()
    with pytest.raises(HelperFailed, match="AS2D_HELPER_ARM64"):
        device.make_ready(no_progress, cancel)


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
