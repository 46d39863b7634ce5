"""What of ours is on a phone, and taking all of it away."""

from __future__ import annotations

import json
from dataclasses import dataclass

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.free_space import free_bytes
from as2d.backend.devices.adb.processes import PROCESSES, TENTH
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.adb.sync import RemoteStat, SyncClient
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancel

_CLEAN_SECONDS = 120.0

_RUNNING = f"{PROCESSES}running {places.RUNS}/*\n"
_CLEAN = f"""\
{PROCESSES}
{TENTH}
ours() {{ running {places.RUNS}/*; }}
for p in $(ours); do kill $p && echo ended $p; done
n=0
while [ -n "$(ours)" ] && [ $n -lt 30 ]; do tenth; done
for p in $(ours); do kill -9 $p; done
# A job's shell may still write how its helper ended.
rm -rf {places.ROOT} || {{ sleep 1; rm -rf {places.ROOT}; }}
[ ! -e {places.ROOT} ]
"""


@dataclass(frozen=True)
class StoredModel:
    """A model folder on the phone; `name` as its model.json says, empty if that cannot be read."""

    name: str
    digest: str
    size: int


@dataclass(frozen=True)
class Contents:
    """What of ours is on a phone; sizes in bytes. `running` are pids of our processes there."""

    models: tuple[StoredModel, ...] = ()
    programs_size: int = 0
    objects_size: int = 0
    unused_size: int = 0
    """Objects that no model uses: audio, files of models that were replaced."""
    incoming_size: int = 0
    """Of pushes that were cut off."""
    incoming_files: int = 0
    jobs: tuple[str, ...] = ()
    running: tuple[int, ...] = ()
    free: int | None = None

    @property
    def size(self) -> int:
        """All bytes of files of ours, jobs left out."""
        return self.objects_size + self.programs_size + self.incoming_size


@dataclass(frozen=True)
class Cleaned:
    """What was taken away: processes that were ended, and bytes of files."""

    ended: tuple[int, ...]
    size: int


def read_contents(target: AdbTarget, features: frozenset[str], cancel: Cancel | None = None) -> Contents:
    """What of ours is on the phone.

    Raises:
        TransportLost: the phone got lost.
        Cancelled: the cancel question was answered with yes.
    """
    with SyncClient.open(target, features=features, cancel=cancel) as sync:
        objects = sync.entries(places.OBJECTS)
        incoming = sync.entries(places.INCOMING)
        programs = sync.entries(places.PROGRAMS)
        jobs = sync.entries(places.JOBS)
        digests = [name for name, status in sync.entries(places.MODELS).items() if status.is_folder]
        manifests = {name: name in objects and objects[name].is_file for name in digests}
        models = []
        used: set[str] = set()
        for digest in digests:
            content = sync.read_bytes(f"{places.OBJECTS}/{digest}") if manifests[digest] else b""
            name, files = _manifest(content)
            used |= files | {digest}
            size = sum(objects[file].size for file in files | {digest} if file in objects)
            models.append(StoredModel(name, digest, size))
    running = run(target, ["sh", "-c", _RUNNING], features=features, cancel=cancel).text.split()
    return Contents(
        models=tuple(sorted(models, key=lambda model: (model.name, model.digest))),
        programs_size=_total(programs),
        objects_size=_total(objects),
        unused_size=sum(status.size for name, status in objects.items() if name not in used),
        incoming_size=_total(incoming),
        incoming_files=len(incoming),
        jobs=tuple(sorted(jobs)),
        running=tuple(sorted({int(pid) for pid in running if pid.isdigit()})),
        free=free_bytes(target, features=features, cancel=cancel),
    )


def clean_phone(target: AdbTarget, features: frozenset[str], cancel: Cancel | None = None) -> Cleaned:
    """End our processes, by their recorded pids, and delete everything of ours.

    Raises:
        HelperFailed: something cannot be deleted.
        TransportLost: the phone got lost.
        Cancelled: the cancel question was answered with yes.
    """
    before = read_contents(target, features, cancel)
    done = run(target, ["sh", "-c", _CLEAN], seconds=_CLEAN_SECONDS, features=features, cancel=cancel)
    if done.code != 0:
        reason = done.last_words or f"exit status {done.code}"
        raise HelperFailed(
            f"The phone {target.name} cannot delete {places.ROOT} ({reason}); restart it and try again."
        )
    ended = {int(line.split()[1]) for line in done.text.splitlines() if line.startswith("ended ")}
    return Cleaned(tuple(sorted(ended)), before.size)


def _manifest(content: bytes) -> tuple[str, set[str]]:
    """The name and the files' SHA-256 of a model.json; empty if it is none."""
    try:
        manifest = json.loads(content)
        return str(manifest["name"]), {str(file["sha256"]) for file in manifest["files"].values()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", set()


def _total(files: dict[str, RemoteStat]) -> int:
    return sum(status.size for status in files.values() if status.is_file)
