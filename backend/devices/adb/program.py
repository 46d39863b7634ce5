"""The adb program: found, and made to start its server."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.devices.adb.words import cause_of, lines_of
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

START_SECONDS = 30.0
_VERSION_SECONDS = 10.0
_POLL_SECONDS = 0.02
_SERVER_VERSION = re.compile(r"version 1\.0\.(\d+)")
_RELEASE = re.compile(r"^Version (\S+)", re.MULTILINE)
_NAME = "adb.exe" if sys.platform == "win32" else "adb"


def adb_program() -> Path | None:
    """The adb that came along with the package adbutils, else the system's; None if there is neither."""
    package = importlib.util.find_spec("adbutils")
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        bundled = Path(folder) / "binaries" / _NAME
        if bundled.is_file() and os.access(bundled, os.X_OK):
            return bundled
    found = shutil.which(_NAME)
    return Path(found) if found is not None else None


@dataclass(frozen=True)
class AdbVersion:
    """`server`: the version of the server that a program speaks with, 41 for every adb since 2018; a server
    of another version it ends. `release` as `36.0.0-13206524`. Null and 'unknown' where adb does not say.
    """

    server: int | None
    release: str


def program_version(program: Path) -> AdbVersion:
    """The version that an adb program says it has.

    Raises:
        HelperFailed: it does not run.
    """
    try:
        said = subprocess.run(
            [str(program), "version"], capture_output=True, timeout=_VERSION_SECONDS, check=True
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError) as error:
        raise HelperFailed(
            f"The adb program {program} does not run ({error}); install your system's adb."
        ) from error
    server, release = _SERVER_VERSION.search(said), _RELEASE.search(said)
    return AdbVersion(
        int(server.group(1)) if server is not None else None,
        release.group(1) if release is not None else "unknown",
    )


def start_server(port: int, cancel: CancelToken) -> str:
    """Make adb start its server on this computer, which lives on when this process ends; what adb said.

    Whether the server answers is for the caller to see: another program may have started it meanwhile, and
    then adb complains for nothing.

    Raises:
        HelperFailed: there is no adb program, it does not run, or it took too long.
        Cancelled: cancelled meanwhile.
    """
    program = adb_program()
    if program is None:
        raise HelperFailed(
            "Phones cannot be looked for: the package adbutils brings no adb for this computer and none is "
            "installed; install your system's adb."
        )
    # A file, not a pipe: the server could hold a pipe open for as long as it lives.
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(
                [str(program), "-P", str(port), "start-server"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/",  # noqa: PTH111, PTH112
                env=_environment(),
                start_new_session=True,  # an interrupt at the terminal is not for the server
            )
        except OSError as error:
            raise HelperFailed(
                f"The adb program {program} cannot be run ({error.strerror or error}); install your "
                "system's adb."
            ) from error
        _wait_for_end(child, cancel)
        output.seek(0)
        return output.read().decode("utf-8", "replace")


def server_did_not_start(port: int, said: str) -> HelperFailed:
    """The error for a server that does not answer after adb said `said`."""
    cause = cause_of(said)
    if cause is not None:
        return HelperFailed(f"The adb server did not start: {cause}")
    answer = lines_of(said) or [line for line in said.splitlines() if line.strip()]
    reason = answer[-1].strip(" *") if answer else "it gave no reason"
    return HelperFailed(
        f"The adb server did not start at port {port} (adb: {reason}); start it with `adb start-server`, or "
        "name one that runs in AS2D_ADB_SERVER."
    )


def _wait_for_end(child: subprocess.Popen[bytes], cancel: CancelToken) -> None:
    end = time.monotonic() + START_SECONDS
    try:
        while child.poll() is None:
            if cancel():
                raise Cancelled
            if time.monotonic() > end:
                raise HelperFailed(
                    f"The adb server did not start within {START_SECONDS:.0f} s; start it with "
                    "`adb start-server`."
                )
            time.sleep(_POLL_SECONDS)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _environment() -> dict[str, str]:
    """This process's environment without what would send adb to another server than the one meant."""
    other = ("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT", "ANDROID_SERIAL")
    return {name: value for name, value in os.environ.items() if name not in other}
