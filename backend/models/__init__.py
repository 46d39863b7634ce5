"""Models: the catalogue, the store of installed models, and the conversion of weights."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from as2d.backend.models.catalogue import CatalogueEntry, all_entries
    from as2d.backend.models.manifest import ModelManifest
    from as2d.backend.models.progress import Cancel, Cancelled, Progress
    from as2d.backend.models.store import InstalledModel, ModelStore

__all__ = [
    "Cancel",
    "Cancelled",
    "CatalogueEntry",
    "InstalledModel",
    "ModelManifest",
    "ModelStore",
    "Progress",
    "all_entries",
]

_MODULES = {
    "CatalogueEntry": "catalogue",
    "all_entries": "catalogue",
    "ModelManifest": "manifest",
    "InstalledModel": "store",
    "ModelStore": "store",
}


def __getattr__(name: str) -> object:
    """Load only the part that is asked for: most of the program needs one name of all this."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'progress')}"), name)
