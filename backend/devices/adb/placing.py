"""Brings files to their places on a phone: only what is missing, and nothing that was not verified there."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from as2d.backend.devices.adb import places
from as2d.backend.devices.adb.checking import hash_files
from as2d.backend.devices.adb.connection import STALL_SECONDS, AdbTarget
from as2d.backend.devices.adb.free_space import free_bytes, require_space
from as2d.backend.devices.adb.pusher import pusher_name
from as2d.backend.devices.adb.pushing import LARGEST_PIECE, PhoneFile, arrived_bytes, out_of_space, push_file
from as2d.backend.devices.adb.records import StoreRecords
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.adb.sync import RemoteStat, SyncClient, says_out_of_space
from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.models.files import sha256_of
from as2d.backend.models.lock import folder_lock
from as2d.backend.models.progress import Reporter
from as2d.backend.runs.files import storage_error

_IDENTITY = re.compile(r"^[0-9a-f]{32}$")
_RECORDS_NAME = "files.json"
_SCRIPT_SECONDS = 120.0

LEFTOVER_DAYS = 7
"""What a push that was cut off has left is deleted by a later one when it is older."""

_TRIES = 2


@dataclass(frozen=True)
class FilePlacement:
    """A file, where it belongs on the phone, and its mode there."""

    file: PhoneFile
    path: str
    mode: int = 0o444


class Placer:
    """Places files on one phone. `records` is this computer's folder of what it knows about phones."""

    def __init__(
        self, target: AdbTarget, features: frozenset[str], records: Path, stall_seconds: float = STALL_SECONDS
    ) -> None:
        self._stall_seconds = stall_seconds
        self._target = target
        self._features = features
        self._records = records

    @cached_property
    def pusher(self) -> str:
        """This computer's name among those that push to the phone."""
        return pusher_name(self._records)

    def place(self, wanted: Sequence[FilePlacement], label: str, reporter: Reporter) -> bool:
        """Bring files to their places; whether any had to be pushed.

        `label` is what the user calls them together.

        Raises:
            OutOfSpace: the phone has no room; nothing half-written stays there.
            InputRefused: a file is not what it was said to be.
            TransportLost: the phone got lost; what arrived is kept.
            HelperFailed: the phone refuses.
            Cancelled: cancelled; what arrived is kept.
        """
        identity, seen = self._look(wanted, reporter)
        if identity is not None and not self._unsure(wanted, seen, self._open_records(identity)):
            return False
        identity = self._found(reporter)
        folder = self._records / identity
        with ExitStack() as stack:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(folder_lock(folder, reporter, "waiting for another push"))
            except OSError as error:
                raise storage_error(error, self._records, "what is remembered of phones") from error
            records = self._open_records(identity)
            _, seen = self._look(wanted, reporter)  # another process may have brought some meanwhile
            unsure = self._unsure(wanted, seen, records)
            helper = self._trusted_helper(records, reporter)
            there = [one for one in unsure if seen[one.path] is not None]
            sound = self._checked(there, {one.path: one.path for one in there}, label, reporter, helper)
            missing = [one for one in unsure if one not in sound]
            if missing:
                self._bring(missing, label, reporter, helper)
            self._note(unsure, records, reporter)
        return bool(missing)

    def script(self, script: str, what: str, reporter: Reporter) -> str:
        """The output of a shell script on the phone. `what` is what the phone cannot do if it fails.

        Raises:
            OutOfSpace, HelperFailed: the script failed.
            TransportLost, Cancelled: as every wait.
        """
        done = run(
            self._target,
            ["sh", "-c", script],
            seconds=_SCRIPT_SECONDS,
            features=self._features,
            cancel=reporter.asked_to_end,
        )
        if done.code == 0:
            return done.text
        if says_out_of_space(done.last_words):
            raise out_of_space(self._target, what)
        reason = done.last_words or f"exit status {done.code}"
        raise HelperFailed(
            f"The phone {self._target.name} failed at {what} ({reason}); "
            "run `as2d phone clean` and try again."
        )

    def _look(
        self, wanted: Sequence[FilePlacement], reporter: Reporter
    ) -> tuple[str | None, Mapping[str, RemoteStat | None]]:
        """The store's identity, and what is at the places."""
        names = [places.IDENTITY, *(one.path for one in wanted)]
        with SyncClient.open(self._target, features=self._features, cancel=reporter.asked_to_end) as sync:
            seen = dict(zip(names, sync.stat_all(names), strict=True))
            status = seen[places.IDENTITY]
            if status is None or not status.is_file:
                return None, seen
            identity = sync.read_bytes(places.IDENTITY).decode("ascii", "replace").strip()
        return identity if _IDENTITY.match(identity) else None, seen

    def _found(self, reporter: Reporter) -> str:
        """Make the store's folders, and its identity if it has none."""
        folders = (places.OBJECTS, places.INCOMING, places.MODELS, places.PROGRAMS, places.RUNS, places.JOBS)
        text = self.script(
            f"mkdir -p {shlex.join(folders)} && cd {places.ROOT} || exit 1\n"
            f'case "$(cat id 2>/dev/null)" in {"[0-9a-f]" * 32}) ;; *) rm -f id ;; esac\n'
            # Of several computers at once the first names the store.
            f"[ -e id ] || (set -C; echo {secrets.token_hex(16)} >id) 2>/dev/null\ncat id",
            "making its folders",
            reporter,
        ).strip()
        if not _IDENTITY.match(text):
            raise self._forgetful()
        return text

    def _forgetful(self) -> HelperFailed:
        return HelperFailed(
            f"The phone {self._target.name} does not keep what is written to {places.ROOT}; restart it."
        )

    def _trusted_helper(self, records: StoreRecords, reporter: Reporter) -> str | None:
        """A helper program on the phone that was checked; old phones have no `sha256sum`."""
        programs = records.below(places.PROGRAM_PREFIX)
        if not programs:
            return None
        with SyncClient.open(self._target, features=self._features, cancel=reporter.asked_to_end) as sync:
            seen = sync.stat_all(programs)
        trusted = None
        for path, status in zip(programs, seen, strict=True):
            if records.vouches_any(path, status):
                trusted = path
            elif status is None:
                records.forget(path)
        return trusted

    def _open_records(self, identity: str) -> StoreRecords:
        return StoreRecords(self._records / identity / _RECORDS_NAME)

    @staticmethod
    def _unsure(
        wanted: Sequence[FilePlacement], seen: Mapping[str, RemoteStat | None], records: StoreRecords
    ) -> list[FilePlacement]:
        return [one for one in wanted if not records.vouches(one.path, seen[one.path], one.file.sha256)]

    def _checked(
        self,
        files: Sequence[FilePlacement],
        at: Mapping[str, str],
        label: str,
        reporter: Reporter,
        helper: str | None,
    ) -> list[FilePlacement]:
        """Those of the files that have the right content where they are now: `at` by their places."""
        if not files:
            return []
        total, done = sum(one.file.size for one in files), 0

        def read(count: int) -> None:
            nonlocal done
            done += count
            reporter.report(f"checking {label} on the phone", done, total)

        read(0)
        hashes = hash_files(
            self._target,
            {at[one.path]: one.file.size for one in files},
            features=self._features,
            helper=helper,
            on_hashed=read,
            cancel=reporter.asked_to_end,
        )
        return [one for one in files if hashes.get(at[one.path]) == one.file.sha256]

    def _bring(
        self, missing: Sequence[FilePlacement], label: str, reporter: Reporter, helper: str | None
    ) -> None:
        self._require_room(missing, label, reporter)
        left = list(missing)
        for _ in range(_TRIES):
            at = self._push(left, label, reporter)
            sound = self._checked(left, at, label, reporter, helper)
            self._move(sound, at, label, reporter)
            left = [one for one in left if one not in sound]
            if not left:
                return
            self.script(f"rm -f {shlex.join(at[one.path] for one in left)}", f"deleting {label}", reporter)
            for one in left:
                if sha256_of(one.file.local) != one.file.sha256:
                    raise InputRefused(
                        f"{one.file.local} was changed since it was installed; "
                        "repair its model with `as2d models install` and push again."
                    )
        raise HelperFailed(
            f"What the phone {self._target.name} has stored of {label} is not what was sent, twice; "
            "its storage may be failing."
        )

    def _require_room(self, missing: Sequence[FilePlacement], label: str, reporter: Reporter) -> None:
        # Pieces of this computer's pushes that were cut off: none runs now. Of others, and of files that are
        # never pushed again, what is old; phones before Android 6 have no `find`.
        parts = shlex.join(one.file.part for one in missing)
        self.script(
            f"cd {places.INCOMING} || exit 1\n"
            f"for f in *.{self.pusher}.*; do case $f in *.part) ;; *) rm -f $f ;; esac; done\n"
            f"touch -c {parts} 2>/dev/null\n"
            f"find . -type f -mtime +{LEFTOVER_DAYS - 1} -exec rm -f {{}} + 2>/dev/null\ntrue",
            "tidying up",
            reporter,
        )
        with SyncClient.open(self._target, features=self._features, cancel=reporter.asked_to_end) as sync:
            here = sum(arrived_bytes(sync, one.file) for one in missing)
        total = sum(one.file.size for one in missing)
        free = free_bytes(self._target, features=self._features, cancel=reporter.asked_to_end)
        require_space(self._target, free, total - here + min(2 * LARGEST_PIECE, total), label)

    def _push(self, files: Sequence[FilePlacement], label: str, reporter: Reporter) -> dict[str, str]:
        """Push files; where they are on the phone, by their places."""
        total, before = sum(one.file.size for one in files), 0
        at = {}

        for one in files:

            def arrived(count: int, before: int = before) -> None:
                reporter.report(f"pushing {label}", before + count, total)

            at[one.path] = push_file(
                self._target,
                one.file,
                features=self._features,
                on_arrived=arrived,
                cancel=reporter.asked_to_end,
                stall_seconds=self._stall_seconds,
            )
            before += one.file.size
        return at

    def _move(
        self, files: Sequence[FilePlacement], at: Mapping[str, str], label: str, reporter: Reporter
    ) -> None:
        """Give verified files their names."""
        if not files:
            return
        steps = [f"fsync {shlex.join(at[one.path] for one in files)} 2>/dev/null"]  # where there is one
        for one in files:
            steps.append(f"chmod {one.mode:o} {at[one.path]} && mv -f {at[one.path]} {one.path} || exit 1")
            steps.append(f"rm -f {places.INCOMING}/{one.file.prefix}*")
        self.script("\n".join(steps), f"storing {label}", reporter)

    def _note(self, files: Sequence[FilePlacement], records: StoreRecords, reporter: Reporter) -> None:
        """Remember how files look that were just verified."""
        _, seen = self._look(files, reporter)
        for one in files:
            status = seen[one.path]
            if status is None or not status.has_size(one.file.size):
                raise self._forgetful()
            records.note(one.path, status, one.file.sha256)
        records.save()
