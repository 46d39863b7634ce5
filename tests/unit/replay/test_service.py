"""What the helper finds wrong is told of the user's own files."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.replay.service import load_traces, replay
from as2d.backend.transcribe.methods import parse_methods

ARMS = make_arms(
    parse_methods("target-only"), ArmOptions([4], ["text"], ["request-start"], [ArmThreads(2, 1)])
)


def _refusing(folder: Path, words: str, message: str) -> Path:
    """A stand-in that refuses, as the helper does, the first line that holds `words`."""
    path = folder / "stand-in"
    path.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "for number, line in enumerate(sys.stdin, start=1):\n"
        f"    if {words!r} in line:\n"
        f"        print(json.dumps({{'kind': 'error', 'message': 'Line %d: ' % number + {message!r}}}))\n"
        "        sys.exit(2)\n"
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("words", "message", "kind", "told"),
    [
        ("second.wav", "The trace is bad.", InputRefused, r"Line 4 of .*b\.jsonl .*\(The trace is bad\)"),
        ("cpu", "The field 'k' of the profile is bad.", InputRefused, "cost profile measured 2026"),
        ('"arm"', "The method is bad.", HelperFailed, "method is bad"),
    ],
)
def test_a_refused_line_is_named_by_file_and_line(
    trace: Any, profile: Any, tmp_path: Path, words: str, message: str, kind: type[Exception], told: str
) -> None:
    (tmp_path / "a.jsonl").write_text(trace().model_dump_json() + "\n")
    lines = [trace(recording=name).model_dump_json() for name in ("first.wav", "second.wav")]
    # An empty line and a window that comes again count in the file, not in what is sent.
    (tmp_path / "b.jsonl").write_text("\n".join(["", lines[0], lines[0], lines[1], ""]))
    model: Any = SimpleNamespace(
        path=tmp_path, manifest=SimpleNamespace(files={"tokenizer": SimpleNamespace(path="tokenizer.json")})
    )
    with pytest.raises(kind, match=told) as error:
        replay(
            _refusing(tmp_path, words, message),
            load_traces([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]),
            model,
            profile(),
            ARMS,
            lambda *_: None,
            lambda: False,
        )
    assert error.value.exit_code == (1 if kind is InputRefused else 3)  # type: ignore[attr-defined]
