"""What phones say about their free space is understood, whatever wrote it."""

from __future__ import annotations

import pytest

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.free_space import parse_df, require_space
from as2d.backend.errors import OutOfSpace

TOYBOX = """\
Filesystem      1K-blocks     Used Available Use% Mounted on
/dev/fuse       112636928 61274352  51231504  55% /storage/emulated
"""
BUSYBOX = """\
Filesystem           1K-blocks      Used Available Use% Mounted on
/dev/block/bootdevice/by-name/userdata
                      25337776  24337776   1000000  96% /data
"""
TOOLBOX = """\
Filesystem               Size     Used     Free   Blksize
/data                    5.8G     1.3G     4.5G   4096
"""


@pytest.mark.parametrize(
    ("text", "free"),
    [
        (TOYBOX, 51231504 * 1024),
        (BUSYBOX, 1000000 * 1024),
        (TOOLBOX, int(4.5 * 2**30)),
        ("df: /data/local/tmp: Permission denied\n", None),
        ("", None),
    ],
)
def test_df_of_three_kinds(text: str, free: int | None) -> None:
    assert parse_df(text) == free


def test_too_little_room_is_told_before_anything_is_sent() -> None:
    target = AdbTarget("127.0.0.1", 5037, "R58M123", label="Anna's phone")
    require_space(target, 300_000_000, 200_000_000, "whisper-base")
    require_space(target, None, 200_000_000, "whisper-base")
    with pytest.raises(OutOfSpace, match=r"Anna's phone has 200 MB free, but whisper-base needs 234 MB"):
        require_space(target, 200_000_000, 200_000_000, "whisper-base")
