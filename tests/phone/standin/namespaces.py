"""Linux calls that give a stand-in its own users, mounts, processes and clocks, without privileges."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

NEW_MOUNTS = 0x0002_0000
NEW_USERS = 0x1000_0000
NEW_PROCESSES = 0x2000_0000
NEW_CLOCKS = 0x0000_0080

_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x4_0000
_DIE_WITH_PARENT = 1
_CAPABILITY_VERSION_3 = 0x2008_0522

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leaves the namespaces named by `flags` (NEW_…) for new ones; raises OSError."""
    _check(_libc.unshare(flags), "new namespaces could not be made")


def become(user: int, others: int = 0) -> None:
    """Makes a user namespace where this process's user and group are `user`, and `others` (NEW_…)."""
    uid, gid = os.geteuid(), os.getegid()
    unshare(NEW_USERS | others)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{user} {gid} 1", encoding="ascii")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    _check(
        _libc.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            flags,
            options.encode() if options else None,
        ),
        f"{source} could not be mounted at {target}",
    )


def mount(kind: str, target: str, options: str = "") -> None:
    """Mounts a new file system of this kind; raises OSError."""
    _mount(kind, target, kind, 0, options)


def bind(source: str, target: str) -> None:
    """Shows the file or folder `source` at `target`; raises OSError."""
    _mount(source, target, None, _BIND | _RECURSIVE)


def keep_mounts_private() -> None:
    """What is mounted from here on is seen in this mount namespace only."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)


def unmount(target: str) -> None:
    """Takes the newest mount at `target` away; raises OSError."""
    _check(_libc.umount2(target.encode(), 2), f"{target} could not be unmounted")


def die_with_parent(parent: int) -> None:
    """The kernel kills this process when its parent ends; `parent` is the pid that it had before forking."""
    _check(_libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0), "the parent's death could not be watched")
    if os.getppid() not in (parent, 0):  # 0: the parent is in an outer process namespace
        os._exit(1)


def drop_capabilities() -> None:
    """From here on this process may do what an ordinary user may, as the programs that it starts."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, none), "the capabilities could not be dropped")


def set_clock_offsets(boottime_ns: int, monotonic_ns: int) -> None:
    """Processes that are started from here on see both clocks moved by so much against the computer's."""
    unshare(NEW_CLOCKS)
    lines = [
        f"{name} {offset // 1_000_000_000} {offset % 1_000_000_000}\n"
        for name, offset in (("boottime", boottime_ns), ("monotonic", monotonic_ns))
    ]
    Path("/proc/self/timens_offsets").write_text("".join(lines), encoding="ascii")
