"""Debian's busybox-static for arm64, fetched once into the user's cache; the system itself is left as it is.

busybox is under the GPL, version 2. Only tests run it, nothing that is built or shipped contains
it; its copyright file lies beside it in the cache. AS2D_BUSYBOX_ARM64 names another file to use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from as2d.backend.paths import cache_dir

_PACKAGE = "busybox-static:arm64"
_COPYRIGHT = "usr/share/doc/busybox-static/copyright"


class BusyboxMissing(Exception):
    """It could not be fetched; says what to do."""


def find() -> Path | None:
    """The program if it is here already."""
    named = os.environ.get("AS2D_BUSYBOX_ARM64")
    path = Path(named) if named else cache_dir() / "stand-in" / "busybox-arm64"
    return path if path.is_file() else None


def ensure() -> Path:
    """The program, fetched when it is not here; raises BusyboxMissing."""
    found = find()
    if found is not None:
        return found
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise BusyboxMissing(
            "A static busybox for arm64 is missing and there is no apt-get to fetch it with; "
            "set AS2D_BUSYBOX_ARM64 to one."
        )
    folder = cache_dir() / "stand-in"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        try:
            _fetch(Path(work))
        except subprocess.CalledProcessError as error:
            raise BusyboxMissing(
                f"The package {_PACKAGE} could not be fetched ({error.stderr.strip().splitlines()[-1:]}); "
                "check the network, or set AS2D_BUSYBOX_ARM64 to a static busybox for arm64."
            ) from error
        shutil.copy(Path(work, "tree", _COPYRIGHT), folder / "busybox-copyright.txt")
        Path(work, "tree/bin/busybox").replace(folder / "busybox-arm64")
    return folder / "busybox-arm64"


def _fetch(work: Path) -> None:
    """Unpacks the package into work/tree; apt keeps all its state, for arm64 only, below `work`."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    settings = {
        "Dir::State": work / "state",
        "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    for command in (["update"], ["download", _PACKAGE]):
        _run(["apt-get", "-q", *options, *command], work)
    _run(["dpkg-deb", "-x", *map(str, work.glob("*.deb")), "tree"], work)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command,
        cwd=folder,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


if __name__ == "__main__":
    try:
        print(ensure())
    except BusyboxMissing as missing:
        sys.exit(str(missing))
