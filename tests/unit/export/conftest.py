"""The recorded runs that exports are tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.runs.store import RunStore, StoredRun


@pytest.fixture(scope="session")
def stored(repository: Path) -> StoredRun:
    """Three recordings, four windows, decoded with as2d: drafted before, beside the request, and not."""
    folder = repository / "tests/data/runs/three-recordings"
    return RunStore(folder.parent).find(str(folder))
