"""Stand-in phones and a real adb server of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.phone import waiting
from tests.phone.rig import Rig
from tests.phone.small_models import SmallPair, install_small_pair
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.storing import MEGABYTE, Bench, contents, make_model

from as2d.backend.audio import write_wav
from as2d.backend.models.store import InstalledModel


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    """A real adb server on a port of its own."""
    with AdbServer(tmp_path_factory.mktemp("adb")) as server:
        yield server


@pytest.fixture
def standin() -> Iterator[Callable[..., StandIn]]:
    """Makes stand-in phones (StandIn's arguments); they end with the test."""
    with ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> StandIn:
            return stack.enter_context(StandIn(*arguments, **options))

        yield make


@pytest.fixture
def phone(standin: Callable[..., StandIn], adb_server: AdbServer) -> StandIn:
    """A Snapdragon phone that is connected to the adb server."""
    made = standin()
    adb_server.connect(made.address)
    return made


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstalledModel:
    """A small model as the store sees it; no program can load it."""
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def bench(phone: StandIn, adb_server: AdbServer, tmp_path: Path) -> Bench:
    """A phone to push to."""
    return Bench(phone, adb_server, tmp_path / "phones")


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A file that goes in several pieces unless the link is fast."""
    path = tmp_path / "音声 big.bin"
    path.write_bytes(contents(18 * MEGABYTE + 12_345, 99))
    return path


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def clip(repository: Path) -> Path:
    return repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"


@pytest.fixture
def rig(phone: StandIn, adb_server: AdbServer, pair: SmallPair, data: Path) -> Iterator[Rig]:
    assert not data.exists()
    made = Rig(phone, adb_server, pair)
    yield made
    waiting.until(made.nothing_runs, "nothing of ours runs on the phone")


@pytest.fixture(scope="session")
def wav(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of noise, 16 kHz mono."""
    path = tmp_path_factory.mktemp("noise") / "noise.wav"
    noise = np.random.default_rng(3).standard_normal(16000) * 3000
    write_wav(path, noise.astype(np.int16))
    return path
