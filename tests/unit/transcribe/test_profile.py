"""What was measured on a device is found again, and only for the very same things."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.transcribe.profile import BudgetEntry, BudgetKey, DeviceProfile, GapEntry, GapKey

KEY = GapKey(helper="b1", model="m1", threads=2, shared_threads=1, cpu="c")


def test_a_gap_is_kept_for_its_key_alone(tmp_path: Path) -> None:
    profile = DeviceProfile(tmp_path / "profiles")
    assert profile.gap(KEY) is None
    entry = GapEntry(key=KEY, logit_gap=1e-4, positions=100, measured="2026-01-01T00:00:00Z")
    assert profile.store(entry) is None
    assert DeviceProfile(tmp_path / "profiles").gap(KEY) == entry
    for field, value in (
        ("helper", "b2"),
        ("model", "m2"),
        ("threads", 1),
        ("shared_threads", 2),
        ("cpu", "d"),
    ):
        assert profile.gap(KEY.model_copy(update={field: value})) is None


def test_a_damaged_entry_counts_as_not_there(tmp_path: Path) -> None:
    profile = DeviceProfile(tmp_path)
    key = BudgetKey(target="t", drafter="d", threads=2, cpu="c")
    profile.store(BudgetEntry(key=key, budget=3, tps=1.0, windows=1, measured="2026-01-01T00:00:00Z"))
    found = profile.budget(key)
    assert found is not None
    assert found.budget == 3
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text()[:-10])
    assert profile.budget(key) is None


def test_a_profile_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    profile = DeviceProfile(tmp_path / "file")
    problem = profile.store(GapEntry(key=KEY, logit_gap=0.0, positions=1, measured="x"))
    assert problem is not None
    assert "file" in problem.message
