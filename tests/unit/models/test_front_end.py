"""The front end inside the encoder graph, against the definition in float64."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.models import log_mel as reference
from tests.unit.models.whisper_runner import padded

from as2d.backend.models.graphs.front_end import add_log_mel, mel_filters
from as2d.backend.models.graphs.writer import GraphWriter
from as2d.backend.models.mnn_module import MnnModule

CONVERT = "import sys, _tools; _tools.mnnconvert(sys.argv[1:])"


@pytest.fixture(scope="module")
def front_ends(tmp_path_factory: pytest.TempPathFactory) -> list[MnnModule]:
    """The front end alone, from a float16 file and from a float32 file."""
    folder = tmp_path_factory.mktemp("front-end")
    graph = GraphWriter("front_end")
    mel = add_log_mel(graph, graph.input("pcm", [1, 1, "S"]), 80)
    graph.output(mel, "mel", [1, 80, "T"])
    graph.save(folder / "mel.onnx")
    modules = []
    for option in (["--fp16"], []):
        path = folder / f"mel{len(option)}.mnn"
        arguments = ["-f", "ONNX", "--modelFile", str(folder / "mel.onnx"), "--MNNModel", str(path)]
        command = [sys.executable, "-c", CONVERT, "mnnconvert", *arguments, *option]
        subprocess.run(command, check=True, capture_output=True)
        modules.append(MnnModule(path, ["pcm"], ["mel"]))
    return modules


def signals() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(1)
    time = np.arange(16000 * 4) / 16000
    chirp = np.sin(2 * np.pi * (40 * time + 950 * time**2))
    return {
        "silence": np.zeros(16000, np.float32),
        "quiet noise": (random.standard_normal(48000) * 1e-4).astype(np.float32),
        "loud noise": np.clip(random.standard_normal(48000), -1, 1).astype(np.float32),
        "chirp to 7.6 kHz": chirp.astype(np.float32),
        "16-bit steps": (np.round(chirp * 3) / 32768).astype(np.float32),
        "one click": np.eye(1, 30000, 12345, dtype=np.float32)[0],
        "constant": np.full(20000, 0.5, np.float32),
    }


@pytest.mark.parametrize("name", list(signals()))
def test_log_mel_is_whispers(front_ends: list[MnnModule], name: str) -> None:
    pcm = signals()[name]
    expected = reference.log_mel(pcm)
    from_half, from_single = (module(padded(pcm))[0][0] for module in front_ends)
    np.testing.assert_allclose(from_half, expected, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(from_half, from_single, "a constant is not exact in float16")


@pytest.mark.parametrize("frames", [2, 4, 100, 1100, 2998])
def test_any_even_number_of_frames(front_ends: list[MnnModule], frames: int) -> None:
    pcm = signals()["chirp to 7.6 kHz"]
    mel = front_ends[0](padded(pcm, frames))[0]
    assert mel.shape == (1, 80, frames)
    np.testing.assert_allclose(mel[0], reference.log_mel(pcm, frames), rtol=0, atol=1e-4)


def test_filters_are_those_of_the_definition() -> None:
    np.testing.assert_allclose(mel_filters(80), reference.mel_filters(), rtol=1e-9, atol=1e-12)


@pytest.mark.shared_data
def test_log_mel_of_speech(
    front_ends: list[MnnModule], shared_data: Path, first_window: Callable[[Path], NDArray[np.float32]]
) -> None:
    pcm = first_window(shared_data / "speech" / "sonnet002.mp3")
    np.testing.assert_allclose(front_ends[0](padded(pcm))[0][0], reference.log_mel(pcm), rtol=0, atol=1e-4)
