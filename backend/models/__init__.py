"""Models: the catalogue, the store of installed models, and the conversion of weights."""

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
