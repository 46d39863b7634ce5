"""What adb says: noise left out, causes named in one sentence."""

from __future__ import annotations

import re

_NOISE = re.compile(
    r"""^(?:
      \*\ daemon\ not\ running[;.].*
    | \*\ daemon\ started\ successfully.*
    | adb\ server\ version\ \(\d+\)\ doesn't\ match\ this\ client\ \(\d+\);\ killing.*
    | adb\ server\ is\ out\ of\ date\.\s+killing.*
    | adb\ server\ killed\ by\ remote\ request
    | List\ of\ devices\ attached.*
    | ---\ adb\ starting.*
    | Android\ Debug\ Bridge\ version.*
    | (?:adb\ )?[DWIEF]\ \d\d-\d\d\ \d\d:.*
    | (?:adb|adb\.exe|error|warning):\ .*
    )$""",
    re.VERBOSE,
)
_SERVERS_FIGHT = re.compile(
    r"adb server version \((?P<there>\d+)\) doesn't match this client \((?P<here>\d+)\); killing"
)

SERVERS_FIGHT = (
    "Programs with different versions of adb end each other's server on this computer; quit the other "
    "program, or let every program use the same adb."
)

_CAUSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"adb server is out of date\.\s+killing"),
        SERVERS_FIGHT,
    ),
    (
        re.compile(r"Address already in use|cannot bind|could not install \*smartsocket\* listener", re.I),
        "The port of the adb server is held by another program; end that program, or name another port in "
        "ANDROID_ADB_SERVER_PORT.",
    ),
    (
        re.compile(r"\.android['\"/]?.*(?:Permission denied|Read-only file system|No space left)", re.I),
        "adb cannot keep its key in the folder .android of the home folder; make that folder writable.",
    ),
    (
        re.compile(r"cannot start server on remote host"),
        "adb starts no server on another computer; start it there with `adb -a nodaemon server start`.",
    ),
    (
        re.compile(r"kill-server rejected by remote server"),
        "The adb server refuses to be ended; end it where it was started.",
    ),
    (
        re.compile(r"GLIBC_\S+' not found|Exec format error|cannot execute", re.I),
        "The adb program that came along does not run on this computer; install your system's adb.",
    ),
    (
        re.compile(r"protocol fault|ADB server didn't ACK|Connection reset by peer"),
        "The adb server ended in the middle of an answer, as when another program restarts it; try again.",
    ),
)


def lines_of(text: str) -> list[str]:
    """What adb really answers: its lines without those of its own starting and ending, wherever they
    stand.
    """
    return [line for line in text.splitlines() if line.strip() and not _NOISE.match(line.strip())]


def cause_of(text: str) -> str | None:
    """The cause that adb's output names anywhere, as a sentence; None if it names none that is known."""
    fight = _SERVERS_FIGHT.search(text)
    if fight is not None:
        return (
            f"Two versions of adb (1.0.{fight['there']} and 1.0.{fight['here']}) end each other's server on "
            "this computer; quit the program that brings the other one, or let every program use the same "
            "adb."
        )
    return next((sentence for pattern, sentence in _CAUSES if pattern.search(text)), None)
