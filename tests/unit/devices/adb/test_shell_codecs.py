"""What a command writes is parted the same way wherever the transport cuts the bytes."""

from __future__ import annotations

import copy
import itertools
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from as2d.backend.devices.adb.shell_codecs import MarkerCodec, PacketCodec, ShellCodec


def packet(kind: int, data: bytes) -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


def parted(codec: ShellCodec, received: bytes, cuts: Sequence[int]) -> tuple[bytes, bytes, int | None]:
    """Output, error output and exit code of bytes that arrive in pieces."""
    output, errors, code = b"", b"", None
    edges = [0, *sorted({cut % (len(received) + 1) for cut in cuts}), len(received)]
    for start, end in itertools.pairwise(edges):
        for piece in codec.decode(received[start:end]):
            assert code is None
            if isinstance(piece, int):
                code = piece
            elif piece[0] == "stdout":
                output += piece[1]
            else:
                errors += piece[1]
    return output, errors, code


CUTS = st.lists(st.integers(min_value=0), max_size=12)


@given(
    pieces=st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=200)), max_size=8),
    code=st.integers(0, 255),
    cuts=CUTS,
)
def test_packets_are_put_together_wherever_they_are_cut(
    pieces: list[tuple[int, bytes]], code: int, cuts: list[int]
) -> None:
    received = b"".join(packet(kind, data) for kind, data in pieces) + packet(3, bytes([code]))
    output = b"".join(data for kind, data in pieces if kind == 1)
    errors = b"".join(data for kind, data in pieces if kind == 2)
    assert parted(PacketCodec(["x"]), received, cuts) == (output, errors, code)


def test_output_is_given_on_before_its_packet_is_complete() -> None:
    codec = PacketCodec(["x"])
    assert list(codec.decode(packet(1, b"a line\nand more")[:12])) == [("stdout", b"a line\n")]


def test_packets_of_no_known_kind_are_not_the_protocol() -> None:
    with pytest.raises(ValueError, match="72"):
        list(PacketCodec(["x"]).decode(b"HTTP/1.1 400"))


def test_input_goes_in_packets_of_bounded_size() -> None:
    data = bytes(range(256)) * 300
    encoded = PacketCodec(["x"]).encode(data)
    taken, rest = b"", encoded
    while rest:
        kind, length = struct.unpack_from("<BI", rest)
        assert kind == 0
        assert 0 < length <= 64 * 1024
        taken, rest = taken + rest[5 : 5 + length], rest[5 + length :]
    assert taken == data
    assert PacketCodec(["x"]).encode_end() == struct.pack("<BI", 4, 0)


def test_words_of_a_command_are_quoted() -> None:
    assert PacketCodec(["echo", "a b", "$HOME", "it's"]).services == (
        """shell,v2,raw:echo 'a b' '$HOME' 'it'"'"'s'""",
    )


def run_marked(codec: MarkerCodec, given_input: bytes, folder: Path) -> bytes:
    """What the command of the first service writes under this computer's shell."""
    script = codec.services[0].partition(":")[2].replace("/data/local/tmp", str(folder))
    return subprocess.run(["sh", "-c", script], input=given_input, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ("script", "output", "errors", "code"),
    [
        ("echo out; echo err >&2; exit 7", b"out\n", b"err\n", 7),
        ("printf 'no line feed'", b"no line feed", b"", 0),
        ("kill -9 $$", b"", b"", 137),
        ("cat", b"", b"", 0),
        ("printf 'as2d-'; printf 'as2d-0123' >&2", b"as2d-", b"as2d-0123", 0),
    ],
)
def test_a_marker_parts_output_errors_and_exit_code(
    tmp_path: Path, script: str, output: bytes, errors: bytes, code: int
) -> None:
    codec = MarkerCodec(["sh", "-c", script], with_input=False)
    received = run_marked(codec, b"this is not for the command\n", tmp_path)
    for cut in range(len(received)):
        found = parted(copy.deepcopy(codec), received, [cut, cut + 1])
        assert (found[0], found[2]) == (output, code)
        assert errors in found[1]  # the shell itself may tell about the signal
    assert list(tmp_path.iterdir()) == []


def test_lines_of_input_arrive_as_they_are_and_end_without_closing(tmp_path: Path) -> None:
    codec = MarkerCodec(["sh", "-c", "cat; echo done >&2; exit 3"], with_input=True)
    lines = b'{"text":"a\\nb \\\\ \'c\'  %s $x"}\n  two  spaces \nno end'
    sent = codec.encode(lines) + codec.encode_end() + b"this comes after the end\n"
    received = run_marked(codec, sent, tmp_path)
    assert parted(codec, received, []) == (lines + b"\n", b"done\n", 3)


def test_without_room_for_error_output_the_command_still_runs(tmp_path: Path) -> None:
    codec = MarkerCodec(["sh", "-c", "echo out; echo err >&2; exit 5"], with_input=False)
    received = run_marked(codec, b"", tmp_path / "missing")
    assert parted(codec, received, []) == (b"out\n", b"", 5)


def test_a_terminal_that_changes_line_feeds_is_understood() -> None:
    codec = MarkerCodec(["x"], with_input=False)
    mark = codec.services[0].split("cat <&8; echo ")[1].split(":")[0].encode()
    received = b"out\r\n" + mark + b":9\r\n" + b"err\r\r\n" + mark + b":0\r\n"
    assert parted(codec, received, [1, 2, 3, 40]) == (b"out\r\n", b"err\r\r\n", 9)


def test_a_connection_that_ends_before_the_marker_has_no_exit_code() -> None:
    codec = MarkerCodec(["x"], with_input=False)
    assert parted(codec, b"half an out", []) == (b"half an out", b"", None)
