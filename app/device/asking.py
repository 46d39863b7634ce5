"""The questions to a device, for a thread beside the window; answers are fields of `Known`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from as2d.app.viewmodels.device_phone import JobRow, job_row
from as2d.backend.devices.battery_memory import current_of
from as2d.backend.devices.device import JobState
from as2d.backend.devices.evidence import measured_on
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.phone_service import PhoneService
from as2d.backend.devices.placement import placement
from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices, RememberedPhone
from as2d.backend.devices.report import report_computer
from as2d.backend.devices.sensors import look_at_sensors
from as2d.backend.errors import UserError
from as2d.backend.jobs.job import JobStore
from as2d.backend.models.progress import no_progress
from as2d.backend.transcribe.cancel import CancelToken

if TYPE_CHECKING:
    from as2d.app.device.knowledge import Known
    from as2d.backend.devices.facts import PhoneFacts

Models = tuple[str, str | None]
News = dict[str, object]


def ask_computer(models: Models, cancel: CancelToken) -> News:
    """This computer: what it is, its sensors, and what was measured on it; `problem`: why something of it is
    missing.
    """
    report, problem = report_computer()
    news: News = {"report": report, "measured": measured_on(report.cpu, *models), "problem": None}
    if problem is None:
        try:
            news["seen"] = look_at_sensors(LocalDevice(), no_progress, cancel)
        except UserError as error:
            news["problem"] = error.message
    return news


def ask_phone(key: str, models: Models, cancel: CancelToken) -> News:
    """A phone that is ready: what it is, its battery, what of ours is on it, and what was measured.
    `problem`: why something of it is missing.
    """
    service = PhoneService()
    facts = service.facts(key, cancel)
    news: News = {"facts": facts, "problem": None, **_files(key, facts, models)}
    try:
        news["reading"] = service.reports(key, cancel)
        news["contents"] = service.contents(key, cancel)
        news["jobs"] = _jobs(key, service, cancel)
    except UserError as error:  # what it told before stays
        news["problem"] = error.message
    return news


def ask_reading(key: str, cancel: CancelToken) -> News:
    """Battery and temperature of a phone."""
    return {"reading": PhoneService().reports(key, cancel)}


def ask_files(key: str | None, known: Known, models: Models) -> News:
    """What this computer keeps of a device."""
    if key is not None:
        return _files(key, known.facts, models)
    return {"measured": measured_on(known.report.cpu, *models)} if known.report is not None else {}


def _files(key: str, facts: PhoneFacts | None, models: Models) -> News:
    try:
        record = RememberedDevices().phone(key)
    except UserError:  # told where it is written
        record = RememberedPhone()
    cpus = record.cpus or CpuPlacement()
    news: News = {"current": current_of(record)}
    if facts is not None:
        news["placed"] = placement(facts.clusters, target_cpus=cpus.target, drafter_cpus=cpus.drafter)
        news["measured"] = measured_on(facts.cpu, *models)
    return news


def _jobs(key: str, service: PhoneService, cancel: CancelToken) -> tuple[JobRow, ...]:
    jobs = [job for job in JobStore().all() if job.device == key]
    if not jobs:
        return ()
    device = service.device(key, cancel)
    rows = []
    for job in jobs:
        state: JobState | None = None
        asked = True
        try:
            state = device.job_state(job.job, cancel)
        except UserError:  # it went away meanwhile
            asked = False
        rows.append(job_row(job, state, asked=asked))
    return tuple(rows)
