"""The activation, run by MNN."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from as2d.backend.models.graphs.writer import GraphWriter
from as2d.backend.models.mnn_module import MnnModule

CONVERT = "import sys, _tools; _tools.mnnconvert(sys.argv[1:])"
X = np.concatenate([np.linspace(-60, 60, 4001), np.linspace(-5, 5, 20001), [0.0, 1e-20, -1e-20]])


def converted(folder: Path, precise: bool, options: list[str]) -> MnnModule:
    graph = GraphWriter("gelu", precise)
    graph.output(graph.gelu(graph.input("x", [1, "N"])), "y", [1, "N"])
    graph.save(folder / "gelu.onnx")
    files = ["-f", "ONNX", "--modelFile", str(folder / "gelu.onnx"), "--MNNModel", str(folder / "gelu.mnn")]
    command = [sys.executable, "-c", CONVERT, "mnnconvert", *files, *options]
    subprocess.run(command, check=True, capture_output=True)
    return MnnModule(folder / "gelu.mnn", ["x"], ["y"])


@pytest.mark.parametrize(("precise", "tolerance"), [(True, 5e-6), (False, 6e-4)])
def test_gelu_is_as_close_as_it_says(tmp_path: Path, precise: bool, tolerance: float) -> None:
    expected = np.array([x * math.erfc(-x / math.sqrt(2)) / 2 for x in X])
    half = converted(tmp_path, precise, ["--fp16", "--useGeluApproximation", "1"])
    (actual,) = half(X.astype(np.float32)[None])
    error = np.abs(actual[0] - expected) / np.maximum(1, np.abs(expected))
    assert error.max() < tolerance
    single = converted(tmp_path, precise, ["--useGeluApproximation", "1"])
    np.testing.assert_array_equal(single(X.astype(np.float32)[None])[0], actual)
