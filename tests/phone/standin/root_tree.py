"""The file tree of a stand-in: Android's places, a small user land, the profile's files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.phone.standin import processors
from tests.phone.standin.files import write_file
from tests.phone.standin.phone_init import DEVICES, FIXTURES
from tests.phone.standin.profile import Profile

_FOLDERS = (
    "dev",
    "proc",
    "system/bin",
    "vendor/lib64",
    "data/local/tmp",
    "storage/emulated/0",
    f"{FIXTURES}/proc",
)
_LINKS = {"bin": "system/bin", "sdcard": "/storage/emulated/0", "etc": "/system/etc"}
# What a phone's toybox has as well; the rest of busybox would let a command pass that fails on a phone.
_APPLETS = """
    [ awk base64 basename cat chmod chown cksum clear cmp comm cp cut date dd df diff dirname dmesg du
    echo egrep env expand expr fallocate false fgrep find flock free fsync getopt grep groups gunzip
    gzip head hostname id ionice kill killall ln logger logname ls lsof md5sum mkdir mkfifo mktemp
    more mount mv nc nice nl nohup od paste patch pgrep pidof pkill printenv printf ps pwd readlink
    realpath renice rev rm rmdir sed seq setsid sha1sum sha256sum sha512sum sleep sort split stat
    strings stty sync tac tail tar taskset tee test time timeout top touch tr true truncate tty
    umount uname uniq unlink uptime usleep vi vmstat watch wc which whoami xargs xxd yes zcat
"""

_GETPROP = """\
#!/system/bin/sh
# getprop [NAME [DEFAULT]]
properties=/system/etc/standin/properties
if [ $# = 0 ]; then
    exec cat "$properties"
fi
while IFS= read -r line; do
    case $line in
    "[$1]: ["*)
        line=${line#"[$1]: ["}
        echo "${line%]}"
        exit 0
        ;;
    esac
done <"$properties"
echo "$2"
"""

_DUMPSYS = """\
#!/system/bin/sh
# dumpsys SERVICE
text=/system/etc/standin/dumpsys/$1
if [ -r "$text" ]; then
    exec cat "$text"
fi
echo "Can't find service: $1"
exit 20
"""

_LOGCAT = """\
#!/system/bin/sh
# logcat, which says what a test has written there
exec cat /system/etc/standin/logcat
"""

_SCRIPTS = {"getprop": _GETPROP, "dumpsys": _DUMPSYS, "logcat": _LOGCAT}


def properties_text(properties: Mapping[str, str]) -> str:
    """As `getprop` prints them."""
    return "".join(f"[{name}]: [{value}]\n" for name, value in sorted(properties.items()))


def make(root: Path, profile: Profile, properties: Mapping[str, str], programs: Path) -> None:
    """Makes the tree in the empty folder `root`."""
    root.chmod(0o755)
    for place in _FOLDERS:
        (root / place).mkdir(parents=True)
    for place in ("data", "data/local", "data/local/tmp"):
        (root / place).chmod(0o771)
    for device in DEVICES:
        (root / "dev" / device).touch()
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
    folder = root / "system/bin"
    for source, name in (("busybox", "toybox"), ("mksh", "sh")):
        shutil.copy(programs / source, folder / name)
        (folder / name).chmod(0o755)
    for applet in _APPLETS.split():
        (folder / applet).symlink_to("toybox")
    for name, script in _SCRIPTS.items():
        (folder / name).write_text(script, encoding="ascii")
        (folder / name).chmod(0o755)
    write_file(
        root, "/system/etc/passwd", "root:x:0:0::/:/system/bin/sh\nshell:x:2000:2000::/:/system/bin/sh\n"
    )
    write_file(root, "/system/etc/group", "root:x:0:\nshell:x:2000:\n")
    write_file(root, f"{FIXTURES}/properties", properties_text(properties))
    write_file(root, f"{FIXTURES}/logcat", "--------- beginning of main\n")
    for service, text in profile.dumpsys.items():
        write_file(root, f"{FIXTURES}/dumpsys/{service}", text)
    for path, text in profile.files.items():
        write_file(root, path, text)
    processors.write(root, profile)


def deny(root: Path, path: str) -> None:
    """The user `shell` can neither read nor enter `path`."""
    (root / path.lstrip("/")).chmod(0)
