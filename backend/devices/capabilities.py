"""What decoding needs on this computer, and whether it is there."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.devices.adb.program import adb_program, program_version
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.this_computer import this_computer
from as2d.backend.errors import UserError
from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.models.catalogue import all_entries
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import cache_dir, data_dir, helper_path, models_dir, runs_dir
from as2d.backend.protocol.events import Hello, Pong
from as2d.backend.protocol.ops import Ping
from as2d.backend.runs.store import RunStore

_PACKAGES = ("soundfile", "av", "soxr", "numpy", "pydantic", "MNN")
_ROOM_BYTES = 1_000_000_000
# Less than a run of an evening takes.
_LEAST_BYTES = 20_000_000
_PING_SECONDS = 10.0


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `needed`: without it nothing can be decoded. `remedy`: what to do if
    not ok.
    """

    name: str
    ok: bool
    needed: bool
    detail: str
    remedy: str = ""


def check_all() -> Iterator[Check]:
    """Look at everything that decoding on this computer needs, the most important first."""
    computer = this_computer()
    memory = f", {computer.memory_bytes / 1e9:.0f} GB memory" if computer.memory_bytes else ""
    yield Check("computer", True, True, f"{computer.name}{memory}, {computer.system} {computer.arch}")
    yield Check("python", True, True, f"{sys.version.split()[0]} in {sys.prefix}")
    yield from _helper()
    yield from _models()
    yield from (_package(name) for name in _PACKAGES)
    yield from (
        _folder("data folder", data_dir(), "AS2D_DATA_DIR"),
        _folder("cache folder", cache_dir(), "AS2D_CACHE_DIR"),
    )
    yield Check("runs", True, False, f"{len(RunStore(runs_dir()).list())} recorded in {runs_dir()}")
    yield from (_tool("cmake", "the helper"), _tool("cargo", "MNN's sources"))
    yield _adb()
    yield _peer()


def greet_helper() -> Hello:
    """Start the helper, ask it for a sign of life, end it; its first line.

    Raises:
        HelperFailed: it is missing or does not work.
    """
    with start_child_helper(helper_path()) as helper:
        helper.call(Ping(), Pong, seconds=_PING_SECONDS)
        return helper.hello


def _helper() -> Iterator[Check]:
    try:
        path = helper_path()
        hello = greet_helper()
    except UserError as error:
        yield Check("helper", False, True, error.message, "run `make helper` in the checkout")
        return
    yield Check("helper", True, True, f"{path}, build {hello.build}, MNN {hello.mnn}")
    yield Check("methods", True, True, ", ".join(hello.methods))
    yield Check("processor", True, True, f"{hello.cpu.arch}: {', '.join(hello.cpu.features)}")


def _models() -> Iterator[Check]:
    try:
        installed = {model.name: model for model in ModelStore(models_dir()).installed()}
    except UserError as error:
        yield Check("models", False, False, error.message, "run `as2d models install`")
        return
    for name, entry in all_entries().items():
        if name in installed:
            model = installed.pop(name)
            yield Check(f"model {name}", True, False, f"{entry.title}, {model.manifest.size / 1e6:.0f} MB")
        else:
            yield Check(
                f"model {name}",
                False,
                False,
                "not installed; the first transcription installs it",
                f"run `as2d models install {name}`",
            )
    for name, model in installed.items():
        yield Check(f"model {name}", True, False, f"{model.manifest.title}, in {model.path}")


def _package(name: str) -> Check:
    try:
        return Check(name, True, name != "MNN", f"version {importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, name != "MNN", "not installed", "run `make venv` in the checkout")


def _folder(name: str, folder: Path, variable: str) -> Check:
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        return Check(name, False, True, f"{folder} cannot be written", f"choose another with {variable}")
    free = shutil.disk_usage(existing).free
    remedy = "" if free >= _ROOM_BYTES else "free some space: models and runs need about 1 GB"
    return Check(name, not remedy, free < _LEAST_BYTES, f"{folder}, {free / 1e9:.1f} GB free", remedy)


def _tool(name: str, what: str) -> Check:
    found = shutil.which(name)
    if found is not None:
        return Check(name, True, False, found)
    return Check(name, False, False, f"not found; only needed to build {what}", f"install {name}")


def _adb() -> Check:
    """Whether phones can be looked for; starts no server."""
    try:
        server = AdbServer()
        if server.is_running():
            return Check("adb", True, False, f"server at {server.address}, version 1.0.{server.version()}")
        if server.address.named_by is not None:
            detail = f"no server at {server.address}, which {server.address.named_by} names"
            return Check("adb", False, False, detail, "start it there, or name another")
        program = adb_program()
        if program is None:
            return Check("adb", False, False, "none for this computer; only phones need it", "install adb")
        release = program_version(program).release
        detail = f"{program}, version {release}; its server is started when phones are looked for"
    except UserError as error:
        return Check("adb", False, False, error.message)
    return Check("adb", True, False, detail)


def _peer() -> Check:
    try:
        version = importlib.metadata.version("faster-whisper")
    except importlib.metadata.PackageNotFoundError:
        return Check(
            "faster-whisper",
            False,
            False,
            "not installed; only `as2d bench --peer` uses it",
            "pip install it",
        )
    return Check("faster-whisper", True, False, f"version {version}, for `as2d bench --peer`")
