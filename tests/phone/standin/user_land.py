"""The arm64 programs of a stand-in, fetched once into the user's cache; the system is left as it is.

mksh is what Android's own `sh` is (MirOS licence); BusyBox (GPL-2.0) stands for toybox. Only tests run them,
nothing that is built or shipped contains them; their copyright files lie beside them. AS2D_STAND_IN_PROGRAMS
names a folder with static arm64 programs `mksh` and `busybox` to use instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from as2d.backend.paths import cache_dir

# Program → package and its place there.
_PROGRAMS = {
    "busybox": ("busybox-static", "bin/busybox"),
    "mksh": ("mksh", "usr/lib/aarch64-linux-musl/bin/mksh"),
}


class ProgramsMissing(Exception):
    """They could not be fetched; says what to do."""


def ensure() -> Path:
    """The folder with both programs, fetched when they are not here; raises ProgramsMissing."""
    named = os.environ.get("AS2D_STAND_IN_PROGRAMS")
    folder = Path(named) if named else cache_dir() / "stand-in" / "arm64"
    if all((folder / name).is_file() for name in _PROGRAMS):
        return folder
    if named:
        raise ProgramsMissing(f"{folder} lacks mksh or busybox (static programs for arm64).")
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise ProgramsMissing(
            "Static programs for arm64 are missing and there is no apt-get to fetch them with; "
            "set AS2D_STAND_IN_PROGRAMS to a folder with mksh and busybox."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        try:
            _fetch(Path(work))
        except subprocess.CalledProcessError as error:
            reason = (error.stderr.strip().splitlines() or ["no reason was given"])[-1]
            raise ProgramsMissing(
                f"The arm64 packages of mksh and busybox could not be fetched ({reason}); check the network, "
                "or set AS2D_STAND_IN_PROGRAMS to a folder with both programs."
            ) from error
        for name, (package, member) in _PROGRAMS.items():
            tree = Path(work, package)
            shutil.copy(tree / "usr/share/doc" / package / "copyright", folder / f"{name}-copyright.txt")
            (tree / member).replace(folder / name)
    return folder


def _fetch(work: Path) -> None:
    """Unpacks each package into a folder of its name; apt keeps its state, for arm64 only, below `work`."""
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
    packages = [package for package, _ in _PROGRAMS.values()]
    for command in (["update"], ["download", *(f"{package}:arm64" for package in packages)]):
        _run(["apt-get", "-q", *options, *command], work)
    for package in packages:
        (archive,) = work.glob(f"{package}_*.deb")
        _run(["dpkg-deb", "-x", str(archive), package], work)


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
        print(f"The stand-in's programs for arm64, a shell and BusyBox, are in {ensure()}")
    except ProgramsMissing as missing:
        sys.exit(str(missing))
