"""Recorded runs side by side."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.compare.recorded import compare_runs
from as2d.backend.compare.statistics import median_interval
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.measures import measure
from as2d.backend.runs.store import RunStore, StoredRun


def _copy(repository: Path, folder: Path, change: Any) -> StoredRun:
    """The recorded run with changed events and settings."""
    shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
    stream = folder / "events.jsonl.gz"
    events = [json.loads(line) for line in gzip.decompress(stream.read_bytes()).splitlines()]
    manifest = json.loads((folder / "manifest.json").read_text())
    change(events, manifest)
    stream.write_bytes(gzip.compress(b"".join(json.dumps(event).encode() + b"\n" for event in events)))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return RunStore(folder.parent).find(str(folder))


def _unchanged(events: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
    """As it was recorded."""


@pytest.fixture
def original(repository: Path, tmp_path: Path) -> StoredRun:
    return _copy(repository, tmp_path / "one", _unchanged)


def _twice_as_slow(events: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
    manifest["settings"]["budget"] = 7
    manifest["versions"]["mnn"] = "3.7.0"
    for event in events:
        if event.get("event") == "result":
            times = event["times"]
            times["end"] = times["first_token"] + 2 * (times["end"] - times["first_token"])
            if event["request"].startswith("a2.w1"):
                event["tokens"][3] = 1
                event["text"] = " another text"


def test_what_differs_comes_first_then_the_numbers(
    original: StoredRun, repository: Path, tmp_path: Path
) -> None:
    slow = _copy(repository, tmp_path / "two", _twice_as_slow)
    compared = compare_runs([original, slow])
    assert {(item.what, item.values) for item in compared.differences} == {
        ("settings budget", ("4", "7")),
        ("versions mnn", ("3.6.1", "3.7.0")),
    }
    first, second = compared.sides
    assert first.tps == measure(original.fold().finished_requests()).tps
    assert first.speed_up is None
    assert second.speed_up == pytest.approx(0.5)
    assert second.tps == pytest.approx((first.tps or 0) / 2)
    assert (second.speed_up_low, second.speed_up_high) == (pytest.approx(0.5), pytest.approx(0.5))
    assert (second.common, second.windows, second.slower_share) == (4, 4, 1.0)
    assert second.identical is False
    assert second.difference is not None
    assert (second.difference.recording, second.difference.position) == ("sonnet001.mp3", 3)
    assert second.difference.text == " another text"
    assert second.difference.reference.startswith(" 1. From fairest")


def test_the_same_run_twice_is_identical(original: StoredRun) -> None:
    compared = compare_runs([original, original])
    assert compared.differences == ()
    assert compared.sides[1].identical is True
    assert compared.sides[1].speed_up == 1.0
    with pytest.raises(WrongUse, match="two runs"):
        compare_runs([original])


def test_an_interval_widens_with_the_recordings_not_with_their_windows() -> None:
    apart = {"one": [1.0] * 50, "two": [2.0] * 50, "three": [1.5] * 50}
    low, high = median_interval(apart) or (0.0, 0.0)
    assert (low, high) == (1.0, 2.0)
    assert median_interval(apart) == (low, high)
    assert median_interval({"one": [1.0, 2.0, 3.0]}) is None
    assert median_interval({"one": [], "two": [1.0]}) is None
    close = median_interval({str(n): [1.0 + n / 1000] for n in range(40)})
    assert close is not None
    assert close[0] < 1.0195 < close[1]
    assert close[1] - close[0] < 0.02
