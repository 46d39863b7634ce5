"""SHA-256 of files on a phone, by whatever is there to compute it."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from as2d.backend.devices.adb.connection import AdbTarget, TransportLost
from as2d.backend.devices.adb.incoming import Silence
from as2d.backend.devices.adb.shell import ShellStream
from as2d.backend.devices.adb.sync import SyncClient, SyncFailed
from as2d.backend.models.progress import Cancel

_SLOWEST_BYTES_PER_SECOND = 4e6
_PATIENCE_SECONDS = 60.0

# `sha256sum` ends its lines with the name, `as2d-helper hash` has size, time and inode before it.
_LINE = re.compile(rb"^([0-9a-f]{64})\s.*?(\S+)$")

OnHashed = Callable[[int], None]
"""Gets the bytes of each file that was read."""


def hash_files(
    target: AdbTarget,
    files: Mapping[str, int],
    *,
    features: frozenset[str],
    helper: str | None = None,
    on_hashed: OnHashed | None = None,
    cancel: Cancel | None = None,
) -> dict[str, str]:
    """The SHA-256 of each file that can be read. `files` are sizes in bytes by names without spaces.

    Computed by the helper program on the phone if `helper` names it, else by the phone's `sha256sum`, else
    here from the file's bytes.

    Raises:
        TransportLost: the phone got lost.
        Cancelled: the cancel question was answered with yes.
    """
    found: dict[str, str] = {}
    for program in ([helper, "hash"], ["sha256sum"]):
        left = {path: size for path, size in files.items() if path not in found}
        if program[0] is not None and left:
            words = [word for word in program if word is not None]
            found |= _hash_there(target, words, left, features, on_hashed, cancel)
    for path, size in files.items():
        if path not in found:
            digest = hashlib.sha256()
            try:
                with SyncClient.open(target, features=features, cancel=cancel) as sync:
                    sync.read(path, digest.update)
            except SyncFailed:
                continue
            found[path] = digest.hexdigest()
            if on_hashed is not None:
                on_hashed(size)
    return found


def _hash_there(
    target: AdbTarget,
    program: list[str],
    files: Mapping[str, int],
    features: frozenset[str],
    on_hashed: OnHashed | None,
    cancel: Cancel | None,
) -> dict[str, str]:
    command = ["sh", "-c", f"exec {shlex.join([*program, *files])}"]
    patience = _PATIENCE_SECONDS + max(files.values()) / _SLOWEST_BYTES_PER_SECOND
    found: dict[str, str] = {}
    with ShellStream.open(target, command, features=features, with_input=False, cancel=cancel) as stream:
        for line in _lines(stream, target, patience, cancel):
            match = _LINE.match(line)
            path = match.group(2).decode() if match else ""
            if match and path in files:
                found[path] = match.group(1).decode()
                if on_hashed is not None:
                    on_hashed(files[path])
        stream.wait()
        if stream.exit_code is None:
            raise stream.problem or TransportLost(f"The phone {target.name} gave no answer; try again.")
    return found


def _lines(stream: ShellStream, target: AdbTarget, patience: float, cancel: Cancel | None) -> Iterator[bytes]:
    try:
        yield from stream.stdout.lines(patience, cancel)
    except Silence:
        raise TransportLost(
            f"The phone {target.name} was still checking a file after {patience:.0f} s; "
            "connect it again and repeat the command."
        ) from None
