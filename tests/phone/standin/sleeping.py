"""Lets running programs find that the phone has slept: their CLOCK_BOOTTIME jumps, CLOCK_MONOTONIC does not.

The kernel cannot move the clocks of a running program, so its vDSO (the page through which it reads them)
is patched while the program is stopped. The emulator passes its clocks on to the program that it runs.
"""

from __future__ import annotations

import os
import platform
import signal
import struct
import time
from dataclasses import dataclass
from pathlib import Path

_FUNCTION = b"__vdso_clock_gettime"
_SYMBOLS, _SECTION, _SYMBOL = 11, struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
_JUMP = struct.Struct("<Bi")  # to an address counted from its end
# eax = clock_gettime; system call; if it succeeded for clock 7 (BOOTTIME): seconds at [rsi] += number; return
_BEFORE = bytes.fromhex("b8e40000000f0583ff07751185c0750d48b9")
_AFTER = bytes.fromhex("48010ec3")
_CODE_BYTES = len(_BEFORE) + 8 + len(_AFTER)
_STOP_SECONDS = 10.0


@dataclass(frozen=True)
class _Vdso:
    start: int
    end: int

    @classmethod
    def of(cls, pid: int) -> _Vdso | None:
        for line in Path(f"/proc/{pid}/maps").read_text(encoding="ascii", errors="replace").splitlines():
            if line.endswith("[vdso]"):
                start, end = (int(number, 16) for number in line.split()[0].split("-"))
                return cls(start, end)
        return None


def _function(image: bytes) -> int:
    """Where the function begins in the image of the vDSO, an ELF file."""
    (table,) = struct.unpack_from("<Q", image, 40)
    (count,) = struct.unpack_from("<H", image, 60)
    sections = [_SECTION.unpack_from(image, table + _SECTION.size * number) for number in range(count)]
    for section in sections:
        if section[1] != _SYMBOLS:
            continue
        names = sections[section[6]][4]
        for name, _, _, _, value, _ in _SYMBOL.iter_unpack(image[section[4] : section[4] + section[5]]):
            if image[names + name :].startswith(_FUNCTION + b"\0"):
                return int(value)
    raise OSError("the kernel's vDSO has no clock")


def _patch(pid: int, seconds: int) -> None:
    vdso = _Vdso.of(pid)
    if vdso is None:
        return
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(vdso.start)
        image = memory.read(vdso.end - vdso.start)
        entry, code = _function(image), len(image) - _CODE_BYTES
        jump = _JUMP.pack(0xE9, code - entry - _JUMP.size)
        if image[entry : entry + _JUMP.size] == jump:
            (slept,) = struct.unpack_from("<q", image, code + len(_BEFORE))
            seconds += slept
        elif any(image[code:]):
            raise OSError("the kernel's vDSO has no room")
        memory.seek(vdso.start + code)
        memory.write(_BEFORE + struct.pack("<q", seconds) + _AFTER)
        memory.seek(vdso.start + entry)
        memory.write(jump)


def _is_stopped(pid: int) -> bool:
    """Whether every thread is."""
    for status in Path(f"/proc/{pid}/task").glob("*/stat"):
        if status.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] not in "tTZX":
            return False
    return True


def _stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + _STOP_SECONDS
    while not _is_stopped(pid):
        if time.monotonic() > deadline:
            raise OSError(f"process {pid} does not stop")
        time.sleep(0.001)


def sleep(pids: list[int], seconds: int) -> None:
    """Stops the programs, moves their BOOTTIME on, and continues them; raises OSError if it cannot."""
    if platform.machine() != "x86_64":
        raise OSError(f"running programs cannot be made to sleep on {platform.machine()}")
    stopped = []
    try:
        for pid in pids:
            stopped.append(pid)
            try:
                _stop(pid)
                _patch(pid, seconds)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended
    finally:
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                continue
