"""Items of which the following one may be looked at while one is worked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Following(Generic[T]):
    """Goes through items in their order; what goes wrong over one that was looked at comes in its turn."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._seen: list[T] = []
        self._problem: Exception | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        if self._seen:
            return self._seen.pop()
        if self._problem is not None:
            raise self._problem
        return next(self._items)

    def look(self) -> T | None:
        """The item that comes next; null: there is none, or it cannot be had."""
        if not self._seen and self._problem is None:
            try:
                self._seen.append(next(self._items))
            except StopIteration as end:
                self._problem = end
            except Exception as error:  # noqa: BLE001  (whoever comes to that item is told)
                self._problem = error
        return self._seen[0] if self._seen else None
