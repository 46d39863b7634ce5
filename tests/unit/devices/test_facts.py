"""Facts of phones and the placement of target and drafter on their processors."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.devices.facts_texts import DENIED, REDMI_NOTE_9_PRO, XIAOMI_14

from as2d.backend.devices.facts import FACTS_SCRIPT, parse_facts
from as2d.backend.devices.placement import Cluster, placement


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_a_phone_of_the_papers_table_6(end: str) -> None:
    facts = parse_facts(XIAOMI_14.replace("\n", end))
    assert (facts.maker, facts.model, facts.name) == ("Xiaomi", "23127PN0CC", "Xiaomi 14")
    assert (facts.soc, facts.soc_number, facts.process_nm) == ("Snapdragon 8 Gen 3", "SM8650", 4)
    assert facts.process_source == "table 6 of the AS²D paper"
    assert (facts.cores, facts.peak_khz) == (8, 3_302_400)
    assert [(cluster.cpus, cluster.core) for cluster in facts.clusters] == [
        ((0, 1), "Cortex-A520"),
        ((2, 3, 4), "Cortex-A720"),
        ((5, 6), "Cortex-A720"),
        ((7,), "Cortex-X4"),
    ]
    assert facts.memory_bytes == 15_704_412 * 1024
    assert (facts.android, facts.api) == ("14", 34)
    assert facts.kernel == "6.1.25-android14-11-g34fde9ec08a3-ab10991743"
    assert facts.gpu == "Adreno (TM) 750"
    assert facts.gpu_driver is not None
    assert facts.gpu_driver.startswith("OpenGL ES 3.2 V@0762.10 ")


def test_an_older_phone_whose_fast_core_sleeps() -> None:
    facts = parse_facts(REDMI_NOTE_9_PRO)
    assert (facts.soc, facts.process_nm) == ("Snapdragon 750G", 8)
    assert facts.cores == 8
    assert facts.clusters[1].cpus == (6, 7)
    assert facts.clusters[1].core == "Kryo 4xx Gold"
    assert (facts.gpu, facts.gpu_driver) == ("Adreno619v1", None)
    assert facts.abis[0] == "arm64-v8a"


def test_a_phone_that_denies_everything_has_nulls() -> None:
    facts = parse_facts(DENIED)
    assert facts.model == "SM-A526B"
    assert (facts.soc, facts.process_nm, facts.process_source) == ("lagoon", None, None)
    assert (facts.memory_bytes, facts.peak_khz, facts.gpu, facts.kernel) == (None, None, None, None)
    assert facts.cores == 2
    assert parse_facts("").cores is None


def test_the_script_runs_in_a_plain_shell() -> None:
    printed = subprocess.run(["sh"], input=FACTS_SCRIPT, capture_output=True, text=True, check=True).stdout
    facts = parse_facts(printed)
    assert printed.endswith("@@ end\n")
    assert facts.memory_bytes is not None
    assert facts.memory_bytes > 100_000_000
    assert facts.cores is not None
    assert facts.cores >= len(os.sched_getaffinity(0))


def test_the_target_gets_the_big_cores_and_the_drafter_the_next() -> None:
    chosen = placement(parse_facts(XIAOMI_14).clusters)
    assert chosen is not None
    assert chosen.target_cpus == (2, 3, 4, 7)
    assert chosen.drafter_cpus == (5, 6)
    assert chosen.threads == 4


def test_two_big_cores_leave_the_small_ones_to_the_drafter() -> None:
    chosen = placement(parse_facts(REDMI_NOTE_9_PRO).clusters)
    assert chosen is not None
    assert (chosen.target_cpus, chosen.threads) == ((6, 7), 2)
    assert chosen.drafter_cpus == (0, 1, 2, 3, 4, 5)


def test_what_the_user_gives_is_kept() -> None:
    clusters = parse_facts(XIAOMI_14).clusters
    chosen = placement(clusters, target_cpus=[7], threads=1)
    assert chosen is not None
    assert (chosen.target_cpus, chosen.drafter_cpus, chosen.threads) == ((7,), (2, 3, 4), 1)
    assert chosen.reason.endswith("; given: target, threads")
    chosen = placement(clusters, drafter_cpus=[7])
    assert chosen is not None
    assert chosen.drafter_cpus == (7,)
    assert chosen.target_cpus == (2, 3, 4, 6)


def test_alike_processors_are_shared_out_and_one_is_shared() -> None:
    alike = placement([Cluster(cpus=(0, 1, 2, 3), max_khz=None)])
    assert alike is not None
    assert (alike.target_cpus, alike.drafter_cpus) == ((2, 3), (0, 1))
    assert "not told" in alike.reason
    one = placement([Cluster(cpus=(0,), max_khz=1000)])
    assert one is not None
    assert one.target_cpus == one.drafter_cpus == (0,)
    assert placement([]) is None


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 6), st.one_of(st.none(), st.integers(1, 4).map(lambda ghz: ghz * 1_000_000))
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_phone_is_placed_without_overlap(kinds: list[tuple[int, int | None]]) -> None:
    clusters, first = [], 0
    for count, clock in kinds:
        clusters.append(Cluster(cpus=tuple(range(first, first + count)), max_khz=clock))
        first += count
    chosen = placement(clusters)
    assert chosen is not None
    every = set(range(first))
    assert set(chosen.target_cpus) <= every
    assert set(chosen.drafter_cpus) <= every
    assert 1 <= chosen.threads == len(chosen.target_cpus) <= 4
    if first > 1:
        assert not set(chosen.target_cpus) & set(chosen.drafter_cpus)
