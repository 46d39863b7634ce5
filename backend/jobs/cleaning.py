"""Taking everything away from a phone, detached jobs only where that was said."""

from __future__ import annotations

from as2d.backend.devices.adb.cleaning import Cleaned
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.errors import WrongUse
from as2d.backend.jobs.job import JobStore
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.words import counted


def clean_everything(target: AdbTarget, *, jobs: bool, cancel: CancelToken | None = None) -> Cleaned:
    """End AS²D's processes on a phone and delete everything that it put there.

    Raises:
        WrongUse: a detached job would be lost, and `jobs` does not say that it may be.
        HelperFailed: the phone is out of reach, or something cannot be deleted.
        Cancelled: cancelled before.
    """
    store = PhoneStore(target)
    lost = store.contents(cancel).jobs
    if lost and not jobs:
        raise WrongUse(
            f"On the phone {target.name} {counted(len(lost), 'detached job')} would be lost "
            f"({', '.join(lost)}); fetch what was done with `as2d collect`, or give --jobs."
        )
    cleaned = store.clean(cancel)
    for job in JobStore().all():
        if job.job in lost:
            JobStore().forget(job.job)
    return cleaned
