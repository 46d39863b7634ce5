"""Reads CTranslate2 model files (binary version 6) as data.

The layout, little-endian: `uint32 version`, `string spec`, `uint32 revision`, `uint32 variables`, then for
each variable `string name`, `uint8 rank`, `uint32 × rank shape`, `uint8 type`, `uint32 bytes`, data; then
`uint32 aliases` and for each alias two strings (alias, variable). A string is `uint16 length` (its final
NUL included) and bytes. Nothing is executed and nothing is trusted: every length is checked against the
file.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINARY_VERSION = 6

_TYPES: dict[int, np.dtype[Any]] = {
    0: np.dtype("<f4"),
    1: np.dtype("i1"),
    2: np.dtype("<i2"),
    3: np.dtype("<i4"),
    4: np.dtype("<f2"),
}


class NotCTranslate2Error(ValueError):
    """The bytes are not a complete CTranslate2 model of the version this reader knows."""


class _Cursor:
    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> memoryview:
        end = self._at + size
        if end > len(self._data):
            raise NotCTranslate2Error(f"ends at byte {len(self._data)}, expected at least {end}")
        part = self._data[self._at : end]
        self._at = end
        return part

    def unsigned(self, code: str) -> int:
        value: int = struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]
        return value

    def string(self) -> str:
        raw = bytes(self.take(self.unsigned("H")))
        if not raw.endswith(b"\0"):
            raise NotCTranslate2Error("a name is not terminated")
        try:
            return raw[:-1].decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotCTranslate2Error("a name is not text") from error

    @property
    def at_end(self) -> bool:
        return self._at == len(self._data)


class CTranslate2File(Mapping[str, NDArray[Any]]):
    """The variables of a model file by name, as read-only arrays mapped from disk.

    Aliases are resolved. `spec` is the model class the file declares (`WhisperSpec`), `revision` its
    revision.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            if path.stat().st_size == 0:
                raise NotCTranslate2Error("is empty")
            # The arrays keep the mapping alive.
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(memoryview(mapping))
        version = cursor.unsigned("I")
        if version != BINARY_VERSION:
            raise NotCTranslate2Error(f"has binary version {version}, expected {BINARY_VERSION}")
        self.spec = cursor.string()
        self.revision = cursor.unsigned("I")
        self._variables: dict[str, NDArray[Any]] = {}
        for _ in range(cursor.unsigned("I")):
            name, array = self._variable(cursor)
            self._variables[name] = array
        for _ in range(cursor.unsigned("I")):
            alias, name = cursor.string(), cursor.string()
            if name not in self._variables:
                raise NotCTranslate2Error(f"alias {alias!r} names {name!r}, which is not there")
            self._variables[alias] = self._variables[name]
        if not cursor.at_end:
            raise NotCTranslate2Error("has bytes after its end")

    @staticmethod
    def _variable(cursor: _Cursor) -> tuple[str, NDArray[Any]]:
        name = cursor.string()
        shape = tuple(cursor.unsigned("I") for _ in range(cursor.unsigned("B")))
        code = cursor.unsigned("B")
        if code not in _TYPES:
            raise NotCTranslate2Error(f"variable {name!r} has the unknown type {code}")
        dtype = _TYPES[code]
        size = cursor.unsigned("I")
        count = int(np.prod(shape, dtype=np.int64))
        if size != count * dtype.itemsize:
            raise NotCTranslate2Error(f"variable {name!r} has {size} bytes for shape {shape}")
        return name, np.frombuffer(cursor.take(size), dtype=dtype).reshape(shape)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def float32(self, name: str) -> NDArray[np.float32]:
        """One variable as float32 (exact: the file holds float16 or float32)."""
        array = self._variables[name]
        if array.dtype.kind != "f":
            raise NotCTranslate2Error(f"variable {name!r} holds {array.dtype}, expected float16 or float32")
        return array.astype(np.float32)

    def scalar(self, name: str) -> int:
        """One whole number stored as a variable of a single element."""
        return int(self._variables[name].reshape(-1)[0])
