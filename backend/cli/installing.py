"""What is installed before the first use, said once."""

from __future__ import annotations

from collections.abc import Collection

from as2d.backend.cli.console import say
from as2d.backend.models.catalogue import all_entries
from as2d.backend.models.files import megabytes
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import models_dir


def announce_installation(models: Collection[str | None]) -> None:
    """Say which of the catalogue's models are missing and will be installed now, and how large they are."""
    there = ModelStore(models_dir()).names()
    missing = [entry for name, entry in all_entries().items() if name in models and name not in there]
    if missing:
        names = " and ".join(entry.name for entry in missing)
        say(f"Installing {names}, about {megabytes(sum(e.installed_size for e in missing))}, once.")
