"""The store on a phone: complete and verified files by their SHA-256, and model folders made of them."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.cleaning import Cleaned, Contents, clean_phone, read_contents
from as2d.backend.devices.adb.connection import STALL_SECONDS, AdbTarget, features_of
from as2d.backend.devices.adb.free_space import free_bytes
from as2d.backend.devices.adb.placing import LEFTOVER_DAYS, FilePlacement, Placer
from as2d.backend.devices.adb.pushing import PhoneFile
from as2d.backend.devices.adb.sync import SyncClient
from as2d.backend.models.files import sha256_of
from as2d.backend.models.manifest import MANIFEST_NAME
from as2d.backend.models.progress import Cancel, Progress, Reporter
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import data_dir

_NAME_DIGITS = 16  # of a helper's SHA-256


class PhoneStore:
    """What we keep on one phone; see `places`. Make one for each connection; use it on one thread at a time.

    Members that talk to the phone raise TransportLost when it gets lost and Cancelled when the cancel
    question is answered with yes; both keep what arrived, and the next call goes on from there.
    """

    def __init__(
        self,
        target: AdbTarget,
        *,
        features: frozenset[str] | None = None,
        records: Path | None = None,
        stall_seconds: float = STALL_SECONDS,
    ) -> None:
        """`features` are the phone's, if the caller has them; else they are asked for.

        `records` is the folder of what this computer knows about phones (default: `phones` in the data
        folder). A push in which no byte moves for `stall_seconds` has lost its phone.

        Raises:
            TransportLost: the phone is out of reach.
        """
        self._target = target
        self._features = features if features is not None else features_of(target)
        self._placer = Placer(target, self._features, records or data_dir() / "phones", stall_seconds)

    def place_model(
        self, model: InstalledModel, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> str:
        """The folder on the phone that holds the model, complete and verified; what is missing is pushed.

        Raises:
            OutOfSpace: the phone has no room; nothing half-written stays there.
            InputRefused: a file of the model was changed on this computer.
            HelperFailed: the phone refuses.
        """
        reporter = Reporter(progress, cancel)
        manifest = model.path / MANIFEST_NAME
        files = {
            file.path: self._file(model.path / file.path, file.size, file.sha256)
            for file in model.manifest.files.values()
        }
        files[MANIFEST_NAME] = self._file(manifest, manifest.stat().st_size, model.digest)
        objects = {file.sha256: FilePlacement(file, _object(file.sha256)) for file in files.values()}
        self._placer.place(list(objects.values()), model.name, reporter)
        folder = f"{places.MODELS}/{model.digest}"
        links = {f"{folder}/{name}": _object(file.sha256) for name, file in files.items()}
        if not self._linked(links, reporter):
            self._link(folder, files, model.name, reporter)
        return folder

    def place_file(self, local: Path, progress: Progress | None = None, cancel: Cancel | None = None) -> str:
        """The name on the phone of a copy of a local file; raises as `place_model`."""
        reporter = Reporter(progress, cancel)
        file = self._read(local, reporter)
        path = _object(file.sha256)
        self._placer.place([FilePlacement(file, path)], local.name, reporter)
        return path

    def place_helper(
        self, local: Path, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> str:
        """The name on the phone of the helper program, ready to be started.

        Others are deleted once they are `LEFTOVER_DAYS` old: another computer may use them.

        Raises as `place_model`.
        """
        reporter = Reporter(progress, cancel)
        file = self._read(local, reporter)
        path = f"{places.PROGRAM_PREFIX}{file.sha256[:_NAME_DIGITS]}"
        if self._placer.place([FilePlacement(file, path, 0o755)], "the helper program", reporter):
            name = path.rpartition("/")[2]
            self._placer.script(  # phones before Android 6 have no `find`
                f"cd {places.PROGRAMS} || exit 1\n"
                f"find . -type f ! -name {name} -mtime +{LEFTOVER_DAYS - 1} -exec rm -f {{}} + 2>/dev/null\n"
                "true",
                "deleting older helper programs",
                reporter,
            )
        return path

    def remove_file(self, path: str, cancel: Cancel | None = None) -> None:
        """Delete what `place_file` placed; a file that is gone is no error.

        It stays while a detached job is on the phone, this computer's or another's, that reads it.
        """
        folder, _, name = path.rpartition("/")
        if folder != places.OBJECTS:
            raise ValueError(path)
        self._placer.script(
            f"cd {places.JOBS} 2>/dev/null && for job in *; do\n"
            '  [ -d "$job" ] || continue\n'
            f'  [ -s "$job/{places.READS}" ] || exit 0\n'
            f'  grep -q {shlex.quote(name)} "$job/{places.READS}" 2>/dev/null\n'
            "  [ $? = 1 ] || exit 0\n"  # it is read, or nobody can tell
            "done\n"
            f"rm -f {shlex.quote(path)}",
            "deleting a file",
            Reporter(None, cancel),
        )

    def free_bytes(self, cancel: Cancel | None = None) -> int | None:
        """Free bytes where our files go; None if the phone does not say."""
        return free_bytes(self._target, features=self._features, cancel=cancel)

    def contents(self, cancel: Cancel | None = None) -> Contents:
        """What of ours is on the phone."""
        return read_contents(self._target, self._features, cancel)

    def clean(self, cancel: Cancel | None = None) -> Cleaned:
        """End our processes and delete everything of ours; see `clean_phone`."""
        return clean_phone(self._target, self._features, cancel)

    def _read(self, local: Path, reporter: Reporter) -> PhoneFile:
        return self._file(local, local.stat().st_size, sha256_of(local, reporter, f"reading {local.name}"))

    def _file(self, local: Path, size: int, sha256: str) -> PhoneFile:
        return PhoneFile(local, size, sha256, self._placer.pusher)

    def _linked(self, links: Mapping[str, str], reporter: Reporter) -> bool:
        """Whether each name means its object; phones without stat v2 only tell that it is a link."""
        names, objects = list(links), list(links.values())
        with SyncClient.open(self._target, features=self._features, cancel=reporter.asked_to_end) as sync:
            marks = sync.stat_all(names, follow=False)
            if not all(mark is not None and mark.is_link for mark in marks):
                return False
            if "stat_v2" not in self._features:
                return True
            meant = sync.stat_all([*names, *objects])
        return meant[: len(names)] == meant[len(names) :]

    def _link(self, folder: str, files: Mapping[str, PhoneFile], label: str, reporter: Reporter) -> None:
        """Make a model's folder in one step."""
        building = f"{folder}.{secrets.token_hex(4)}"
        nested = f"{folder}/{building.rpartition('/')[2]}"
        # Hard links would do as well, but Android forbids them to the shell.
        steps = [f"mkdir {building} && cd {building} || exit 1"]
        for name, file in files.items():
            steps.append(f"ln -s ../../objects/{file.sha256} {shlex.quote(name)} || exit 1")
        # Where another computer was faster, `mv` puts the folder into that one.
        steps.append(f"rm -rf {folder} && mv {building} {folder} && rm -rf {nested}")
        self._placer.script("\n".join(steps), f"making the folder of {label}", reporter)


def _object(sha256: str) -> str:
    return f"{places.OBJECTS}/{sha256}"
