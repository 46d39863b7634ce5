"""Taking away what jobs have left on a device."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.devices.device import JobDevice
from as2d.backend.jobs.job import Job, JobStore
from as2d.backend.transcribe.cancel import CancelToken


def remove_job(job: Job, device: JobDevice, cancel: CancelToken) -> None:
    """End a job on its device and delete its files there; raises as `remove_files`."""
    device.remove_job(job.job, cancel)
    remove_files(job.files, device, cancel, but_for=job)


def remove_files(
    files: Sequence[str], device: JobDevice, cancel: CancelToken, *, but_for: Job | None = None
) -> None:
    """Delete files on a device that no job reads, the job `but_for` left aside.

    Raises:
        UserError: the device is out of reach.
        Cancelled: cancelled meanwhile.
    """
    needed = {
        name
        for job in JobStore().all()
        if job.device == device.id and (but_for is None or job.job != but_for.job)
        for name in job.files
    }
    for name in sorted(set(files) - needed):
        device.remove_file(name, cancel)
