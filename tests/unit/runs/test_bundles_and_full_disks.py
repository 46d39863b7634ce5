"""A disk that fills up while a bundle is opened or written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.errors import OutOfSpace
from as2d.backend.runs.store import RunStore


def test_nothing_is_left_of_what_did_not_fit(
    repository: Path, tmp_path: Path, small_disk: Callable[[int], Path]
) -> None:
    folder = repository / "tests/data/runs/three-recordings"
    stored = RunStore(folder.parent).find(str(folder))
    path = tmp_path / "run.as2d"
    write_bundle([stored], path, audio=False)
    small = small_disk(16)
    with pytest.raises(OutOfSpace, match="no space left"):
        open_bundle(path, RunStore(small))
    with pytest.raises(OutOfSpace, match="no space left"):
        write_bundle([stored], small / "run.as2d", audio=False)
    assert list(small.iterdir()) == []
