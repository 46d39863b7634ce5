"""A plan says what is run; its cells are interleaved; a journal goes on after any end."""

from __future__ import annotations

import itertools
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter, deque
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.descriptors import spoil_descriptor
from tests.small_disks import SmallDisk

from as2d.backend.compare.plan import ComparePlan, Gate, plan_text, read_plan, write_plan
from as2d.backend.compare.running.agreement import Agreement, digest_of
from as2d.backend.compare.running.cells import (
    cells_a_window,
    cells_of_window,
    count_cells,
    recording_key,
    recording_of,
    window_of,
)
from as2d.backend.compare.running.gate import PhoneGate
from as2d.backend.compare.running.journal import (
    JOURNAL_NAME,
    CellDone,
    Journal,
    RecordingRead,
    RunBegun,
    ThreadsChosen,
)
from as2d.backend.compare.running.planned import noted_recordings, planned_recordings, read_recordings
from as2d.backend.errors import HelperFailed, InputRefused, OutOfSpace
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.telemetry import Battery, Telemetry, ZoneTemperature
from as2d.backend.transcribe.cancel import CancelToken


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
        gate=Gate(hottest_c=35.5, battery_percent=30),
    )
    assert ComparePlan.model_validate(tomllib.loads(plan_text(plan))) == plan


def test_a_plan_is_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('methods = ["as2d", "sd"]\nrecordings = ["a.mp3"]\n[gate]\nhottest_c = 36\n')
    plan = read_plan(path)
    assert (plan.repeats, plan.gate.hottest_c) == (3, 36.0)
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
    firsts: Counter[str] = Counter()
    keys: set[str] = set()
    for window in range(8):
        cells = cells_of_window(plan, arms, "p1", "whisper-base", "talk.mp3", window)
        repeats = [list(part) for _, part in itertools.groupby(cells, lambda cell: cell.repeat)]
        assert len(repeats) == 6
        for part in repeats:
            assert sorted(cell.arm.label for cell in part) == sorted(arm.label for arm in arms)
        assert len({part[0].arm.label for part in repeats}) > 1, window
        firsts.update(part[0].arm.label for part in repeats)
        keys |= {cell.key for cell in cells}
        assert {window_of(cell.key) for cell in cells} == {window_of(cells[0].key)}
        assert {recording_of(cell.key) for cell in cells} == {recording_key("p1", "whisper-base", "talk.mp3")}
    assert len(keys) == len(arms) * 6 * 8
    assert count_cells(plan, 8) == 2 * len(keys)
    assert set(firsts) == {arm.label for arm in arms}


def test_recordings_of_one_window_are_not_all_begun_by_the_same_arm() -> None:
    plan = make_plan(repeats=1)
    arms = plan.arms()
    begun = {
        cells_of_window(plan, arms, "p1", "t", f"clip-{number}.wav", 0)[0].arm.label for number in range(40)
    }
    assert begun == {arm.label for arm in arms}


def test_another_drafter_does_not_repeat_what_drafts_nothing_and_takes_turns() -> None:
    plan = make_plan(drafters=("one", "two"), repeats=1)
    cells = cells_of_window(plan, plan.arms(), "p1", "t", "talk.mp3", 0)
    assert {cell.drafter for cell in cells if not cell.arm.drafts} == {"one"}
    assert {cell.drafter for cell in cells if cell.arm.drafts} == {"one", "two"}
    assert len(list(itertools.groupby(cells, lambda cell: cell.drafter))) > 2
    assert len(cells) == cells_a_window(plan)


# Notes cells as fast as it can, and says which are noted.
WORK = """
import sys
from pathlib import Path
from as2d.backend.compare.running.journal import CellDone, Journal
from as2d.backend.compare.plan import ComparePlan
plan = ComparePlan(methods=("sd:5", "as2d"), recordings=("talk.mp3",), repeats=4)
with Journal(Path(sys.argv[1]), plan) as journal:
    for number in range(journal.done, 100_000):
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
            begun = [program.stdout.readline() for _ in range(moments.randrange(1, 200))]
            program.send_signal(signal.SIGKILL)
            said = [line for line in [*begun, *program.stdout] if line.endswith("\n")]
        assert int(said[0]) == before
        with Journal(tmp_path, plan) as journal:
            before = journal.done
            assert before >= int(said[-1]) + 1
            assert all(journal.is_done(f"cell {number}") for number in range(before))


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
        assert (journal.done, journal.is_done("x"), journal.is_done("y")) == (1, True, False)
        journal.note(CellDone(cell="y", run="r", request="q"))
    with Journal(tmp_path, make_plan()) as journal:
        assert (journal.done, journal.is_done("y")) == (2, True)
    (tmp_path / JOURNAL_NAME).write_text("{}\n")
    with pytest.raises(InputRefused, match="no journal"):
        Journal(tmp_path, make_plan())


def _cell(name: str, run: str = "r", **changes: object) -> CellDone:
    return CellDone.model_validate({"cell": name, "run": run, "request": "q", **changes})


def test_the_stream_of_a_run_that_did_not_end_in_order_decides_what_is_done(tmp_path: Path) -> None:
    with Journal(tmp_path, make_plan()) as journal:
        journal.note(RecordingRead(recording="talk.mp3", windows=2))
        for run in ("whole", "cut", "deleted"):
            journal.note(RunBegun(run=run))
            for number in range(3):
                journal.note(_cell(f"{run} {number}", run))
        journal.note(_cell("given up", None, request=None, problem="It died."))  # type: ignore[arg-type]
    streams = {
        "whole": None,
        "cut": {name: _cell(name, "cut") for name in ("cut 0", "cut 1", "cut 7")},
        "deleted": {},
    }
    for _ in range(2):  # what is told by a stream is in the journal then
        with Journal(tmp_path, make_plan(), streams.__getitem__) as journal:
            done = {
                name for name in ("whole 2", "cut 1", "cut 2", "cut 7", "deleted 0") if journal.is_done(name)
            }
            assert done == {"whole 2", "cut 1", "cut 7"}
            assert (journal.done, journal.runs) == (3 + 3 + 1, ["whole", "cut", "deleted"])
            assert [cell.problem for cell in journal.given_up] == ["It died."]
            assert journal.recordings["talk.mp3"].windows == 2


def test_a_full_disk_leaves_the_journal_whole(small_disk: SmallDisk) -> None:
    folder = small_disk(64)
    with Journal(folder, make_plan()) as journal:
        cells = (_cell(f"cell {number}", request="q" * 999) for number in range(100_000))
        with pytest.raises(OutOfSpace, match="no space left"):
            deque(map(journal.note, cells), maxlen=0)
        before = journal.done
        assert before > 0
    with Journal(folder, make_plan()) as journal:
        assert journal.done == before


def test_other_tokens_than_target_only_s_are_told() -> None:
    plan = make_plan(repeats=2, start_conditions=("pre-drafted",))
    cells = cells_of_window(plan, plan.arms(), "p1", "t", "talk.mp3", 0)
    agreement = Agreement(plan)
    wrong = next(cell.key for cell in cells if cell.arm.method == "as2d")
    for cell in cells[::-1]:
        assert agreement.checked == 0
        agreement.take(window_of(cell.key), cell.key, digest_of([1, 2] if cell.key == wrong else [1, 2, 3]))
    # Target-only's first decode is what the others are held against.
    assert (agreement.checked, agreement.differing) == (len(cells) - 1, [wrong])


def test_an_ended_comparison_s_threads_write_into_no_other_file(tmp_path: Path) -> None:
    with Journal(tmp_path, make_plan()) as journal:
        journal.note(_cell("x"))
    with (tmp_path / "other").open("wb") as other:  # takes the place of the journal's descriptor
        with pytest.raises(Cancelled):
            journal.note(_cell("y"))
        other.flush()
        assert (tmp_path / "other").read_bytes() == b""
    with Journal(tmp_path, make_plan()) as journal:
        assert (journal.is_done("x"), journal.is_done("y")) == (True, False)


def test_a_journal_that_can_no_longer_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    with Journal(tmp_path, make_plan()) as journal:
        journal.note(_cell("x"))
        spoil_descriptor(tmp_path / JOURNAL_NAME)
        with pytest.raises(InputRefused, match="journal of the comparison cannot be written"):
            journal.note(_cell("y"))
        assert not journal.is_done("y")


def test_comparisons_by_one_plan_are_told_apart_and_stay_what_they_are(tmp_path: Path) -> None:
    known = []
    for folder in ("one", "one", "two"):
        with Journal(tmp_path / folder, make_plan()) as journal:
            known.append(journal.comparison)
    assert known[0] is not None
    assert (known[0] == known[1], known[0] == known[2]) == (True, False)


def test_threads_are_those_with_which_a_comparison_began(tmp_path: Path) -> None:
    chosen = ThreadsChosen(device="phone", target=4, target_shared=3, drafter=2, drafter_shared=1)
    with Journal(tmp_path, make_plan()) as journal:
        journal.note(chosen)
    with Journal(tmp_path, make_plan()) as journal:
        assert journal.threads == {"phone": chosen}


def test_recordings_that_come_and_go_change_no_other_one_s_number(repository: Path, tmp_path: Path) -> None:
    clip = repository / "tests/data/speech/cv_en_651325.mp3"
    talks, plan = tmp_path / "talks", make_plan(recordings=("talks",), devices=("p1",), targets=("t",))
    talks.mkdir()

    def read(journal: Journal) -> tuple[int, dict[str, int]]:
        windows = read_recordings(plan, tmp_path, journal, CancelToken(), lambda _: None)
        noted = noted_recordings(planned_recordings(plan, tmp_path), journal)
        return windows, {one.item.path.name: one.number for one in noted}

    for name in ("b.mp3", "c.mp3"):
        shutil.copy(clip, talks / name)
    with Journal(tmp_path / "c", plan) as journal:
        assert read(journal) == (2, {"b.mp3": 1, "c.mp3": 2})
        gone = next(name for name in journal.recordings if name.endswith("b.mp3"))
        journal.note(_cell(f"{recording_key('p1', 't', gone)} | 0 | d | 0 | as2d"))
        assert journal.done == 1
        shutil.copy(clip, talks / "a.mp3")
        (talks / "empty.wav").write_bytes(b"")
        # What is added while it runs waits for the next session.
        assert "a.mp3" not in [
            one.item.path.name for one in noted_recordings(planned_recordings(plan, tmp_path), journal)
        ]
    with Journal(tmp_path / "c", plan) as journal:
        assert read(journal) == (3, {"a.mp3": 3, "b.mp3": 1, "c.mp3": 2, "empty.wav": 4})
    (talks / "b.mp3").unlink()
    (talks / "empty.wav").unlink()
    with Journal(tmp_path / "c", plan) as journal:
        assert read(journal) == (2, {"a.mp3": 3, "c.mp3": 2})
        # What was removed is neither done nor left nor refused.
        assert (journal.done, [one.problem for one in journal.present()]) == (0, [None, None])


def test_a_phone_s_temperature_is_that_of_one_source(tmp_path: Path) -> None:
    gate, told = PhoneGate(Gate(hottest_c=35, wait_s=0), "p1"), []
    zone = ZoneTemperature(zone="cpu", celsius=50.0)
    battery = Battery.model_validate(
        dict.fromkeys(Battery.model_fields) | {"temperature_c": 30.0, "level": 80}
    )
    reading = PhoneReading(
        t=1, battery=battery, thermal=(zone,), thermal_source="hal", throttling=None, missing={}
    )
    sample = Telemetry(t=2, seq=1, rss_bytes=1, cpu_khz=None, battery=battery, missing={})
    for event in (reading, sample):  # the helper knows the battery only, which is cooler
        gate(event)
    with pytest.raises(HelperFailed, match=r"still at 50\.0 °C"):
        gate.wait(CancelToken(), told.append)
    gate(sample.model_copy(update={"thermal": (zone.model_copy(update={"celsius": 33.0}),)}))
    gate.wait(CancelToken(), told.append)
