"""A small run, and the bundle of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.bundles.writing import write_bundle
from as2d.backend.metrics.fold import RunFold
from as2d.backend.runs.store import RunStore, StoredRun


@pytest.fixture
def small_run(tmp_path: Path, stream: Any, call: Any, manifest: Callable[..., Any]) -> StoredRun:
    """One recording, one window, a name and a tag."""
    sound = tmp_path / "talk.wav"
    sound.write_bytes(b"RIFF, as far as a bundle is concerned")
    stream.recording("a1", str(sound))
    stream.request(stream.prepare(stream.window("a1", 0, 0.0, 5.0)), [call(4, 2), call(0, 0)], " hello there")
    stream.done("a1", 5.0)
    used = manifest().recordings[0].model_copy(update={"recording": "a1", "audio": str(sound)})
    settings = {"method": "as2d", "budget": 4, "admission": "text", "start_condition": "pre-drafted"}
    made = manifest().model_copy(update={"recordings": (used,), "settings": settings})
    store = RunStore(tmp_path / "runs")
    active = store.create(made)
    for event in stream.events:
        active.recorder.put(event)
    active.finish("done", RunFold.of(stream.events))
    store.label(made.run, lambda labels: labels.named("Monday").tagged(["meeting"]))
    return store.find(made.run)


@pytest.fixture
def bundle(small_run: StoredRun, tmp_path: Path) -> Path:
    """Its bundle, with the recording."""
    path = tmp_path / "monday.as2d"
    assert write_bundle([small_run], path, audio=True) == []
    return path


@pytest.fixture
def elsewhere(tmp_path: Path) -> RunStore:
    """The runs folder of another computer, which has none."""
    return RunStore(tmp_path / "elsewhere")


@pytest.fixture
def recorded(repository: Path, tmp_path: Path) -> StoredRun:
    """The recorded run of three recordings, in a runs folder."""
    folder = tmp_path / "recorded" / "20261130-032604-4659"
    shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
    return RunStore(folder.parent).find(folder.name)
