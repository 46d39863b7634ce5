"""Processors that a user writes down."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.devices.cpu_choice import cpus_text, keep_cpus, parse_cpus
from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices
from as2d.backend.errors import WrongUse


@pytest.mark.parametrize(
    ("text", "found"), [("4-7", (4, 5, 6, 7)), (" 7 , 4-5,4", (4, 5, 7)), ("0", (0,)), ("2 - 3", (2, 3))]
)
def test_numbers_and_ranges_are_read(text: str, found: tuple[int, ...]) -> None:
    assert parse_cpus(text, range(8)) == found


@pytest.mark.parametrize("text", ["", "a", "4-", "-4", "8", "7-4", "0-8", "1,,2", "²"])
def test_what_names_no_processors_of_the_phone_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="names"):
        parse_cpus(text, range(8))


def test_a_choice_is_kept_beside_everything_else_and_forgotten(tmp_path: Path) -> None:
    remembered = RememberedDevices(tmp_path / "devices.json")
    remembered.set_nickname("s1", "Desk")
    keep_cpus("s1", CpuPlacement(target=(7,)), remembered)
    assert remembered.phone("s1").cpus == CpuPlacement(target=(7,))
    keep_cpus("s1", CpuPlacement(), remembered)
    assert remembered.phone("s1").cpus is None
    assert remembered.phone("s1").nickname == "Desk"
    assert cpus_text((4, 5)) == "4, 5"
