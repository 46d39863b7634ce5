"""Detached jobs on a phone: a helper that works through a file of ops while nobody listens."""

from __future__ import annotations

import shlex
from pathlib import Path

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.processes import PROCESSES, TENTH
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.adb.sync import SyncClient
from as2d.backend.devices.device import JobState
from as2d.backend.errors import HelperFailed
from as2d.backend.transcribe.cancel import CancelToken

_EVENTS = "events.jsonl"
_ENDING_TENTHS = 30  # of a second that a helper may take to end


def start_job(
    target: AdbTarget, job: str, program: str, ops: str, lease_seconds: int, cancel: CancelToken
) -> None:
    """Start the helper `program` with the ops in the file `ops`, both names on the phone.

    It goes on without a connection and ends by itself after the last op, or after `lease_seconds`.

    Raises:
        TransportLost: the phone is out of reach; the job may have started.
        HelperFailed: it did not start.
        Cancelled: cancelled meanwhile.
    """
    folder = f"{places.JOBS}/{job}"
    pid_file = f"{places.RUNS}/job-{job}"
    serve = (
        f"{program} serve --job --pid-file {pid_file} --lease-seconds {lease_seconds} "
        f"--lease-file {folder}/lease <{ops} >{_EVENTS} 2>stderr.txt; echo $? >exit; "
        f"echo as2d-{job} >/sys/power/wake_unlock"
    )
    script = (
        f"{TENTH}"
        f"mkdir -p {folder} {places.RUNS} && cd {folder} || exit 1\n"
        # From here on no other computer takes these files away.
        f"{{ echo {ops} && cat {ops}; }} >arriving && mv arriving {places.READS} || exit 1\n"
        f"(echo as2d-{job} >/sys/power/wake_lock) 2>/dev/null && touch awake\n"
        f"setsid sh -c {shlex.quote(serve)} </dev/null >/dev/null 2>&1 &\n"
        f"n=0; while [ ! -s {_EVENTS} ] && [ ! -e exit ] && [ $n -lt 100 ]; do tenth; done\n"
        f"[ -s {_EVENTS} ] || {{ head -n 1 stderr.txt; exit 1; }}\n"
    )
    done = run(target, ["sh", "-c", script], seconds=60.0, cancel=cancel)
    if done.code != 0:
        raise HelperFailed(
            f"The job did not start on {target.name} ({done.last_words or f'exit status {done.code}'}); "
            "clean the phone with `as2d phone clean` and try again."
        )


def job_state(target: AdbTarget, job: str, cancel: CancelToken) -> JobState | None:
    """How far a job is, whose lease this renews; None: the phone knows no such job.

    Raises:
        HelperFailed: the phone is out of reach.
        Cancelled: cancelled meanwhile.
    """
    script = (
        f"{PROCESSES}"
        f"cd {places.JOBS}/{job} 2>/dev/null || {{ echo gone; exit 0; }}\n"
        "touch lease\n"
        f'[ -n "$(running {places.RUNS}/job-{job})" ] && echo running || echo ended\n'
        f'n=$(grep -c \'"event":"result"\' {_EVENTS} 2>/dev/null); echo ${{n:-0}}\n'
        "code=$(cat exit 2>/dev/null); echo ${code:--}\n"
        "[ -e awake ] && echo awake || echo -\n"
    )
    lines = run(target, ["sh", "-c", script], cancel=cancel).text.split()
    if lines[:1] == ["gone"]:
        return None
    state, results, code, awake = lines
    return JobState(state == "running", int(results), int(code) if code.isdigit() else None, awake == "awake")


def stop_job(target: AdbTarget, job: str, cancel: CancelToken) -> None:
    """End a job and keep its files; once this returns it writes nothing any more.

    Raises:
        HelperFailed: the phone is out of reach, or the job cannot be ended.
        Cancelled: cancelled meanwhile.
    """
    pid_file = f"{places.RUNS}/job-{job}"
    script = (
        f"{PROCESSES}{TENTH}"
        f'p=$(running {pid_file}); [ -n "$p" ] || exit 0\n'
        "for signal in 15 9; do\n"
        "  kill -$signal $p; n=0\n"
        f"  while kill -0 $p && [ $n -lt {_ENDING_TENTHS} ]; do tenth; done\n"
        f"  kill -0 $p || {{ rm -f {pid_file}; exit 0; }}\n"
        "done 2>/dev/null\n"
        "exit 1\n"
    )
    if run(target, ["sh", "-c", script], cancel=cancel).code != 0:
        raise HelperFailed(f"The job {job} on {target.name} cannot be ended; restart the phone.")


def fetch_events(target: AdbTarget, job: str, into: Path, cancel: CancelToken) -> None:
    """Copy the events that a job has written so far into a file.

    Raises:
        HelperFailed: the phone is out of reach, or the job is gone.
        Cancelled: cancelled meanwhile.
    """
    with (
        into.open("wb") as file,
        SyncClient.open(target, cancel=cancel) as sync,
    ):
        sync.read(f"{places.JOBS}/{job}/{_EVENTS}", file.write)


def remove_job(target: AdbTarget, job: str, cancel: CancelToken) -> None:
    """End a job and take its files away; one that is gone is no error.

    Raises:
        HelperFailed: the phone is out of reach.
        Cancelled: cancelled meanwhile.
    """
    pid_file = f"{places.RUNS}/job-{job}"
    script = (
        f"{PROCESSES}"
        f"for p in $(running {pid_file}); do kill -9 $p; done\n"
        # The job's shell may still write how its helper ended.
        f"rm -rf {places.JOBS}/{job} {pid_file} || {{ sleep 1; rm -rf {places.JOBS}/{job}; }}\n"
        f"(echo as2d-{job} >/sys/power/wake_unlock) 2>/dev/null; true"
    )
    run(target, ["sh", "-c", script], cancel=cancel)
