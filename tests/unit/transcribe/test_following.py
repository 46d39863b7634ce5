"""Items that are looked at before their turn come in it all the same, and so does what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from as2d.backend.errors import InputRefused
from as2d.backend.transcribe.decoder import has_cores_to_prepare_ahead
from as2d.backend.transcribe.following import Following
from as2d.backend.transcribe.session import TargetThreads


def test_every_item_comes_once_whether_it_was_looked_at_or_not() -> None:
    items = Following(iter("abc"))
    assert next(items) == "a"
    assert (items.look(), items.look()) == ("b", "b")
    assert list(items) == ["b", "c"]
    assert items.look() is None
    assert list(items) == []


def test_what_goes_wrong_over_an_item_that_was_looked_at_is_told_in_its_turn() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise InputRefused("broken")

    items = Following(broken())
    assert next(items) == "a"
    assert items.look() is None
    with pytest.raises(InputRefused, match="broken"):
        next(items)


@pytest.mark.parametrize(
    ("cores", "threads", "placed", "ahead"),
    [(2, 2, False, False), (8, 4, False, False), (9, 4, False, True), (8, 2, True, False)],
)
def test_windows_are_prepared_ahead_where_decodes_keep_their_cores(
    cores: int, threads: int, placed: bool, ahead: bool
) -> None:
    assert has_cores_to_prepare_ahead(cores, TargetThreads(threads, 1), placed=placed) is ahead
