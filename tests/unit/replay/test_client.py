"""However a replaying helper ends, the replay ends with a sentence. Stand-ins misbehave as the real one
never should.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.models.progress import Cancelled
from as2d.backend.replay.client import LineRefused, run_replay
from as2d.backend.replay.messages import WindowReplayed

COUNTERS = (
    '{"tokens":3,"calls":2,"guard_calls":0,"proposed":0,"accepted":0,"accepted_by_position":[],'
    '"proposed_by_position":[],"hits":0,"end_accepted":false}'
)
WINDOW = (
    '{"kind":"window","arm":"a","window":"t1","tokens":3,"decode_ns":20000000,"response_ns":30000000,'
    '"first_token_ns":10000000,"draft_ns":0,"draft_steps":0,"differing":0,'
    f'"counters":{COUNTERS}}}'
)
DONE = '{"kind":"done","replays":1,"seconds":0.5}'


def _program(folder: Path, body: str) -> Path:
    path = folder / "stand-in"
    path.write_text(
        f"#!{sys.executable}\nimport os, signal, sys\nassert sys.argv[1:] == ['replay']\n{body}\n"
    )
    path.chmod(0o755)
    return path


def _replay(program: Path, lines: Iterator[bytes] | None = None) -> list[object]:
    said: list[object] = []
    run_replay(program, lines or iter([b"{}\n"] * 50_000), said.append, lambda: False)
    return said


def test_answers_arrive_while_lines_are_still_being_written(tmp_path: Path) -> None:
    program = _program(tmp_path, f"for line in sys.stdin:\n    print('''{WINDOW}''')\nprint('''{DONE}''')")
    said = _replay(program)
    assert len(said) == 50_000
    assert all(isinstance(window, WindowReplayed) for window in said)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.stdin.read()\nos.kill(os.getpid(), signal.SIGSEGV)", "139"),
        ("sys.exit(2)", "exit status 2"),
        ("sys.stdin.read()", "ended although"),
        ('print(\'\'\'{"kind":"error","message":"line 3 is bad"}\'\'\'); sys.exit(2)', "line 3 is bad"),
        ("print('nonsense'); sys.stdout.flush(); sys.stdin.read()", "does not understand"),
    ],
    ids=["crash", "early end", "no answer", "refusal", "nonsense"],
)
def test_a_helper_that_fails_ends_the_replay_with_a_sentence(tmp_path: Path, body: str, words: str) -> None:
    with pytest.raises(HelperFailed, match=words):
        _replay(_program(tmp_path, body))


def test_a_refused_line_is_known_by_its_number(tmp_path: Path) -> None:
    said = '{"kind":"error","message":"Line 12: The trace: has no end."}'
    with pytest.raises(LineRefused) as refused:
        _replay(_program(tmp_path, f"print({said!r}); sys.exit(2)"))
    assert (refused.value.line, refused.value.reason) == (12, "The trace: has no end")


def test_an_error_in_the_traces_ends_the_helper_and_is_told(tmp_path: Path) -> None:
    def lines() -> Iterator[bytes]:
        yield b"{}\n"
        raise InputRefused("line 7 is no trace")

    with pytest.raises(InputRefused, match="line 7"):
        _replay(_program(tmp_path, "signal.pause()"), lines())


def test_a_cancelled_replay_ends_its_helper(tmp_path: Path) -> None:
    program = _program(tmp_path, f"print('''{WINDOW}''', flush=True)\nwhile True: print('''{WINDOW}''')")
    said: list[object] = []
    with pytest.raises(Cancelled):
        run_replay(program, iter([b"{}\n"]), said.append, lambda: len(said) >= 3)
    assert len(said) == 3


def test_a_missing_helper_is_told(tmp_path: Path) -> None:
    with pytest.raises(HelperFailed, match="cannot be started"):
        _replay(tmp_path / "gone")
