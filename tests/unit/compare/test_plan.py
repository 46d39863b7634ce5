"""A plan says what is run; its cells are interleaved; a journal goes on after any end."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from as2d.backend.compare.cells import cells_of_device, count_cells
from as2d.backend.compare.journal import JOURNAL_NAME, CellDone, Journal
from as2d.backend.compare.plan import ComparePlan, Gate, plan_text, read_plan, write_plan
from as2d.backend.errors import InputRefused


def make_plan(**changes: object) -> ComparePlan:
    values = {"methods": ("sd:5", "as2d"), "recordings": ("talk.mp3",), "repeats": 4, **changes}
    return ComparePlan.model_validate(values)


_names = st.lists(
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1), min_size=1, unique=True
)


@given(_names, _names, st.integers(1, 50), st.booleans())
def test_a_plan_is_read_as_it_was_written(
    recordings: list[str], devices: list[str], repeats: int, a_a: bool
) -> None:
    import tomllib

    plan = make_plan(
        recordings=recordings,
        devices=devices,
        repeats=repeats,
        a_a=a_a,
        gate=Gate(coolest_c=35.5, battery_percent=30),
    )
    assert ComparePlan.model_validate(tomllib.loads(plan_text(plan))) == plan


def test_a_plan_is_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('methods = ["as2d", "sd"]\nrecordings = ["a.wav"]\n[gate]\ncoolest_c = 36\n')
    plan = read_plan(path)
    assert (plan.repeats, plan.gate.coolest_c) == (3, 36.0)
    again = tmp_path / "again.toml"
    write_plan(again, plan)
    assert read_plan(again) == plan


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('methods = ["as3d"]\nrecordings = ["a"]', "as3d"),
        ('methods = ["as2d"]', "recordings"),
        ('methods = ["as2d"]\nrecordings = ["a", "a"]', "each once"),
        ('methods = ["as2d"]\nrecordings = ["a"]\nrepeats = 0', "repeats"),
        ('methods = ["as2d"]\nrecordings = ["a"]\nbudget = 4', "budget"),
        ("methods = [", "no TOML file"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputRefused, match=reason):
        read_plan(path)


def test_target_only_is_always_measured_and_twice_for_the_noise() -> None:
    arms = make_plan().arms()
    assert [(arm.method, arm.again) for arm in arms if not arm.drafts] == [
        ("target-only", False),
        ("target-only", True),
    ]
    assert len([arm for arm in make_plan(a_a=False).arms() if not arm.drafts]) == 1


def test_cells_are_interleaved_and_every_arm_comes_early_and_late() -> None:
    plan = make_plan(devices=("p1", "p2"), repeats=6, start_conditions=("pre-drafted",))
    arms = plan.arms()
    cells = list(cells_of_device(plan, "p1", windows=8))
    assert len(cells) == len({cell.key for cell in cells}) == len(arms) * 6 * 8
    assert count_cells(plan, 8) == 2 * len(cells)
    for window, group in itertools.groupby(cells, lambda cell: cell.window):
        repeats = [list(part) for _, part in itertools.groupby(group, lambda cell: cell.repeat)]
        assert len(repeats) == 6
        for part in repeats:
            assert sorted(cell.arm.label for cell in part) == sorted(arm.label for arm in arms)
        assert len({part[0].arm.label for part in repeats}) > 1, window
    firsts = Counter(cell.arm.label for number, cell in enumerate(cells) if number % len(arms) == 0)
    assert set(firsts) == {arm.label for arm in arms}


def test_another_drafter_does_not_repeat_what_drafts_nothing() -> None:
    plan = make_plan(drafters=("one", "two"), repeats=1)
    cells = list(cells_of_device(plan, plan.devices[0], windows=1))
    assert {cell.drafter for cell in cells if not cell.arm.drafts} == {"one"}
    assert {cell.drafter for cell in cells if cell.arm.drafts} == {"one", "two"}


# Notes cells as fast as it can, and says which are noted.
WORK = """
import sys
from pathlib import Path
from as2d.backend.compare.journal import CellDone, Journal
from as2d.backend.compare.plan import ComparePlan
plan = ComparePlan(methods=("sd:5", "as2d"), recordings=("talk.mp3",), repeats=4)
with Journal(Path(sys.argv[1]), plan) as journal:
    for number in range(len(journal.done), 100_000):
        journal.note(CellDone(cell=f"cell {number}", run="r", request="q" * (number % 3000)))
        print(number, flush=True)
"""


def test_a_killed_comparison_goes_on_with_the_next_cell(tmp_path: Path) -> None:
    moments = random.Random(3)
    plan = make_plan()
    before = 0
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", WORK, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            first = program.stdout.readline()
            time.sleep(moments.uniform(0.0, 0.05))
            program.send_signal(signal.SIGKILL)
            said = [line for line in [first, *program.stdout] if line.endswith("\n")]
        assert int(said[0]) == before
        with Journal(tmp_path, plan) as journal:
            assert list(journal.done) == [f"cell {number}" for number in range(len(journal.done))]
            assert len(journal.done) >= int(said[-1]) + 1
            before = len(journal.done)


def test_a_journal_is_of_one_plan_and_one_program(tmp_path: Path) -> None:
    with Journal(tmp_path, make_plan()) as journal:
        journal.note(CellDone(cell="x", run="r", request="q"))
        with pytest.raises(InputRefused, match="Another program"):
            Journal(tmp_path, make_plan())
    with pytest.raises(InputRefused, match="by another plan"):
        Journal(tmp_path, make_plan(repeats=9))
    with (tmp_path / JOURNAL_NAME).open("ab") as file:
        file.write(b'{"kind": "cell", "cell": "half')
    with Journal(tmp_path, make_plan(name="renamed")) as journal:
        assert list(journal.done) == ["x"]
        journal.note(CellDone(cell="y", run="r", request="q"))
    with Journal(tmp_path, make_plan()) as journal:
        assert list(journal.done) == ["x", "y"]
    (tmp_path / JOURNAL_NAME).write_text("{}\n")
    with pytest.raises(InputRefused, match="no journal"):
        Journal(tmp_path, make_plan())
