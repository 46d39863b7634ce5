"""Trace files keep every byte and refuse what they are not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.replay.messages import trace_message
from as2d.backend.replay.service import load_traces
from as2d.backend.replay.trace_file import read_traces


def _write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(line.model_dump_json() for line in lines) + "\n")
    return path


def test_a_trace_comes_back_as_it_was(trace: Any, tmp_path: Path) -> None:
    lines = [trace(), trace(window="a1.w2", split=None, language="zh")]
    assert list(read_traces([_write(tmp_path / "t.jsonl", *lines)])) == lines


def test_windows_of_several_files_get_names_of_their_own(trace: Any, tmp_path: Path) -> None:
    paths = [
        _write(tmp_path / name, trace(recording=name), trace(recording=name, start_s=1.0))
        for name in ("a.jsonl", "b.jsonl")
    ]
    traces = load_traces(paths)
    assert [window.key for window in traces.windows] == ["t1", "t2", "t3", "t4"]
    assert {window.tokens for window in traces.windows} == {(5, 6)}  # without the end
    assert [(place.path, place.line) for place in traces.places] == [
        (path, line) for path in paths for line in (1, 2)
    ]
    assert [json.loads(message)["window"] for message in traces.messages] == ["t1", "t2", "t3", "t4"]
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
        load_traces([_write(tmp_path / "t.jsonl", trace(), trace(drafter="3" * 64))])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(WrongUse, match="no window"):
        load_traces([tmp_path / "empty.jsonl"])


def test_a_window_that_comes_again_counts_once(trace: Any, tmp_path: Path) -> None:
    path = _write(tmp_path / "t.jsonl", trace(), trace(start_s=1.0))
    again = _write(tmp_path / "again.jsonl", trace(window="a7.w1", call_ms=9.0), trace(tokens=(5, 8, 7)))
    traces = load_traces([path, path, again])
    assert len(traces.windows) == len(traces.messages) == 3
    assert traces.repeated == 3


def test_a_pipe_is_read_once(trace: Any, tmp_path: Path) -> None:
    content = _write(tmp_path / "t.jsonl", trace(), trace(start_s=1.0)).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    assert len(load_traces([pipe]).windows) == 2
    writer.join()
    program = (
        "from pathlib import Path\nfrom as2d.backend.replay.service import load_traces\n"
        "print(len(load_traces([Path('-')]).windows))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, check=True)
    assert done.stdout == b"2\n"
