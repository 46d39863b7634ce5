"""Benchmark tables follow the conventions."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.bench.arms import Arm
from as2d.backend.bench.corpus import gather
from as2d.backend.bench.summary import best_budget, summarise
from as2d.backend.bench.tables import render_rows
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.metrics.fold import RunFold

ALONE = Arm("target-only", 0, "text", "request-start", 2, 1)
AS2D = Arm("as2d", 4, "text", "pre-drafted", 2, 1)


@pytest.fixture
def requests(stream: Any, call: Any) -> list[Any]:
    """Two windows, two repeats: as2d halves the first window's time and doubles the second's."""
    stream.recording("a1", "talk.wav")
    for index in range(2):
        window = stream.window("a1", index, index * 10.0, index * 10.0 + 10.0)
        alone, drafted = stream.prepare(window, 1), stream.prepare(window, 2)
        for repeat in range(2):
            scalar = [call(0, 0, 10)] * 4
            wide = [call(4, 3, 20)] if index == 0 else [call(4, 3, 80)]
            tokens = [1, 2, 3, 4] if (index, repeat) != (1, 1) else [1, 2, 9]
            stream.request(alone, scalar, " x", tokens=[1, 2, 3, 4], arm=ALONE.label, repeat=repeat)
            stream.request(drafted, wide, " x", tokens=tokens, arm=AS2D.label, repeat=repeat)
    return list(RunFold.of(stream.events).finished_requests())


def test_an_arm_is_held_against_target_only(requests: list[Any]) -> None:
    alone, drafted = summarise([ALONE, AS2D], requests, {AS2D.label: 3.5})
    assert (alone.windows, alone.repeats, alone.speed_up, alone.differing) == (2, 2, 1.0, 0)
    assert alone.tps == pytest.approx(100.0)
    # Pooled: 16 tokens after the first in 200 ms; by window: 40/20 and 40/80 ms.
    assert drafted.tps == pytest.approx(16 / 0.200)
    assert drafted.speed_up == pytest.approx(0.8)
    assert drafted.window_speed_up == pytest.approx((2.0 + 0.5) / 2)
    assert drafted.slower_windows == pytest.approx(0.5)
    assert drafted.differing == 2
    assert (alone.drop_to_transcript_s, drafted.drop_to_transcript_s) == (None, 3.5)
    assert best_budget([alone, drafted]) == drafted


def test_tables_hold_the_same_rows_in_each_form(requests: list[Any]) -> None:
    rows = [summary.model_dump() for summary in summarise([ALONE, AS2D], requests, {})]
    lines = [json.loads(line) for line in render_rows(rows, "jsonl").splitlines()]
    assert lines == rows
    read = list(csv.DictReader(io.StringIO(render_rows(rows, "csv"))))
    assert [row["arm"] for row in read] == [ALONE.label, AS2D.label]
    markdown = render_rows(rows, "md").splitlines()
    assert len({line.count("|") for line in markdown}) == 1
    assert len(markdown) == 4


def test_a_manifest_gives_the_recordings_of_a_split_and_language(tmp_path: Path) -> None:
    entries = [
        {"path": "a.wav", "split": "dev", "language": "en", "extra": 1},
        {"path": "b.wav", "split": "test", "language": "en"},
        {"path": "c.wav", "split": "dev", "language": "zh"},
    ]
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("\n".join(map(json.dumps, entries)) + "\n\n")
    assert [r.path.name for r in gather([manifest], "dev", None, None)] == ["a.wav", "c.wav"]
    (found,) = gather([manifest], "dev", "en", None)
    assert (found.path, found.language) == (tmp_path / "a.wav", "en")
    assert len(gather([manifest, Path("z.wav")], None, None, 2)) == 2
    with pytest.raises(WrongUse):
        gather([manifest], "dev", "fr", None)
    with pytest.raises(WrongUse):
        gather([Path("z.wav")], "dev", None, None)
    manifest.write_text('{"no": "path"}\n')
    with pytest.raises(InputRefused, match="Line 1"):
        gather([manifest], None, None, None)
