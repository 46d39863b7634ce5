"""A phone's facts as a table."""

from __future__ import annotations

from tests.unit.devices.facts_texts import DENIED, XIAOMI_14

from as2d.backend.cli.phone_facts import facts_rows
from as2d.backend.devices.facts import parse_facts


def test_the_facts_of_the_papers_table_6_are_shown() -> None:
    shown = dict(facts_rows(parse_facts(XIAOMI_14)))
    assert shown["chip"] == "Snapdragon 8 Gen 3 (SM8650)"
    assert shown["process"] == "4 nm (table 6 of the AS²D paper)"
    assert shown["processors"].endswith("2 × Cortex-A720 at 2.96 GHz, 1 × Cortex-X4 at 3.30 GHz")
    assert shown["fastest clock"] == "3.30 GHz"
    assert shown["memory"] == "16.1 GB"
    assert shown["Android"] == "14 (API 34)"


def test_what_a_phone_denies_is_not_told() -> None:
    shown = dict(facts_rows(parse_facts(DENIED)))
    assert shown["model"] == "SM-A526B"
    assert {shown[name] for name in ("process", "fastest clock", "memory", "kernel", "GPU")} == {"not told"}
