"""Trace files keep every byte and refuse what they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.replay.messages import trace_message
from as2d.backend.replay.service import traced_windows
from as2d.backend.replay.trace_file import read_traces


def _write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(line.model_dump_json() for line in lines) + "\n")
    return path


def test_a_trace_comes_back_as_it_was(trace: Any, tmp_path: Path) -> None:
    lines = [trace(), trace(window="a1.w2", split=None, language="zh")]
    assert list(read_traces([_write(tmp_path / "t.jsonl", *lines)])) == lines


def test_windows_of_several_files_get_names_of_their_own(trace: Any, tmp_path: Path) -> None:
    paths = [_write(tmp_path / name, trace(), trace(window="a1.w2")) for name in ("a.jsonl", "b.jsonl")]
    windows = traced_windows(paths)
    assert [window.key for window in windows] == ["t1", "t2", "t3", "t4"]
    assert {window.tokens for window in windows} == {3}
    sent = json.loads(trace_message(trace(), "t3"))
    assert (sent["kind"], sent["window"], sent["recording"]) == ("trace", "t3", "talks/talk.wav")
    assert sent["own"] == [[" a", 0.9, 2, False], [{"hex": "e4b8"}, 1.0, 1, True]]


def test_a_line_that_is_no_trace_is_named_with_what_is_wrong(trace: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(trace().model_dump_json() + "\n" + '{"trace": 1, "window": 3}\n')
    with pytest.raises(InputRefused, match=r"Line 2 of .*window"):
        list(read_traces([path]))
    with pytest.raises(InputRefused, match="cannot be read"):
        list(read_traces([tmp_path / "gone.jsonl"]))


def test_traces_of_other_models_do_not_mix(trace: Any, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="several models"):
        traced_windows([_write(tmp_path / "t.jsonl", trace(), trace(drafter="3" * 64))])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(WrongUse, match="no window"):
        traced_windows([tmp_path / "empty.jsonl"])
