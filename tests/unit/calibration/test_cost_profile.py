"""Cost profiles are kept, found again and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.calibration.cost_profile import CostProfiles, read_profile
from as2d.backend.calibration.plan import QUICK, CalibrationPlan
from as2d.backend.cli.calibrate import profile_text
from as2d.backend.errors import InputRefused, OutOfSpace, UserError


def test_the_newest_profile_of_a_pair_of_models_is_found(profile: Any, tmp_path: Path) -> None:
    store = CostProfiles(tmp_path / "profiles")
    first = profile()
    other_threads = profile(threads=1, measured="2026-01-03T00:00:00Z")
    paths = [store.store(entry) for entry in (first, other_threads, profile(drafter="3" * 64))]
    assert len(set(paths)) == 3
    assert store.newest("1" * 64, "2" * 64, "cpu") == (paths[1], other_threads)
    assert store.newest("1" * 64, "2" * 64, "another cpu") is None
    assert read_profile(paths[0]) == first
    again = first.model_copy(update={"measured": "2026-02-01T00:00:00Z"})
    assert store.store(again) == paths[0]
    assert store.newest("1" * 64, "2" * 64, "cpu") == (paths[0], again)


def test_a_profile_of_more_repeats_is_known_as_better(profile: Any, tmp_path: Path) -> None:
    store = CostProfiles(tmp_path)
    quick = profile(repeats=3)
    assert store.better(quick) is None
    store.store(profile())
    assert store.better(quick) == profile()
    assert store.better(profile()) is None
    assert store.better(profile(repeats=3, threads=1)) is None


def test_a_quick_profile_stands_in_only_where_there_is_no_other(profile: Any, tmp_path: Path) -> None:
    store = CostProfiles(tmp_path)
    quick = profile(repeats=QUICK.repeats, threads=1, measured="2026-03-01T00:00:00Z")
    store.store(quick)
    found = store.newest("1" * 64, "2" * 64, "cpu")
    assert found is not None
    assert found[1].quick
    store.store(profile(helper="an older build"))
    found = store.newest("1" * 64, "2" * 64, "cpu")
    assert found is not None
    assert (found[1].quick, found[1].repeats, found[1].widest) == (False, 15, 5)


def test_a_profile_of_an_earlier_version_is_read_and_knows_no_turns(profile: Any, tmp_path: Path) -> None:
    now = profile()
    assert now.knows_turns
    older = now.model_dump(mode="json", exclude={"target_turns", "drafter_turns"}) | {"version": 1}
    path = tmp_path / "older.json"
    path.write_text(json.dumps(older))
    assert not read_profile(path).knows_turns
    assert "behind a" not in profile_text(read_profile(path))
    for wrong, words in (({"version": 2}, "needs target_turns"), ({"version": 3}, "version")):
        path.write_text(json.dumps(older | wrong))
        with pytest.raises(InputRefused, match=words):
            read_profile(path)
    path.write_text(json.dumps(now.model_dump(mode="json") | {"version": 1}))
    with pytest.raises(InputRefused, match="version 1 has no turns"):
        read_profile(path)


def test_a_damaged_profile_is_as_if_it_were_not_there(profile: Any, tmp_path: Path) -> None:
    store = CostProfiles(tmp_path)
    path = store.store(profile())
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(content | {"cores": 0}))
    assert store.newest("1" * 64, "2" * 64, "cpu") is None
    with pytest.raises(InputRefused, match="cores"):
        read_profile(path)
    with pytest.raises(InputRefused, match="as2d calibrate"):
        read_profile(tmp_path / "gone.json")


def test_a_place_that_cannot_be_written_is_told(profile: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cost profile") as error:
        CostProfiles(tmp_path / "file" / "profiles").store(profile())
    assert not isinstance(error.value, OutOfSpace)


def test_the_tables_show_mean_and_deviation_by_width(profile: Any) -> None:
    text = profile_text(profile())
    lines = text.splitlines()
    row = next(line for line in lines if line.strip().startswith("5 "))
    assert "40.10 ± 0.25" in row
    assert "20.10 ± 0.25" in row
    assert "1 thread, context 60" in text
    assert "1.05 times as long" in text
    assert "target call behind a drafter step, K" in text
    assert "later drafter step, place behind the call" in text


def test_a_whole_calibration_covers_what_replay_needs() -> None:
    plan = CalibrationPlan()
    assert set(plan.widths) == set(range(1, 13))
    assert (plan.contexts, plan.repeats, max(plan.seconds)) == ((8, 60, 140), 15, 30.0)
