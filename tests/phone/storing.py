"""A phone to push to, and a model to push: what the tests of the store share."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.waiting import until

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.models.manifest import MANIFEST_NAME, ModelManifest
from as2d.backend.models.store import InstalledModel

FEATURES = {
    "everything": None,
    "no stat v2": ("shell_v2", "cmd"),
    "old": ("cmd",),
}
MEGABYTE = 1_000_000
MEBIBYTE = 1 << 20
"""Of what has arrived of a file, whole ones are used by the next push."""
STORE = "data/local/tmp/as2d"


def contents(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


def make_model(folder: Path) -> InstalledModel:
    """A model folder as the store sees it: a manifest and files, one of them large, two the same."""
    names = {
        **{
            "encoder": 20 * MEGABYTE,
            "cross": 70_000,
            "decoder": 5 * MEGABYTE,
            "embeddings": 1,
            "positions": 0,
        },
        **{"encoder_positions": 0, "tokenizer": 65_536, "licence": 1_000},
    }
    files = {}
    for seed, (name, size) in enumerate(names.items()):
        data = contents(size, seed)
        (folder / f"{name}.bin").write_bytes(data)
        files[name] = {"path": f"{name}.bin", "size": size, "sha256": hashlib.sha256(data).hexdigest()}
    dims = dict.fromkeys(
        ("layers", "heads", "head_dim", "width", "vocab", "audio_positions", "text_positions"), 1
    )
    tokens = dict.fromkeys(("start", "end", "transcribe", "translate", "no_timestamps", "no_speech"), 1)
    manifest = ModelManifest.model_validate(
        {
            **{"format": 2, "name": "little", "kind": "whisper", "title": "Little", "roles": ["target"]},
            **{"dims": dims, "tokens": {**tokens, "languages": {}}, "suppress": [], "suppress_begin": []},
            **{"declares": {"languages": ["en"], "tasks": ["transcribe"]}, "limits": {"tokens": 10}},
            **{"files": files, "licence": "MIT", "source": [], "converter": {"mnn": "3.6.1"}},
            **{"alignment_heads": [], "arithmetic": {}, "audio": {}},
        }
    )
    (folder / MANIFEST_NAME).write_bytes(manifest.to_bytes())
    return InstalledModel("little", folder, manifest, manifest.digest)


@dataclass
class Bench:
    """A phone, the way to it, and what this computer remembers of phones."""

    phone: StandIn
    server: AdbServer
    records: Path

    @property
    def target(self) -> AdbTarget:
        return AdbTarget("127.0.0.1", self.server.port, self.phone.address, label="Anna's phone")

    def store(self, stall_seconds: float = 20.0) -> PhoneStore:
        return PhoneStore(self.target, records=self.records, stall_seconds=stall_seconds)

    def plug_in(self) -> None:
        self.phone.cable.clear()
        self.phone.plug_in()
        self.server.connect(self.phone.address)

    def sent_by(self, work: Callable[[], object]) -> int:
        """How many bytes went to the phone meanwhile."""
        before = self.phone.cable.passed["to_phone"]
        work()
        return self.phone.cable.passed["to_phone"] - before

    def path(self, name: str) -> Path:
        """Where a file of the phone is on this computer."""
        return self.phone.root / name.lstrip("/")

    def assert_only_whole_files(self) -> None:
        command = f"cd /{STORE}/objects && sha256sum *"
        said = self.server.run("-s", self.phone.address, "shell", command).stdout.decode()
        assert said.splitlines()
        assert all(line.split()[0] == line.split()[1] for line in said.splitlines())

    def unplug_after(self, count: int, arrived: int) -> None:
        """Unplug when `count` bytes of the sync service have passed. It stands still shortly before, until so
        many bytes of the file are in their places: the phone may write by far slower than the link brings.
        """
        held = count - MEBIBYTE
        self.phone.unplug_after(count, service="sync:")
        if arrived <= 0 or held <= 0:
            return

        def wait() -> None:
            until(lambda: self.arrived() >= arrived, f"{arrived} bytes in their places")
            self.phone.cable.release()

        def stand_still() -> None:
            self.phone.cable.hold("sync:")
            threading.Thread(target=wait, name="waiting for the phone's storage", daemon=True).start()

        self.phone.cable.when(held, stand_still, service="sync:")

    def arrived(self) -> int:
        """How many bytes of a file that goes in pieces are in their places."""
        return max((size for name, size in self.phone.files().items() if name.endswith(".part")), default=0)

    def incoming(self) -> list[str]:
        return [name for name in self.phone.files() if "/incoming/" in name or name.startswith("incoming")]


def assert_model_is_there(bench: Bench, model: InstalledModel, folder: str) -> None:
    names = [MANIFEST_NAME, *(file.path for file in model.manifest.files.values())]
    place = bench.path(folder)
    assert sorted(path.name for path in place.iterdir()) == sorted(names)
    for name in names:
        # Links on the phone are relative, so they hold from here too.
        assert (place / name).read_bytes() == (model.path / name).read_bytes(), name
