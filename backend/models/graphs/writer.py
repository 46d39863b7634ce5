"""Writes one ONNX graph, operator by operator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8

Dim = int | str

# Φ(x) ≈ σ(x · p(x²/16)) with p(t) = (((0.147 t - 0.251) t - 0.064) t + 1.167) t + 1.5957: least maximum of
# |x · (σ - Φ)|, 3.1e-6, among coefficients that are exact in float16 (the last one as a sum of two). The
# division by 16 keeps them, and everything between, within the range of float16 too.
GELU_HIGHER = (0.1468505859375, -0.250732421875, -0.0638427734375, 1.1669921875)
GELU_LOWEST = (1.595703125, -4.696846008300781e-05)


class GraphWriter:
    """Collects operators and constants of one graph; every method returns the name of its result.

    All tensors are float32. Constants are stored as given: a float32 array whose values came from float16 is
    exact in a float16 file.
    """

    def __init__(self, name: str, precise_gelu: bool = False) -> None:
        self._name = name
        self._precise_gelu = precise_gelu
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._count = 0

    def input(self, name: str, shape: Sequence[Dim]) -> str:
        """Declares a graph input; a dimension given as text is dynamic."""
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))
        return name

    def output(self, value: str, name: str, shape: Sequence[Dim]) -> None:
        """Declares `value` as the graph output `name`."""
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"output_{name}"))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))

    def constant(self, array: NDArray[Any] | float) -> str:
        """A constant; a Python float becomes a float32 scalar."""
        name = self._fresh("constant")
        value = np.float32(array) if isinstance(array, float) else array
        self._constants.append(
            numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        )
        return name

    def op(self, kind: str, *inputs: str, **attributes: int | float | list[int]) -> str:
        """One ONNX operator with one result."""
        name = self._fresh(kind)
        node = helper.make_node(kind, list(inputs), [name], name=name)
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(node)
        return name

    def linear(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32] | None) -> str:
        """x [..., in] · weight [out, in]ᵀ + bias [out]; a bias of zeros is left out."""
        y = self.op("MatMul", x, self.constant(weight.T))
        if bias is None or not bias.any():
            return y
        return self.op("Add", y, self.constant(bias))

    def layer_norm(self, x: str, gamma: NDArray[np.float32], beta: NDArray[np.float32]) -> str:
        """Normalisation over the last axis, epsilon 1e-5."""
        return self.op(
            "LayerNormalization", x, self.constant(gamma), self.constant(beta), axis=-1, epsilon=1e-5
        )

    def gelu(self, x: str) -> str:
        """x · Φ(x), the activation that Whisper was trained with.

        Not precise: written with erf, which MNN's converter replaces by the tanh approximation (up to 5e-4
        away). Precise: x · σ(x · p(x²/16)), up to 5e-6 away. MNN computes erf itself element by element; this
        form costs a third of that, because all its operators are vectorised.
        """
        if not self._precise_gelu:
            erf = self.op("Erf", self.op("Div", x, self.constant(float(np.sqrt(2.0)))))
            doubled = self.op("Mul", x, self.op("Add", erf, self.constant(1.0)))
            return self.op("Mul", doubled, self.constant(0.5))
        quarter = self.scaled(x, 0.25)
        square = self.op("Mul", quarter, quarter)
        value = self.scaled(square, GELU_HIGHER[0])
        for coefficient in GELU_HIGHER[1:]:
            value = self.op("Mul", self.op("Add", value, self.constant(coefficient)), square)
        for part in GELU_LOWEST:
            value = self.op("Add", value, self.constant(part))
        return self.op("Mul", x, self.op("Sigmoid", self.op("Mul", value, x)))

    def scaled(self, x: str, factor: float) -> str:
        """x · factor, as an operator of its own: in the weights a power of two would cost float16 digits."""
        return self.op("Mul", x, self.constant(factor))

    def reshape(self, x: str, *shape: int) -> str:
        """ONNX Reshape: -1 is inferred, 0 keeps the dimension."""
        return self.op("Reshape", x, self.constant(np.array(shape, np.int64)))

    def transpose(self, x: str, *order: int) -> str:
        """Axes in the given order."""
        return self.op("Transpose", x, perm=list(order))

    def slice(self, x: str, axis: int, start: int, end: int) -> str:
        """x[start:end] along one axis."""
        bounds = [self.constant(np.array([value], np.int64)) for value in (start, end, axis)]
        return self.op("Slice", x, *bounds)

    def split_heads(self, x: str, heads: int) -> str:
        """[1, n, heads · d] → [1, heads, n, d]."""
        return self.transpose(self.reshape(x, 1, 0, heads, -1), 0, 2, 1, 3)

    def save(self, path: Path) -> None:
        """Checks the graph and writes it."""
        graph = helper.make_graph(self._nodes, self._name, self._inputs, self._outputs, self._constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        onnx.checker.check_model(model)
        onnx.save(model, str(path))

    def _fresh(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"
