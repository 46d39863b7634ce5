"""Runs a converted graph with the MNN package: the independent reference of the helper's engine."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import MNN.expr
import MNN.nn
import numpy as np
from numpy.typing import NDArray

# The package takes these settings as integers only; text would be ignored.
_MEMORY = {"normal": 0, "high": 1, "low": 2}


class CannotLoad(Exception):
    """The file is not a complete MNN graph with these inputs and outputs."""


class MnnModule:
    """A graph with named inputs and outputs, on the CPU in float32 (or int8 with `memory="low"`).

    Raises CannotLoad when it is made from a file that is no such graph.
    """

    def __init__(
        self,
        path: Path,
        inputs: list[str],
        outputs: list[str],
        threads: int = 1,
        memory: Literal["normal", "low"] = "normal",
    ) -> None:
        config = {
            "backend": "CPU",
            "numThread": threads,
            "precision": 0,
            "memory": _MEMORY[memory],
            "power": 0,
        }
        self._runtime = MNN.nn.create_runtime_manager((config,))
        try:
            self._module = MNN.nn.load_module_from_file(
                str(path), inputs, outputs, runtime_manager=self._runtime, shape_mutable=True, rearrange=True
            )
        except SystemError as error:
            # The extension signals an unusable file in this way.
            raise CannotLoad(f"MNN cannot load {path}") from error

    def __call__(self, *inputs: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Runs the graph; arrays in the order of the input names, results in that of the output names."""
        return [
            np.array(value.read(), dtype=np.float32)
            for value in self._module.forward(list(map(_variable, inputs)))
        ]


def _variable(array: NDArray[np.float32]) -> object:
    data = np.ascontiguousarray(array, dtype=np.float32)
    return MNN.expr.const(data, list(data.shape), MNN.expr.NCHW, MNN.expr.float)
