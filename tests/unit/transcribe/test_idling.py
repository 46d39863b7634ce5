"""A device stays idle for a while, unless that is cancelled."""

from __future__ import annotations

import pytest

from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.idling import stay_idle


def test_how_much_of_it_is_over_is_told() -> None:
    told: list[tuple[int, int]] = []
    stay_idle(0.05, lambda _, done, total: told.append((done, total)), CancelToken())
    assert told[0] == (0, 1)


def test_a_cancel_ends_it_at_once() -> None:
    cancel = CancelToken()
    steps: list[int] = []

    def cancel_soon(_: str, done: int, total: int) -> None:
        steps.append(total)
        if len(steps) == 1:
            cancel.cancel()

    with pytest.raises(Cancelled):
        stay_idle(3600, cancel_soon, cancel)
    assert len(steps) == 1
