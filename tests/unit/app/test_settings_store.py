"""The window's settings survive restarts and damage."""

from __future__ import annotations

from pathlib import Path

from as2d.app.settings.store import SettingsStore, StudioSettings


def test_changes_are_there_at_the_next_start(tmp_path: Path) -> None:
    SettingsStore(tmp_path / "studio.json").change_decode(method="sd", budget=6)
    again = SettingsStore(tmp_path / "studio.json")
    assert (again.current.decode.method, again.current.decode.budget) == ("sd", 6)
    run = again.current.decode.for_run()
    assert (run.method, run.budget, run.target) == ("sd", 6, "whisper-base")


def test_many_changes_in_a_moment_are_written_once_later(tmp_path: Path) -> None:
    path = tmp_path / "studio.json"
    store, wanted = SettingsStore(path), []
    store.later = lambda: wanted.append(True)
    for budget in range(5):
        store.change_decode(budget=budget)
    assert store.current.decode.budget == 4
    assert wanted
    assert not path.exists()
    store.write()
    assert SettingsStore(path).current.decode.budget == 4


def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path) -> None:
    path = tmp_path / "studio.json"
    path.write_text('{"scheme": "purple"}')
    store = SettingsStore(path)
    assert store.current == StudioSettings()
    assert store.problem is not None
    assert "studio.json.damaged" in store.problem.message
    assert (tmp_path / "studio.json.damaged").read_text() == '{"scheme": "purple"}'


def test_a_folder_that_takes_no_file_is_told_and_the_change_holds(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    store = SettingsStore(tmp_path / "data" / "studio.json")
    store.change(text_size=20)
    assert store.current.text_size == 20
    assert store.problem is not None
