"""A benchmark by the real helper, judged: the same numbers as the benchmark's own, and true word errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.compare.judging.judge import judge
from as2d.backend.runs.store import RunStore


def test_a_benchmark_is_judged_as_it_says_itself(
    as2d: Any, data_folder: Path, clips: Path, tmp_path: Path
) -> None:
    entries = [json.loads(line) for line in (clips / "manifest.jsonl").read_text().splitlines()]
    entry = next(entry for entry in entries if entry["path"] == "ami_ES2011a_headset.wav")
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({**entry, "path": str(clips / entry["path"])}) + "\n")
    done = as2d.run(
        "bench", corpus, "--methods", "target-only,sd,as2d", "--start-conditions", "request-start",
        "--repeats", "2", "--a-a", "--format", "jsonl",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    store = RunStore(data_folder / "runs")
    run = store.find("last")
    sides = judge([run]).sides
    assert [side.method for side in sides] == [row["method"] for row in rows]
    for side, row in zip(sides, rows, strict=True):
        for name in ("again", "max_k", "repeats", "tokens", "calls", "guard_calls", "proposed", "extra"):
            assert getattr(side, name) == row[name], name
        for name in (
            "tps",
            "tps_low",
            "tps_high",
            "tps_median",
            "acceptance",
            "tokens_per_call",
            "response_ms",
        ):
            assert getattr(side, name) == (row[name] and pytest.approx(row[name])), name
        if side.alone is not None:
            assert side.alone.speed_up == pytest.approx(1 + row["change_median"])
            assert (side.alone.slower, side.alone.loss_max) == (
                row["slower_windows"],
                row["loss_max"] and pytest.approx(row["loss_max"]),
            )
            assert side.members or (side.identical, side.differing) == (True, 0)
    rate = sides[0].wer
    assert rate is not None
    words = entry["reference"].split()
    assert (rate.length, rate.recordings) == (pytest.approx(len(words), abs=2), 1)
    assert rate.errors <= len(words) // 2
    told = as2d.run("compare", run.manifest.run, "--output-dir", tmp_path / "out")
    assert told.code == 0, told.err
    assert "All outputs are identical" in told.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {
        "report.html",
        "table.csv",
        "table.md",
        "windows.jsonl",
        "trace.pftrace",
        "comparison.as2d",
    } <= names
