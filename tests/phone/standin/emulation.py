"""arm64 programs run by qemu-user, for the processes of one stand-in only."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from tests.phone.standin import namespaces

EMULATOR = "qemu-aarch64-static"
_AARCH64 = (
    r":as2d-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:{emulator}:PF"
)


def needed() -> bool:
    """Whether this computer cannot run arm64 programs by itself."""
    return platform.machine() != "aarch64"


def find() -> str | None:
    """Path of the emulator; None when it is not installed."""
    return shutil.which(EMULATOR)


def register(root: Path, emulator: str) -> None:
    """Names the emulator to the kernel for this user namespace (Linux 6.7) and those in it; raises OSError.

    The registry lies where the phone's /proc will cover it. The emulator is opened here, so that it
    needs not be seen in the phone (flag F). Flag P keeps the name that a program is called by.
    """
    namespaces.mount("binfmt_misc", f"{root}/proc")
    Path(root, "proc/register").write_text(_AARCH64.format(emulator=emulator), encoding="ascii")
