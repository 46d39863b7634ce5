"""The helper for phones, run here under qemu: one static file, and the same answers by every method."""

from __future__ import annotations

import shlex
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.phone.small_models import SmallPair

from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.helper.process import HelperProcess
from as2d.backend.paths import arm64_helper_path
from as2d.backend.protocol import events, ops
from as2d.backend.protocol.decode_events import Result
from as2d.backend.transcribe.methods import METHODS

MOST_BYTES = 4 << 20
PAGE = 16 << 10
LOAD, DYNAMIC, INTERPRETER, STACK = 1, 2, 3, 0x6474E551


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of this computer that runs the helper for phones."""
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    assert emulator, "qemu for AArch64 programs is not installed (Debian: qemu-user-static)"
    script = tmp_path_factory.mktemp("arm64") / "as2d-helper"
    script.write_text(f'#!/bin/sh\nexec {emulator} {shlex.quote(str(arm64_helper_path()))} "$@"\n')
    script.chmod(0o755)
    return script


@pytest.fixture(scope="module")
def helper(emulated: Path, pair: SmallPair, wav: Path) -> Iterator[HelperProcess]:
    with start_child_helper(emulated) as running:
        for name, model in (("t", pair.target), ("d", pair.drafter)):
            role: ops.Role = "target" if name == "t" else "drafter"
            load = ops.Load(model=name, path=str(model.path), role=role, threads=2, shared_threads=1)
            running.call(load, events.Loaded)
        tested = running.call(ops.SelfTest(model="t", audio=str(wav), language="en"), events.SelfTested)
        assert tested.logit_gap < 1e-4
        yield running


def _segments(program: bytes) -> dict[int, list[tuple[int, int]]]:
    """The program headers of a 64-bit ELF file: (size in memory, alignment) by type."""
    (offset,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    found: dict[int, list[tuple[int, int]]] = {}
    for place in range(offset, offset + size * count, size):
        kind, _flags, _offset, _virtual, _physical, _file, memory, alignment = struct.unpack_from(
            "<IIQQQQQQ", program, place
        )
        found.setdefault(kind, []).append((memory, alignment))
    return found


def test_it_is_one_small_static_file_for_any_page_size() -> None:
    program = arm64_helper_path().read_bytes()
    assert len(program) <= MOST_BYTES
    segments = _segments(program)
    assert INTERPRETER not in segments
    assert DYNAMIC not in segments
    assert all(alignment % PAGE == 0 for _, alignment in segments[LOAD])
    # The C library gives its threads what is named here, not its own 128 KiB.
    assert segments[STACK][0][0] >= 8 << 20


def test_it_says_what_it_is(emulated: Path, helper: HelperProcess) -> None:
    said = subprocess.run([emulated, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"as2d-helper {helper.hello.build}, MNN {helper.hello.mnn}")
    assert helper.hello.cpu.arch == "aarch64"
    assert helper.hello.backends == ("cpu",)
    assert helper.hello.methods == METHODS


def test_every_method_gives_the_tokens_of_target_only(helper: HelperProcess, wav: Path) -> None:
    prepare = ops.Prepare(
        **{"window": "w", "target": "t", "drafter": "d", "audio": str(wav), "language": "en"},
        **{"start_condition": "pre-drafted", "task": "transcribe"},
    )
    helper.call(prepare, events.Prepared)
    results = [
        helper.call(
            ops.Request(
                **{"request": method, "window": "w", "method": method, "budget": 4, "admission": "text"},
                **{"task": "transcribe", "language": "en", "words": False, "audit": False},
                producer_done=True,
            ),
            Result,
        )
        for method in METHODS
    ]
    alone = results[0]
    assert alone.method == "target-only"
    assert len(alone.tokens) > 10
    assert {result.method: result.tokens for result in results} == dict.fromkeys(METHODS, alone.tokens)
    by_method = {result.method: result.counters for result in results}
    assert by_method["as2d"].accepted > 0
    assert 0 < by_method["sd"].accepted < by_method["sd"].proposed
