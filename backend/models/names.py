"""Which models a store's folder names, without opening them."""

from __future__ import annotations

from pathlib import Path

NAMES = "names"
"""The folder in a store that says which folder a name means."""


def installed_names(root: Path) -> list[str]:
    """Names of the models that were installed in the store below `root`, damaged ones included."""
    folder = root / NAMES
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
