"""A very small target and drafter: random weights, the layout of the real models, seconds under qemu."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.unit.models.small_whisper import make_wheels

from as2d.backend.models.catalogue import CatalogueEntry
from as2d.backend.models.store import InstalledModel, ModelStore


@dataclass(frozen=True)
class SmallPair:
    """The installed models, both cut to the audio so that a second of it costs no thirty."""

    target: InstalledModel
    drafter: InstalledModel


def _drafter_entry(folder: Path, seed: int) -> CatalogueEntry:
    entry = make_wheels(folder, "small-drafter", seed).model_dump(mode="json")
    entry["graphs"].pop("words")
    changes = {
        **{"roles": ["drafter"], "multilingual": False, "cut_to_audio": True},
        "arithmetic": {"memory": "low", "precision": "normal"},
    }
    return CatalogueEntry.model_validate(entry | changes)


def install_small_pair(folder: Path, *, drafter_seed: int = 0) -> SmallPair:
    """Install both into a store of their own in `folder`.

    With the target's seed, 0, the drafter has the same weights, in 8-bit integers, and another prompt.
    """
    entry = make_wheels(folder).model_dump(mode="json")
    entry["graphs"]["decoder"] = {"storage": "float16"}  # what a target's decoder is computed from
    target = CatalogueEntry.model_validate(entry | {"cut_to_audio": True})
    drafter = _drafter_entry(folder, drafter_seed)
    store = ModelStore(folder / "models", folder / "downloads", {target.name: target, drafter.name: drafter})
    return SmallPair(*(store.ensure(entry.name, from_folder=folder) for entry in (target, drafter)))
