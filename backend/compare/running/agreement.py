"""Whether the decodes of a window all gave target-only's tokens, window by window."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.cells import cells_a_window
from as2d.backend.transcribe.methods import TARGET_ONLY


def digest_of(tokens: Sequence[int]) -> str:
    """A short digest that tells the tokens of decodes apart."""
    return hashlib.blake2b(np.asarray(tokens, "<i4").tobytes(), digest_size=8).hexdigest()


class Agreement:
    """Takes the decodes of windows in any order. `checked` counts those that were held against target-only's
    first one, which is not held against itself; `differing` are the cells whose tokens are others.
    """

    def __init__(self, plan: ComparePlan) -> None:
        self._cells = cells_a_window(plan)
        self._open: dict[str, dict[str, str | None]] = {}
        self.checked = 0
        self.differing: list[str] = []

    def take(self, window: str, cell: str, tokens: str | None) -> None:
        """Take a decode; `tokens` is their digest, null: there is none."""
        found = self._open.setdefault(window, {})
        found[cell] = tokens
        if len(found) == self._cells:
            self._judge(self._open.pop(window))

    def _judge(self, cells: dict[str, str | None]) -> None:
        reference = next(
            (cell for cell, tokens in cells.items() if tokens is not None and _is_reference(cell)), None
        )
        if reference is None:
            return
        for cell, tokens in cells.items():
            if tokens is not None and cell != reference:
                self.checked += 1
                if tokens != cells[reference]:
                    self.differing.append(cell)


def _is_reference(cell: str) -> bool:
    label = cell.rpartition(" | ")[2]
    return label.startswith(TARGET_ONLY) and not label.startswith(f"{TARGET_ONLY} again")
