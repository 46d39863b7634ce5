"""All target calls of a run in columns: about a hundred bytes each, candidates and margins included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from as2d.app.viewmodels.columns import Column, RaggedColumn
from as2d.app.viewmodels.kinds import CallKind
from as2d.backend.protocol.decode_events import Call

REASONS = ("candidates", "none-published", "no-match", "producer-none", "budget-zero", "at-limit", "guard")
NO_ROW = -1


def outcome(call: Call) -> CallKind:
    """How a call went."""
    if call.kind == "guard":
        return CallKind.GUARD
    if not call.candidates:
        return CallKind.TARGET_ONLY
    if call.accepted == len(call.candidates):
        return CallKind.ALL
    return CallKind.SOME if call.accepted else CallKind.NONE


class CallTable:
    """One row a call, in the order of the bars of the target's lane.

    `proposed` are the candidates that count for acceptance: those behind an accepted end of text do not.
    `commit` is the row of the commit that followed, or -1.
    """

    def __init__(self) -> None:
        self._request = Column("u4")
        self._index = Column("u4")
        self._k = Column("u1")
        self._accepted = Column("u1")
        self._proposed = Column("u1")
        self._reason = Column("u1")
        self._threads = Column("u1")
        self._published = Column("u2")
        self._cursor = Column("i2")
        self._root = Column("i4")
        self._commit = Column("i4")
        self._tokens = RaggedColumn("i4")
        self._margins = RaggedColumn("f4")

    def __len__(self) -> int:
        return len(self._request)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        whole = sum(column.nbytes for column in self._columns())
        return whole + self._tokens.nbytes + self._margins.nbytes

    @property
    def requests(self) -> NDArray[np.uint32]:
        """Number of the request of every call."""
        return self._request.values

    @property
    def indexes(self) -> NDArray[np.uint32]:
        """Index of every call in its request."""
        return self._index.values

    @property
    def k(self) -> NDArray[np.uint8]:
        """Width K of every call."""
        return self._k.values

    @property
    def accepted(self) -> NDArray[np.uint8]:
        """Accepted candidates of every call."""
        return self._accepted.values

    @property
    def proposed(self) -> NDArray[np.uint8]:
        """Candidates of every call that count for acceptance."""
        return self._proposed.values

    def append(self, call: Call, request: int) -> None:
        """Add a call of the request with that number."""
        guard = call.kind == "guard"
        self._request.append(request)
        self._index.append(call.index)
        self._k.append(min(call.k, 255))
        self._accepted.append(0 if guard else min(call.accepted, 255))
        self._proposed.append(0 if guard else min(len(call.candidates), 255))
        self._reason.append(REASONS.index(call.reason))
        self._threads.append(min(call.threads, 255))
        self._published.append(min(call.published, 65535))
        self._cursor.append(NO_ROW if call.cursor is None else min(call.cursor, 32767))
        self._root.append(call.root)
        self._commit.append(NO_ROW)
        self._tokens.append((*call.candidates, *call.choices))
        self._margins.append(call.margins)

    def set_commit(self, row: int, commit: int) -> None:
        """Say which commit followed a call."""
        self._commit.values[row] = commit

    def correct_proposed(self, row: int, proposed: int) -> None:
        """Set what counts as proposed, known when the result is there."""
        self._proposed.values[row] = proposed

    def row_of(self, request: int, index: int) -> int | None:
        """The row of a request's call."""
        first = int(np.searchsorted(self.requests, request, "left"))
        last = int(np.searchsorted(self.requests, request, "right"))
        found = np.flatnonzero(self.indexes[first:last] == index)
        return first + int(found[0]) if len(found) else None

    def commit_of(self, row: int) -> int:
        """The row of the commit that followed, or -1."""
        return int(self._commit.values[row])

    def cursor_of(self, row: int) -> int | None:
        """The aligned position in the draft stream; None: none was found."""
        cursor = int(self._cursor.values[row])
        return None if cursor == NO_ROW else cursor

    def details(self, row: int) -> tuple[int, tuple[int, ...], tuple[int, ...], tuple[float, ...]]:
        """Root, candidates, choices and margins of a call."""
        tokens = [int(token) for token in self._tokens.row(row)]
        margins = tuple(float(margin) for margin in self._margins.row(row))
        candidates = len(tokens) - len(margins)
        return int(self._root.values[row]), tuple(tokens[:candidates]), tuple(tokens[candidates:]), margins

    def numbers(self, row: int) -> dict[str, int]:
        """The plain numbers of a call."""
        return {
            "k": int(self._k.values[row]),
            "accepted": int(self._accepted.values[row]),
            "threads": int(self._threads.values[row]),
            "published": int(self._published.values[row]),
        }

    def reason_of(self, row: int) -> str:
        """Why the call had candidates or had none."""
        return REASONS[int(self._reason.values[row])]

    def forget(self, rows: int) -> None:
        """Forget the oldest calls."""
        for column in self._columns():
            column.drop_first(rows)
        self._tokens.drop_first(rows)
        self._margins.drop_first(rows)

    def _columns(self) -> tuple[Column, ...]:
        return (
            self._request,
            self._index,
            self._k,
            self._accepted,
            self._proposed,
            self._reason,
            self._threads,
            self._published,
            self._cursor,
            self._root,
            self._commit,
        )
