"""The recorded run that view models are tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.stream import StreamReader


@pytest.fixture(scope="session")
def run_events(repository: Path) -> list[RecordedEvent]:
    """Three recordings, four windows, decoded with as2d: drafted before, beside the request, and not."""
    return list(StreamReader(repository / "tests/data/runs/three-recordings/events.jsonl.gz"))


@pytest.fixture
def timeline(run_events: list[RecordedEvent]) -> TimelineModel:
    """The timeline of that run."""
    model = TimelineModel()
    for event in run_events:
        model.feed(event)
    return model
