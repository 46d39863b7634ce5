"""The real helper with the real models, in a data folder of the session's own."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import pytest

from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.paths import data_dir, helper_path, models_dir, profiles_dir
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET, TranscribeSettings

PATIENCE_SECONDS = 300.0

Found = TypeVar("Found")


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs `as2d` as users do, as a program of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "AS2D_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}

    def start(
        self, *arguments: str | Path, file_bytes: int | None = None, stdin: IO[bytes] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a command that reads `stdin`, else nothing; with `file_bytes` no file it writes may grow
        beyond that, as on a full disk.
        """

        def limit() -> None:
            if file_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

        return subprocess.Popen(
            [sys.executable, "-m", "as2d.backend.cli.entry", *map(os.fspath, arguments)],
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            preexec_fn=limit,
        )

    def run(self, *arguments: str | Path, file_bytes: int | None = None) -> Finished:
        """Run a command to its end; as `start`."""
        child = self.start(*arguments, file_bytes=file_bytes)
        try:
            out, err = child.communicate(timeout=PATIENCE_SECONDS * 2)
        finally:
            child.kill()
        return Finished(child.returncode, out.decode(), err.decode())


def children_of(pid: int) -> list[int]:
    """Process ids of the children of a process."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def helpers_of(pid: int) -> list[int]:
    """Process ids of the children of a process that are helpers at work.

    A child that was forked and is no other program yet is none, nor is one that only says its version, nor
    what libraries ask the system by.
    """
    found = []
    for child in children_of(pid):
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except OSError:  # it ended while we looked
            continue
        program = Path(os.fsdecode(words[0])).name
        if program == helper_path().name and words[1:2] in ([b"serve"], [b"replay"]):
            found.append(child)
    return found


def cpu_ticks(pid: int) -> int:
    """How long a process has worked, in ticks of the processor's time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process does nothing meanwhile: what is written to it is read afterwards, all at once."""
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until(lambda: _is_stopped(pid), "every thread of the process stopped")
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def _is_stopped(pid: int) -> bool:
    """Whether every thread of a process is."""
    for status in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            state = status.read_text().rpartition(")")[2].split()[0]
        except OSError:  # this thread has ended
            continue
        if state not in "tTZX":
            return False
    return True


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], Found], what: str) -> Found:
    """Wait for something that will happen, and fail if it does not; what the condition then answered."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, f"waited too long until {what}"
        time.sleep(0.01)
    return found


@pytest.fixture(scope="session")
def installed() -> dict[str, InstalledModel]:
    """The embedded models, installed if they are missing."""
    store = ModelStore(models_dir())
    return {name: store.ensure(name) for name in (DEFAULT_TARGET, DEFAULT_DRAFTER)}


@pytest.fixture(scope="session")
def data_folder(
    installed: dict[str, InstalledModel], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A data folder with the installed models and the gaps measured before; runs go here."""
    folder = tmp_path_factory.mktemp("data")
    kept, own = profiles_dir(), folder / "profiles"
    (folder / "models").symlink_to(models_dir())
    _copy_gaps(kept, own)
    before = data_dir()
    os.environ["AS2D_DATA_DIR"] = str(folder)
    yield folder
    os.environ["AS2D_DATA_DIR"] = str(before)
    _copy_gaps(own, kept)


def _copy_gaps(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in source.glob("gap-*.json"):
        if not (target / path.name).exists():
            # Another worker of the tests may read what this one writes.
            copied = target / f".{os.getpid()}-{path.name}"
            shutil.copyfile(path, copied)
            copied.replace(target / path.name)


@pytest.fixture(scope="module")
def as2d_program(data_folder: Path) -> CommandLine:
    """The command line with the session's data folder, for what a whole module uses."""
    return CommandLine(data_folder)


@pytest.fixture
def as2d(data_folder: Path) -> CommandLine:
    """The command line with the session's data folder."""
    return CommandLine(data_folder)


@pytest.fixture
def as2d_alone(data_folder: Path, tmp_path: Path) -> CommandLine:
    """The command line with a data folder of its own, for what keeps something that others would find."""
    (tmp_path / "models").symlink_to(models_dir())
    _copy_gaps(data_folder / "profiles", tmp_path / "profiles")
    return CommandLine(tmp_path)


@pytest.fixture(scope="session")
def transcriber(data_folder: Path) -> Iterator[Transcriber]:
    """One transcriber with the default settings, English said, for all tests that need none of their own."""
    with Transcriber(TranscribeSettings(language="en")) as shared:
        yield shared


@pytest.fixture(scope="session")
def clips(repository: Path) -> Path:
    """Folder of the repository's recordings."""
    return repository / "tests" / "data" / "speech"


@pytest.fixture(scope="session")
def odd(repository: Path) -> Path:
    """Folder of the repository's odd files."""
    return repository / "tests" / "data" / "odd"


@pytest.fixture(scope="session")
def manifest(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short English recordings of `dev` and one of `test`."""
    path = tmp_path_factory.mktemp("manifest") / "recordings.jsonl"
    entries = [
        {"path": str(clips / name), "language": "en", "split": split}
        for name, split in (
            ("cv_en_651325.mp3", "dev"),
            ("libri_198-209-0000.ogg", "dev"),
            ("sonnet001.mp3", "test"),
        )
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


@pytest.fixture(scope="session")
def two_traces(data_folder: Path, manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The traces of the manifest's recordings of `dev`, recorded once for all workers of the tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    path = shared / "two-traces.jsonl"
    with (shared / "two-traces.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            done = CommandLine(data_folder).run("trace", manifest, "--split", "dev", "-o", path)
            assert done.code == 0, done.err
            assert "2 windows with" in done.err
    return path


@pytest.fixture
def processes() -> Iterator[Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]]:
    """Remembers started commands and ends those that a failed test left."""
    started: list[subprocess.Popen[bytes]] = []

    def remember(child: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        started.append(child)
        return child

    yield remember
    for child in started:
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
        child.communicate()


@pytest.fixture
def watch() -> type[Watch]:
    """Questions about processes."""
    return Watch


class Watch:
    """Questions about processes, for tests of how they end."""

    children_of = staticmethod(children_of)
    helpers_of = staticmethod(helpers_of)
    cpu_ticks = staticmethod(cpu_ticks)
    stopped = staticmethod(stopped)
    is_running = staticmethod(is_running)
    wait_until = staticmethod(wait_until)
