"""`as2d models` as a user runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.models.processes import converter_children

from as2d.backend.models.store import InstalledModel, ModelStore


class Command:
    """Runs `as2d models` with a data folder of its own."""

    def __init__(self, data: Path) -> None:
        self.models = data / "models"
        self._environment = {**os.environ, "AS2D_DATA_DIR": str(data), "COLUMNS": "200"}

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "as2d.backend.cli.entry", "models", *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)


@pytest.fixture
def command(
    real_store: ModelStore,
    whisper_base: InstalledModel,
    whisper_base_int8: InstalledModel,
    whisper_tiny_en: InstalledModel,
    tmp_path: Path,
) -> Command:
    """A data folder with all models; the files are the same ones under other names."""
    copied = subprocess.run(["cp", "-a", "--link", str(real_store.root), str(tmp_path)], check=False)
    if copied.returncode:  # another file system
        subprocess.run(["cp", "-a", str(real_store.root), str(tmp_path)], check=True)
    return Command(tmp_path)


def test_list_where_and_install_of_what_is_there(command: Command) -> None:
    listed = command("list")
    assert listed.returncode == 0, listed.stderr
    rows = {line.split()[0]: line for line in listed.stdout.splitlines()[2:]}
    assert list(rows) == ["whisper-base", "whisper-base-int8", "whisper-tiny.en"]
    assert "installed  target" in rows["whisper-base"]
    assert "190 MB" in rows["whisper-base"]
    assert "installed  target" in rows["whisper-base-int8"]
    assert "169 MB" in rows["whisper-base-int8"]
    assert "installed  drafter" in rows["whisper-tiny.en"]
    place = command("where", "whisper-base")
    folder = Path(place.stdout.strip())
    assert (folder / "model.json").is_file()
    assert folder.is_relative_to(command.models)
    assert command("where").stdout.strip() == str(command.models)
    installed = command("install")
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout.splitlines()[0] == f"whisper-base\t{folder}"
    assert [line.split("\t")[0] for line in installed.stdout.splitlines()] == [
        "whisper-base",
        "whisper-tiny.en",
    ]


def test_verify_names_the_damaged_file_and_checks_the_others(command: Command) -> None:
    assert command("verify").returncode == 0
    (folder,) = (command.models / "folders").glob("whisper-base@*")
    tokenizer = folder / "tokenizer.json"
    content = tokenizer.read_bytes()
    tokenizer.unlink()
    tokenizer.write_bytes(content.replace(b"the", b"teh", 1))
    result = command("verify")
    assert result.returncode == 1
    assert f"The model whisper-base is damaged: {tokenizer} was changed" in result.stderr
    assert "run `as2d models install whisper-base`" in result.stderr
    assert result.stdout == (
        "whisper-base-int8\tintact\t9 files, 169 MB\nwhisper-tiny.en\tintact\t8 files, 72 MB\n"
    )
    assert "whisper-base       damaged" in command("list").stdout


def test_remove_and_what_then_is_said(command: Command) -> None:
    removed = command("remove", "whisper-tiny.en")
    assert (removed.returncode, removed.stdout) == (0, "whisper-tiny.en\tremoved\n")
    assert list((command.models / "folders").glob("whisper-tiny.en@*")) == []
    assert "whisper-tiny.en    not installed" in command("list").stdout
    again = command("remove", "whisper-tiny.en")
    assert again.returncode == 1
    assert "The model whisper-tiny.en is not installed" in again.stderr
    where = command("where", "whisper-tiny.en")
    assert where.returncode == 1
    assert "run `as2d models install whisper-tiny.en`" in where.stderr
    assert command("verify").stdout.startswith("whisper-base\tintact")


def test_an_unknown_name_is_wrong_use(command: Command) -> None:
    for asked in ("install", "remove"):
        result = command(asked, "whisper-huge")
        assert result.returncode == 2
        assert "choose one of whisper-base, whisper-base-int8, whisper-tiny.en" in result.stderr
        assert "Traceback" not in result.stderr


def test_interrupting_an_installation_leaves_nothing_behind(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "as2d.backend.cli.entry", "models", "install", "whisper-tiny.en"],
        env={**os.environ, "AS2D_DATA_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line == "whisper-tiny.en: converting the encoder …\n":
            break
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stdout == ""
    assert "Traceback" not in stderr
    assert list((tmp_path / "models").glob(".work-*")) == []
    assert [*(tmp_path / "models/names").iterdir(), *(tmp_path / "models/folders").iterdir()] == []
    # A killed child is gone a moment after its parent.
    deadline = time.monotonic() + 60
    while converter_children(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert converter_children(tmp_path) == []
