"""Writes networks of a few kinds of layers as ONNX, which is a message of protocol buffers.

PyTorch's own exporter needs two packages more and ten seconds; these layers need a page.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["OnnxGraph"]

IR_VERSION = 8
OPSET = 17
FLOAT, WHOLE = 1, 7
"""Types of numbers: of 32 bits, and whole ones of 64."""


def _varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _field(number: int, value: int | float | str | bytes) -> bytes:
    """A field of a message: a whole number, a number of 32 bits, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    """AttributeProto."""
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, 1)
    return _field(1, name) + b"".join(_field(8, each) for each in value) + _field(20, 7)


def _value_info(name: str, shape: Sequence[int | str]) -> bytes:
    """ValueInfoProto; a dimension without a number has a name."""
    dimensions = b"".join(_field(1, _field(2 if isinstance(each, str) else 1, each)) for each in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, FLOAT) + _field(2, dimensions)))


class OnnxGraph:
    """A graph that grows node by node. What a node puts out is known by its name.

    >>> graph = OnnxGraph([("x", ["n", 2])], [("y", ["n", 3])])
    >>> _ = graph.add("Gemm", ["x", graph.weights(np.zeros((3, 2)))], "y", transB=1)
    >>> len(graph.model())
    145
    """

    def __init__(self, inputs: Sequence[tuple[str, Sequence[int | str]]], outputs: Sequence[tuple[str, Sequence[int | str]]]) -> None:
        self._ends = [_field(11, _value_info(*each)) for each in inputs] + [_field(12, _value_info(*each)) for each in outputs]
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []

    def weights(self, numbers: NDArray[np.generic]) -> str:
        """Adds constant numbers."""
        name = f"w{len(self._weights)}"
        is_whole = np.issubdtype(numbers.dtype, np.integer)
        data = np.ascontiguousarray(numbers, "<i8" if is_whole else "<f4")
        dimensions = b"".join(_field(1, each) for each in data.shape)
        self._weights.append(_field(5, dimensions + _field(2, WHOLE if is_whole else FLOAT) + _field(8, name) + _field(9, data.tobytes())))
        return name

    def add(self, operator: str, inputs: Sequence[str], output: str | None = None, **attributes: int | float | Sequence[int]) -> str:
        """Adds a node, and returns what its output is called."""
        output = output or f"x{len(self._nodes)}"
        parts = [_field(1, each) for each in inputs] + [_field(2, output), _field(4, operator)]
        parts += [_field(5, _attribute(*each)) for each in attributes.items()]
        self._nodes.append(_field(1, b"".join(parts)))
        return output

    def model(self) -> bytes:
        """The file: ModelProto."""
        graph = b"".join([*self._nodes, _field(2, "sakiyomi"), *self._weights, *self._ends])
        return _field(1, IR_VERSION) + _field(2, "sakiyomi") + _field(7, graph) + _field(8, _field(1, "") + _field(2, OPSET))
