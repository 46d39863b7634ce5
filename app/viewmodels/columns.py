"""Growing columns of numbers and texts: many rows in little memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_FIRST_ROWS = 256


class Column:
    """Numbers of one type, appended one at a time; `values` is a view of those that are there."""

    __slots__ = ("_data", "_size")

    def __init__(self, dtype: str) -> None:
        self._data: NDArray[Any] = np.empty(_FIRST_ROWS, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[Any]:
        """The rows, not copied; valid until the next append."""
        return self._data[: self._size]

    @property
    def nbytes(self) -> int:
        """Memory held, the rows to come included."""
        return int(self._data.nbytes)

    def append(self, value: float) -> None:
        """Add one row."""
        if self._size == len(self._data):
            self._grow(self._size + 1)
        self._data[self._size] = value
        self._size += 1

    def extend(self, values: tuple[float, ...] | tuple[int, ...] | NDArray[Any]) -> None:
        """Add several rows."""
        end = self._size + len(values)
        if end > len(self._data):
            self._grow(end)
        self._data[self._size : end] = values
        self._size = end

    def drop_first(self, rows: int) -> None:
        """Forget the oldest rows and give their memory back."""
        kept = self._data[rows : self._size].copy()
        self._size = len(kept)
        self._data = kept if self._size else np.empty(_FIRST_ROWS, self._data.dtype)

    def _grow(self, needed: int) -> None:
        data = np.empty(max(needed, self._size + self._size // 2 + _FIRST_ROWS), self._data.dtype)
        data[: self._size] = self.values
        self._data = data


class RaggedColumn:
    """A list of numbers in each row."""

    __slots__ = ("_flat", "_starts")

    def __init__(self, dtype: str) -> None:
        self._flat = Column(dtype)
        self._starts = Column("u4")

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._flat.nbytes + self._starts.nbytes

    def append(self, values: tuple[float, ...] | tuple[int, ...]) -> None:
        """Add one row."""
        self._starts.append(len(self._flat))
        self._flat.extend(values)

    def row(self, index: int) -> NDArray[Any]:
        """The numbers of a row."""
        starts = self._starts.values
        end = int(starts[index + 1]) if index + 1 < len(starts) else len(self._flat)
        return self._flat.values[int(starts[index]) : end]

    def drop_first(self, rows: int) -> None:
        """Forget the oldest rows."""
        first = int(self._starts.values[rows]) if rows < len(self) else len(self._flat)
        self._starts.drop_first(rows)
        self._starts.values[:] -= np.uint32(first)
        self._flat.drop_first(first)


class TextColumn:
    """A text in each row."""

    __slots__ = ("_bytes", "_starts")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._starts = Column("u4")

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return len(self._bytes) + self._starts.nbytes

    def append(self, text: str) -> None:
        """Add one row."""
        self._starts.append(len(self._bytes))
        self._bytes += text.encode("utf-8", "surrogatepass")

    def row(self, index: int) -> str:
        """The text of a row."""
        return self.joined(index, index + 1)

    def joined(self, first: int, last: int) -> str:
        """The texts of rows `first` to `last` (exclusive), one behind the other."""
        starts = self._starts.values
        if first >= last or first >= len(starts):
            return ""
        end = int(starts[last]) if last < len(starts) else len(self._bytes)
        return self._bytes[int(starts[first]) : end].decode("utf-8", "surrogatepass")

    def drop_first(self, rows: int) -> None:
        """Forget the oldest rows."""
        first = int(self._starts.values[rows]) if rows < len(self) else len(self._bytes)
        self._starts.drop_first(rows)
        self._starts.values[:] -= np.uint32(first)
        del self._bytes[:first]
