"""Models on phones: only what is missing travels, an interrupted push goes on, nothing damaged is used."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.waiting import until

from as2d.backend.devices.adb.connection import AdbTarget, TransportLost
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.errors import HelperFailed, InputRefused, OutOfSpace, UserError
from as2d.backend.models.manifest import MANIFEST_NAME, ModelManifest
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel

FEATURES = {
    "everything": None,
    "no stat v2": ("shell_v2", "cmd"),
    "old": ("cmd",),
}
MEGABYTE = 1_000_000
STORE = "data/local/tmp/as2d"


def contents(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstalledModel:
    """A model folder as the store sees it: a manifest and files, one of them large, two the same."""
    folder = tmp_path_factory.mktemp("model")
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
            **{"format": 1, "name": "little", "kind": "whisper", "title": "Little", "roles": ["target"]},
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

    def incoming(self) -> list[str]:
        return [name for name in self.phone.files() if "/incoming/" in name or name.startswith("incoming")]


@pytest.fixture
def bench(phone: StandIn, adb_server: AdbServer, tmp_path: Path) -> Bench:
    return Bench(phone, adb_server, tmp_path / "phones")


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A file that goes in several pieces."""
    path = tmp_path / "音声 big.bin"
    path.write_bytes(contents(18 * MEGABYTE + 12_345, 99))
    return path


def assert_model_is_there(bench: Bench, model: InstalledModel, folder: str) -> None:
    names = [MANIFEST_NAME, *(file.path for file in model.manifest.files.values())]
    place = bench.path(folder)
    assert sorted(path.name for path in place.iterdir()) == sorted(names)
    for name in names:
        # Links on the phone are relative, so they hold from here too.
        assert (place / name).read_bytes() == (model.path / name).read_bytes(), name


@pytest.mark.parametrize("features", list(FEATURES))
def test_a_model_is_pushed_once(
    features: str,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    model: InstalledModel,
    tmp_path: Path,
) -> None:
    phone = standin(features=FEATURES[features])
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    stages: list[tuple[str, int, int]] = []
    folder = bench.store().place_model(model, lambda *report: stages.append(report))
    assert_model_is_there(bench, model, folder)
    pushing = [report for report in stages if report[0] == "pushing little"]
    total = sum(file.size for file in model.manifest.files.values())
    assert [done for _, done, _ in pushing] == sorted(done for _, done, _ in pushing)
    assert pushing[-1][1] == pushing[-1][2] > total
    assert bench.incoming() == []
    assert bench.sent_by(lambda: bench.store().place_model(model)) < 20_000
    # A computer that knows nothing of this phone checks it once, and sends nothing either.
    stranger = Bench(phone, adb_server, tmp_path / "others")
    assert stranger.sent_by(lambda: stranger.store().place_model(model)) < 30_000


def test_a_changed_file_is_found_and_replaced(bench: Bench, model: InstalledModel) -> None:
    folder = bench.store().place_model(model)
    file = model.manifest.files["decoder"]
    place = bench.path(f"{STORE}/objects/{file.sha256}")
    before = place.stat()
    data = bytearray(place.read_bytes())
    data[1234] ^= 1
    place.chmod(0o644)
    place.write_bytes(data)
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    sent = bench.sent_by(lambda: bench.store().place_model(model))
    assert file.size < sent < file.size + 1_500_000
    assert_model_is_there(bench, model, folder)


@pytest.mark.parametrize("damage", ["cut", "gone", "folder gone", "link gone", "touched"])
def test_damage_is_repaired_and_nothing_else_travels(
    bench: Bench, model: InstalledModel, damage: str
) -> None:
    folder = bench.store().place_model(model)
    file = model.manifest.files["cross"]
    place = bench.path(f"{STORE}/objects/{file.sha256}")
    place.chmod(0o644)
    match damage:
        case "cut":
            os.truncate(place, 100)
        case "gone":
            place.unlink()
        case "folder gone":
            for path in bench.path(folder).iterdir():
                path.unlink()
            bench.path(folder).rmdir()
        case "link gone":
            (bench.path(folder) / "cross.bin").unlink()
        case "touched":
            os.utime(place)
    sent = bench.sent_by(lambda: bench.store().place_model(model))
    assert sent < (2 * file.size + 50_000 if damage in ("cut", "gone") else 40_000)
    assert_model_is_there(bench, model, folder)


@pytest.mark.parametrize("count", [0, 1, 70_000, 3 * MEGABYTE, 9_999_999, 17 * MEGABYTE])
def test_an_unplugged_push_goes_on_where_it_stopped(bench: Bench, big: Path, count: int) -> None:
    bench.phone.unplug_after(count, service="sync:")
    bench.phone.cable.bytes_per_second = 9e6
    with pytest.raises(UserError, match="Anna's phone"):
        bench.store().place_file(big)
    bench.plug_in()
    assert bench.phone.files(f"/{STORE}/objects") == {}
    reports: list[tuple[str, int, int]] = []
    sent = bench.sent_by(lambda: bench.store().place_file(big, lambda *report: reports.append(report)))
    first = next(done for stage, done, _ in reports if stage.startswith("pushing"))
    # Two pieces are lost at most, of half a second each.
    assert first >= count - 2 * max(4 << 20, 9e6 * 0.6) - MEGABYTE
    assert sent < big.stat().st_size - first + 1_300_000  # a trial of the link's rate
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_what_has_arrived_grows_while_a_push_runs_and_is_used(bench: Bench, big: Path) -> None:
    bench.phone.unplug_after(16 * MEGABYTE, service="sync:")
    bench.phone.cable.bytes_per_second = 8e6
    with pytest.raises(UserError):
        bench.store().place_file(big)
    bench.plug_in()
    reports: list[tuple[str, int, int]] = []
    bench.store().place_file(big, lambda *report: reports.append(report))
    first = next(done for stage, done, _ in reports if stage.startswith("pushing"))
    assert first >= 4 << 20
    bench.assert_only_whole_files()


def test_a_killed_push_goes_on(bench: Bench, big: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from as2d.backend.devices.adb.connection import AdbTarget\n"
        "from as2d.backend.devices.adb.store import PhoneStore\n"
        "host, port, serial, records, name = sys.argv[1:]\n"
        "store = PhoneStore(AdbTarget(host, int(port), serial), records=pathlib.Path(records))\n"
        "store.place_file(pathlib.Path(name))\n"
    )
    bench.phone.cable.bytes_per_second = 7e6
    words = ["127.0.0.1", str(bench.server.port), bench.phone.address, str(bench.records), str(big)]
    pushing = subprocess.Popen([sys.executable, "-c", program, *words])
    try:
        until(lambda: any(name.endswith(".part") for name in bench.incoming()), "a first piece in its place")
    finally:
        pushing.send_signal(signal.SIGKILL)
        pushing.wait()
    bench.phone.cable.clear()
    reports: list[tuple[str, int, int]] = []
    bench.store().place_file(big, lambda *report: reports.append(report))
    assert next(done for stage, done, _ in reports if stage.startswith("pushing")) > 0
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_a_stall_is_noticed_and_what_arrived_is_kept(bench: Bench, big: Path) -> None:
    bench.phone.stall_after(10 * MEGABYTE, service="sync:")
    with pytest.raises(TransportLost, match="Anna's phone did not"):
        bench.store(stall_seconds=1.0).place_file(big)
    bench.phone.drop()
    bench.plug_in()
    bench.store().place_file(big)
    bench.assert_only_whole_files()


def test_a_slow_push_is_cancelled_and_goes_on(bench: Bench, big: Path) -> None:
    bench.phone.cable.bytes_per_second = 6e6
    done = [0]

    def progress(stage: str, count: int, total: int) -> None:
        done[0] = count if stage.startswith("pushing") else done[0]

    with pytest.raises(Cancelled):
        bench.store().place_file(big, progress, lambda: done[0] > 12 * MEGABYTE)
    bench.phone.cable.clear()
    sent = bench.sent_by(lambda: bench.store().place_file(big))
    assert sent < big.stat().st_size
    bench.assert_only_whole_files()
    assert bench.incoming() == []


@pytest.mark.parametrize("bytes_per_second", [None, 8e6], ids=["whole", "pieces"])
def test_a_file_that_is_damaged_on_its_way_is_sent_again(
    bench: Bench, big: Path, bytes_per_second: float | None
) -> None:
    def progress(stage: str, count: int, total: int) -> None:
        if stage.startswith("checking") and not damaged:
            place = max(bench.path(f"{STORE}/incoming").iterdir(), key=lambda path: path.stat().st_size)
            damaged.append(place)
            with place.open("r+b") as file:
                file.seek(5_000_000)
                file.write(b"damaged")

    damaged: list[Path] = []
    bench.phone.cable.bytes_per_second = bytes_per_second
    bench.store().place_file(big, progress)
    assert damaged
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_a_full_phone_is_told_before_anything_is_sent(
    standin: Callable[..., StandIn], adb_server: AdbServer, tmp_path: Path, big: Path
) -> None:
    phone = standin(disk_bytes=60 * MEGABYTE)
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    with pytest.raises(OutOfSpace, match=r"Anna's phone has .* free, but 音声 big.bin needs"):
        bench.store().place_file(big)
    assert bench.incoming() == []


@pytest.mark.parametrize(
    ("features", "bytes_per_second"), [("everything", None), ("everything", 8e6), ("old", 8e6)]
)
def test_a_phone_that_becomes_full_keeps_nothing_half_written(
    features: str,
    bytes_per_second: float | None,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    tmp_path: Path,
    big: Path,
) -> None:
    phone = standin(disk_bytes=120 * MEGABYTE, features=FEATURES[features])
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    phone.cable.bytes_per_second = bytes_per_second
    phone.cable.when(9 * MEGABYTE, lambda: phone.fill_disk(100_000), service="sync:")
    with pytest.raises(OutOfSpace, match="Anna's phone has no space left"):
        bench.store().place_file(big)
    assert bench.incoming() == []
    phone.empty_disk()
    phone.cable.clear()
    bench.store().place_file(big)
    bench.assert_only_whole_files()


def test_a_local_file_that_was_changed_is_not_used(
    bench: Bench, model: InstalledModel, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in model.path.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "cross.bin").write_bytes(bytes(70_000))
    with pytest.raises(InputRefused, match=r"cross\.bin was changed"):
        bench.store().place_model(InstalledModel("little", copy, model.manifest, model.digest))
    bench.assert_only_whole_files()


def test_two_phones_are_fed_at_once(
    standin: Callable[..., StandIn], adb_server: AdbServer, tmp_path: Path, model: InstalledModel
) -> None:
    phones = [standin(serial=f"TWIN{number}") for number in range(2)]
    benches = []
    for phone in phones:
        adb_server.connect(phone.address)
        benches.append(Bench(phone, adb_server, tmp_path / "phones"))
    folders: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda n=n: folders.update({n: benches[n].store().place_model(model)}))
        for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, bench in enumerate(benches):
        assert_model_is_there(bench, model, folders[number])


@pytest.fixture
def helper(tmp_path: Path) -> Path:
    """Something that runs on the phone under the helper's name."""
    path = tmp_path / "helper"
    path.write_text("#!/system/bin/sh\n[ $1 = serve ] && sleep 1000\n")
    return path


def start_on(bench: Bench, command: str) -> None:
    bench.server.run("-s", bench.phone.address, "shell", f"{command} >/dev/null 2>&1 </dev/null &")


def pid_of(bench: Bench, text: str) -> int:
    return next(pid for pid, words in bench.phone.processes().items() if text in " ".join(words))


@pytest.mark.parametrize("features", ["everything", "old"])
def test_cleaning_ends_our_processes_only_and_leaves_nothing(
    features: str,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    tmp_path: Path,
    helper: Path,
    model: InstalledModel,
) -> None:
    phone = standin(features=FEATURES[features])
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    store = bench.store()
    program = store.place_helper(helper)
    store.place_model(model)
    start_on(bench, f"{program} serve")
    start_on(bench, "sleep 2000")
    until(lambda: "sleep 2000" in str([" ".join(words) for words in phone.processes().values()]), "both run")
    until(lambda: any(program in words for words in phone.processes().values()), "both run")
    inside = adb_server.run("-s", phone.address, "shell", "ps -o pid,args 2>/dev/null || ps").stdout.decode()
    ours = next(line.split()[0] for line in inside.splitlines() if f"{program} serve" in line)
    other = next(line.split()[0] for line in inside.splitlines() if "sleep 2000" in line)
    folder = bench.path(f"{STORE}/run")
    (folder / "a.json").write_text(json.dumps({"kind": "attached", "pid": int(ours), "x": 1}) + "\n")
    (folder / f"{other}.json").write_text("{}\n")
    assert store.contents().running == (int(ours),)
    assert [stored.name for stored in store.contents().models] == ["little"]
    cleaned = store.clean()
    assert cleaned.ended == (int(ours),)
    assert cleaned.size > 25 * MEGABYTE
    assert phone.files() == {}
    assert not any(program in words for words in phone.processes().values())
    assert any("2000" in words for words in phone.processes().values())
    assert store.contents().size == 0
    assert store.clean().ended == ()


def test_a_helper_is_placed_to_be_run_and_older_ones_go(bench: Bench, helper: Path) -> None:
    store = bench.store()
    older = store.place_helper(helper)
    helper.write_text("#!/system/bin/sh\necho new\n")
    newer = store.place_helper(helper)
    assert older != newer
    assert sorted(path.name for path in bench.path(f"{STORE}/bin").iterdir()) == [newer.rsplit("/", 1)[-1]]
    assert bench.server.run("-s", bench.phone.address, "shell", newer).stdout == b"new\n"
    assert store.place_helper(helper) == newer


def test_a_phone_that_refuses_is_told(bench: Bench, big: Path) -> None:
    bench.phone.root.joinpath(STORE).write_text("a file where the folder should be")
    with pytest.raises(HelperFailed, match=r"Anna's phone failed at making its folders"):
        bench.store().place_file(big)
