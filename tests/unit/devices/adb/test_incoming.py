"""Bytes pass from one thread to another in order, and no wait lasts for ever."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from as2d.backend.devices.adb.incoming import Incoming, Silence


@given(
    lines=st.lists(
        st.binary(min_size=1, max_size=20).filter(lambda line: line.strip() and b"\n" not in line)
    ),
    ending=st.sampled_from([b"\n", b"\r\n", b"\r\r\n"]),
    size=st.integers(1, 30),
    complete=st.booleans(),
)
def test_lines_do_not_depend_on_blocks_or_on_how_a_terminal_ends_them(
    lines: list[bytes], ending: bytes, size: int, complete: bool
) -> None:
    lines = [line.rstrip(b"\r") for line in lines if line.rstrip(b"\r").strip()]
    content = ending.join(lines) + (ending if complete else b"")
    incoming = Incoming()
    for start in range(0, len(content), size):
        incoming.put(content[start : start + size])
    incoming.end()
    assert list(incoming.lines()) == lines


def test_a_line_comes_before_the_end() -> None:
    incoming = Incoming()
    incoming.put(b"first\nsec")
    lines = incoming.lines(5)
    assert next(lines) == b"first"
    incoming.put(b"ond\n")
    assert next(lines) == b"second"


def test_silence_is_told() -> None:
    incoming = Incoming()
    with pytest.raises(Silence):
        incoming.read(0.01)


def test_a_full_queue_holds_the_writer_back_until_it_is_read_or_ended() -> None:
    incoming = Incoming(limit=4)
    put: list[bytes] = []

    def write() -> None:
        for block in (b"1234", b"5678", b"9"):
            incoming.put(block)
            put.append(block)

    writer = threading.Thread(target=write)
    writer.start()
    assert incoming.read() == b"1234"
    assert incoming.read() == b"5678"
    incoming.end()
    writer.join()
    assert len(put) == 3


def test_what_waits_is_read_after_the_end() -> None:
    incoming = Incoming()
    incoming.put(b"a")
    incoming.end()
    incoming.put(b"dropped")
    assert incoming.read_all() == b"a"
    assert incoming.read() == b""
