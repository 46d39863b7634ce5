"""Compares a converted graph with the ONNX graph it came from, on a small input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from as2d.backend.models.mnn_module import CannotLoad, MnnModule

# Sizes of the dynamic dimensions in the check: 20 mel frames, 3 text positions after 2, 10 audio frames.
_SIZES = {"S": 20 * 160 + 240, "F": 10, "K": 3, "P": 2, "PK": 5, "N": 3}
# Relative distance of whole outputs. The converter's own GELU approximation is about 1e-3, 8-bit weights
# 1e-2.
_TOLERANCE = {"float32": 0.01, "float16": 0.01, "int8": 0.1}


class GraphDiffers(Exception):
    """The converted file does not compute what the graph says (or cannot be loaded)."""


def check_converted(onnx_path: Path, mnn_path: Path, storage: str) -> None:
    """Runs both with the same input, ONNX in numpy.

    A file cut short by a full disk, and a converter that misread an operator, are found here.

    Raises:
        GraphDiffers: the results are apart.
    """
    model = onnx.load(str(onnx_path))
    random = np.random.default_rng(0)
    inputs: dict[str, NDArray[np.float32]] = {}
    for value in model.graph.input:
        shape = [dim.dim_value or _SIZES[dim.dim_param] for dim in value.type.tensor_type.shape.dim]
        scale = 0.0 if value.name == "mask" else 0.2
        inputs[value.name] = (random.standard_normal(shape) * scale).astype(np.float32)
    outputs = [value.name for value in model.graph.output]
    expected = ReferenceEvaluator(model).run(outputs, inputs)
    try:
        actual = MnnModule(mnn_path, list(inputs), outputs)(*inputs.values())
    except CannotLoad as error:
        raise GraphDiffers("the converted file is not complete") from error
    for name, ours, theirs in zip(outputs, actual, expected, strict=True):
        distance = float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))
        if ours.shape != theirs.shape or not distance <= _TOLERANCE[storage]:
            raise GraphDiffers(f"output {name} is {distance:.2g} away from the graph it was converted from")
