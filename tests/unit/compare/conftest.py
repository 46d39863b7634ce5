"""Recorded runs of made streams, whose numbers can be worked out by hand; disks that are soon full."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.small_disks import small_disk

from as2d.backend.runs.manifest import ArmUsed, RunManifest, write_manifest
from as2d.backend.runs.store import RunStore, StoredRun

__all__ = ["planned", "record", "small_disk"]


def arm(label: str, method: str, **changes: Any) -> ArmUsed:
    """An arm of a plan."""
    fields: dict[str, Any] = {
        "label": label, "method": method, "budget": 4, "admission": "text",
        "start_condition": "request-start", "confidence": None, "patience": None, "group": None,
        "again": False, "drafter": None if method == "target-only" else "whisper-tiny.en", "threads": 2,
        "shared_threads": 1, "drafter_threads": 1, "drafter_shared_threads": 1,
    }  # fmt: skip
    return ArmUsed.model_validate(fields | changes)


class Recorded:
    """Writes made streams as runs of one folder."""

    def __init__(self, folder: Path, manifest: Callable[..., RunManifest]) -> None:
        self._folder = folder
        self._manifest = manifest

    def __call__(self, run: str, events: list[Any], **changes: Any) -> StoredRun:
        """A run with these events, whose manifest has these changes."""
        folder = self._folder / run
        folder.mkdir()
        known = self._manifest(run)
        fields = {"status": "done", "ended": known.created} | changes
        write_manifest(folder, known.model_copy(update=fields))
        lines = b"".join(event.model_dump_json().encode() + b"\n" for event in events)
        (folder / "events.jsonl.gz").write_bytes(gzip.compress(lines))
        return RunStore(self._folder).find(run)


@pytest.fixture
def record(tmp_path: Path, manifest: Callable[..., RunManifest]) -> Recorded:
    """Writes runs."""
    return Recorded(tmp_path, manifest)


@pytest.fixture
def planned() -> Callable[..., ArmUsed]:
    """Makes the arms of a plan."""
    return arm
