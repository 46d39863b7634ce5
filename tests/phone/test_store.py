"""Models on phones: only what is missing travels, an interrupted push goes on, nothing damaged is used."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.storing import FEATURES, MEGABYTE, STORE, Bench, assert_model_is_there
from tests.phone.waiting import until

from as2d.backend.devices.adb.phone_jobs import remove_job, start_job
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.models.store import InstalledModel
from as2d.backend.transcribe.cancel import CancelToken


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
    # A phone tells in whole seconds when a file was changed; the clock of its file system lags a little.
    place.chmod(0o644)

    def is_later() -> bool:
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
        return int(place.stat().st_ctime) > int(before.st_ctime)

    until(is_later, "the second after the one of the push")
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
    (folder / "attached-1").write_text(f"{ours}\n")
    (folder / "job-2").write_text(f"{other}\n")
    (folder / "job-3").write_text("")
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
    folder = bench.path(f"{STORE}/bin")
    # Another computer may use the other one.
    assert {f"/{STORE}/bin/{path.name}" for path in folder.iterdir()} == {older, newer}
    for path in folder.iterdir():
        long_ago = time.time() - 8 * 86_400
        os.utime(path, (long_ago, long_ago))
    helper.write_text("#!/system/bin/sh\necho newest\n")
    newest = store.place_helper(helper)
    assert [f"/{STORE}/bin/{path.name}" for path in folder.iterdir()] == [newest]
    helper.write_text("#!/system/bin/sh\necho new\n")
    assert store.place_helper(helper) == newer
    assert bench.server.run("-s", bench.phone.address, "shell", newer).stdout == b"new\n"
    assert store.place_helper(helper) == newer


def test_what_another_computers_job_reads_stays(bench: Bench, tmp_path: Path) -> None:
    sound, ops, program = tmp_path / "sound.wav", tmp_path / "job.jsonl", tmp_path / "program"
    sound.write_bytes(b"RIFF and so on")
    program.write_text("#!/system/bin/sh\necho '{}'\nsleep 1000\n")
    store, other = bench.store(), PhoneStore(bench.target, records=tmp_path / "others")
    name = other.place_file(sound)
    assert store.place_file(sound) == name
    ops.write_text(f'{{"op":"prepare","audio":"{name}"}}\n')
    asked = other.place_file(ops)
    start_job(bench.target, "job-b", other.place_helper(program), asked, 600, CancelToken())

    def is_there(path: str) -> bool:
        return bench.path(path.removeprefix("/")).exists()

    store.remove_file(name)
    store.remove_file(asked)
    assert (is_there(name), is_there(asked)) == (True, True)
    reads = bench.path(f"{STORE}/jobs/job-b/reads")
    reads.write_text("nothing of that")
    bench.path(f"{STORE}/jobs/job-c").mkdir()  # as an older version leaves it: it does not say what it reads
    store.remove_file(name)
    assert is_there(name)
    bench.path(f"{STORE}/jobs/job-c").rmdir()
    store.remove_file(name)
    assert (is_there(name), is_there(asked)) == (False, True)
    remove_job(bench.target, "job-b", CancelToken())
    store.remove_file(asked)
    assert not is_there(asked)


def test_a_phone_that_refuses_is_told(bench: Bench, big: Path) -> None:
    bench.phone.root.joinpath(STORE).write_text("a file where the folder should be")
    with pytest.raises(HelperFailed, match=r"Anna's phone failed at making its folders"):
        bench.store().place_file(big)
