"""What adb answers to pairing and connecting, as sentences that say what to do.

The words are those of adb's sources from 2018 on (`client/adb_wifi.cpp`, `transport_local.cpp`,
`socket_spec.cpp`) and of the servers 29 to 36; the system's own reasons are among them.
"""

from __future__ import annotations

import re

_PAIRED = re.compile(r"Successfully paired to .*\[guid=(?P<name>[^\]]+)\]", re.S)

_REASONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"failed to resolve host|Name or service not known|nodename nor servname", re.I),
        "its name is not known in this network; give its address in numbers",
    ),
    (
        re.compile(r"Connection refused|actively refused", re.I),
        "nothing listens there; look at the phone's wireless debugging page for the address and the port, "
        "which change",
    ),
    (
        re.compile(r"No route to host|Network is unreachable|Host is (?:down|unreachable)", re.I),
        "there is no way to it; bring phone and computer into the same network",
    ),
    (
        re.compile(r"timed out|timeout", re.I),
        "it does not answer; bring phone and computer into the same network, and wake the phone",
    ),
    (
        re.compile(r"failed to authenticate|unauthorized", re.I),
        "it has not accepted this computer; unlock it and accept the question, or pair it first with "
        "`as2d pair`",
    ),
)
_DROPPED = (
    "something listens there and ended the talk; pair the phone first with `as2d pair`, or use the port of "
    "its wireless debugging page, which is not the one for pairing"
)
_QUOTED = re.compile(r"failed to connect to '")


def connect_reason(said: str, address: str) -> str:
    """Why a phone is not connected after adb answered `said` to connecting it."""
    for pattern, reason in _REASONS:
        if pattern.search(said):
            return f"The phone at {address} cannot be connected: {reason}."
    # adb puts the address in quotes when it got no connection at all, and none when the phone ended it.
    if said.startswith("failed to connect to") and not _QUOTED.match(said):
        return f"The phone at {address} cannot be connected: {_DROPPED}."
    reason = _one_line(said) or "no reason"
    return (
        f"The phone at {address} cannot be connected (adb: {reason}); see the phone's wireless debugging "
        "page."
    )


def paired_name(said: str) -> str | None:
    """The name under which a phone that was paired announces itself; None if `said` tells no success."""
    match = _PAIRED.search(said)
    return match["name"] if match is not None else None


def pair_reason(said: str, address: str) -> str:
    """Why pairing failed after adb answered `said`; empty when it ended the connection without a word."""
    begin = f"The phone at {address} was not paired"
    if not said or re.search(r"Wrong password|connection was dropped|protocol fault", said):
        return (
            f"{begin}: the code is wrong or the phone ended it; open the pairing dialog again and give the "
            "address and the code that it shows now."
        )
    if re.search(r"Unable to start pairing client", said, re.I):
        return (
            f"{begin}: nothing answers there; keep the pairing dialog open, give the address and the port "
            "that it shows, and bring phone and computer into the same network."
        )
    if re.search(r"unknown host service", said):
        return f"{begin}: the adb server is too old to pair; end it with `adb kill-server` and try again."
    if re.search(r"unknown response", said):
        return f"{begin}: it answers as no phone does; restart the phone and try again."
    return f"{begin} (adb: {_one_line(said)}); open the pairing dialog again and give what it shows."


def _one_line(text: str) -> str:
    return " ".join(text.split())
