"""What the Device tab says: measured costs, budget, guard, sensors, battery, storage and jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.app.viewmodels.choices import devices
from as2d.app.viewmodels.device_battery import battery_view
from as2d.app.viewmodels.device_costs import cost_table
from as2d.app.viewmodels.device_evidence import budget_view, gap_facts
from as2d.app.viewmodels.device_phone import JobRow, cores, storage_facts
from as2d.app.viewmodels.device_sensors import LiveState, chip_text, tiles, unreadable, watts_now
from as2d.app.viewmodels.moments import moment_text
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.sensors import Sensors
from as2d.app.viewmodels.sizes import size_text
from as2d.backend.calibration.cost_profile import CostProfile, EncoderCost, Interference, StepCost, TurnCost
from as2d.backend.devices.device import JobState
from as2d.backend.devices.evidence import Measured
from as2d.backend.devices.phone import Phone, PhoneState, Transport, TransportKind
from as2d.backend.devices.phone_service import Contents
from as2d.backend.devices.placement import Cluster, placement
from as2d.backend.devices.sensors import sensor_rows
from as2d.backend.energy.calibration import given_calibration
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.telemetry import Battery, Telemetry, ZoneTemperature
from as2d.backend.transcribe.methods import DEFAULT_BUDGET
from as2d.backend.transcribe.profile import (
    BudgetEntry,
    BudgetKey,
    BudgetRate,
    DeviceProfile,
    GapEntry,
    GapKey,
)

CPU = "Snapdragon 8 Gen 3"


@pytest.fixture(autouse=True)
def english() -> None:
    use_language(SOURCE_LANGUAGE)


def battery(**changes: object) -> Battery:
    values = {
        "current_raw": -420000, "voltage_uv": 4_000_000, "level": 81, "temperature_c": 31.5,
        "status": "Discharging", "charge_counter_raw": 1, "charger": False, "current_source": "current_now",
    }  # fmt: skip
    return Battery.model_validate(values | changes)


def sample(**changes: object) -> Telemetry:
    values = {
        "t": 1, "seq": 1, "rss_bytes": 600_000_000, "cpu_khz": (1_800_000, 3_300_000, None),
        "thermal": ({"zone": "soc", "celsius": 44.2}, {"zone": "broken", "celsius": 900}),
        "battery": battery().model_dump(), "missing": {"gpu": "/sys/kgsl: Permission denied"},
    }  # fmt: skip
    return Telemetry.model_validate(values | changes)


def profile() -> CostProfile:
    def step(k: int, ms: float, threads: int = 4, context: int = 60) -> StepCost:
        return StepCost(threads=threads, context=context, k=k, ms_mean=ms + 1, ms_median=ms, ms_deviation=0.8)

    calls = [step(k, 20 + 2 * k, context=context) for context in (8, 60, 140) for k in range(1, 9)]
    return CostProfile(
        device="phone", cpu=CPU, cores=8, helper="1", target="t", drafter="d", threads=4,
        shared_threads=3, drafter_threads=4, drafter_shared_threads=1, measured="2026-11-30T05:00:00Z",
        repeats=16, target_calls=(*calls, step(1, 30, 3), step(5, 40, 3)),
        drafter_steps=(step(1, 5, 1),), target_turns=(step(1, 30),),
        drafter_turns=(TurnCost(turn=1, **step(1, 5).model_dump()),),
        encoders=(EncoderCost(model="target", seconds=30, threads=4, encoder_ms=700, cross_ms=30),),
        interference=Interference(target=1.2, drafter=1.3, k=5),
    )  # fmt: skip


def test_costs_are_those_of_the_middle_context_with_their_standard_error() -> None:
    table = cost_table(profile())
    assert table.context == 60
    assert table.widths == list(range(1, 9))
    alone, shared = table.lines
    assert (alone.threads, shared.threads) == (4, 3)
    assert alone.points[0] == (1, 22.0, 0.2)
    assert [k for k, _, _ in shared.points] == [1, 5]
    assert f"{30 / 22:.2f} times" in table.headline


def test_a_budget_is_shown_with_what_it_beat_and_where_that_stands(tmp_path: Path) -> None:
    kept = DeviceProfile(tmp_path)
    for threads, budget, measured in ((4, 5, "2026-11-30T05:00:00Z"), (2, 3, "2026-11-30T06:00:00Z")):
        kept.store(
            BudgetEntry(
                key=BudgetKey(target="t", drafter="d", threads=threads, cpu=CPU), budget=budget, tps=60.0,
                windows=12, measured=measured, repeats=3, run="20261130-1", target_only_tps=40.0,
                rates=(BudgetRate(budget=8, tps=45.0), BudgetRate(budget=budget, tps=60.0)),
            )
        )  # fmt: skip
    (tmp_path / "budget-broken.json").write_text("{")
    measured_here = Measured(budgets=tuple(kept.budgets_of("t", "d", CPU)))
    assert [one.entry.budget for one in measured_here.budgets] == [3, 5]  # the newest first
    view = budget_view(measured_here, 4)
    assert view.budget == 5
    assert view.headline == "60.0 tokens/s, 1.50 times target-only"
    assert [(rate.budget, rate.share, rate.chosen) for rate in view.rates] == [
        (5, 1.0, True),
        (8, 0.75, False),
    ]
    facts = {fact.name: fact for fact in view.facts}
    assert facts["Run"].text == "20261130-1"
    assert facts["On"].text == "12 windows"
    (file,) = [one for one in measured_here.budgets if one.entry.budget == 5]
    assert facts["File"].text == file.path.name
    assert facts["File"].note == f"sha256 {file.digest[:12]}"
    assert view.weak == ""
    assert budget_view(Measured(), 4).budget == DEFAULT_BUDGET
    by_hand = budget_view(measured_here, 4, 6)
    assert (by_hand.budget, by_hand.rates) == (6, view.rates)
    assert by_hand.headline == "It was set in the bar above; measured as the fastest on this device: 5."
    assert budget_view(Measured(), 4, 0).budget == 0


def test_the_guards_gap_is_that_of_the_helper_that_runs(tmp_path: Path) -> None:
    kept = DeviceProfile(tmp_path)
    for helper, gap in (("old", 0.004), ("now", 0.001)):
        key = GapKey(helper=helper, model="t", threads=4, shared_threads=4, cpu=CPU)
        kept.store(GapEntry(key=key, logit_gap=gap, positions=994, measured="2026-11-29T05:00:00Z"))
    found = Measured(gaps=tuple(kept.gaps_of("t", CPU)))
    facts = {fact.name: fact.text for fact in gap_facts(found, "now", 4)}
    assert facts["Gap"] == "0.001000 logits"
    assert facts["Checked below"] == "0.008000 logits"
    assert "Helper" not in facts
    other = {fact.name: fact.text for fact in gap_facts(found, "newer", 4)}
    assert other["Helper"] in ("old", "now")
    assert gap_facts(Measured(), "now", 4) == []


def test_live_numbers_take_the_helper_first_and_android_where_it_cannot_read() -> None:
    state = LiveState(sample(), None, 1.684)
    assert chip_text(state) == "44 °C · 81 % · 1.7 W"
    shown = {tile.name: f"{tile.value} {tile.unit}" for tile in tiles(state)}
    assert shown["Temperature"] == "44.2 °C"  # the broken zone is no temperature
    assert shown["Clocks"] == "1.80–3.30 GHz"
    assert shown["Power"] == "1.68 W"
    reading = PhoneReading(
        t=1, battery=battery(level=55), thermal=(ZoneTemperature(zone="skin", celsius=33.0),),
        thermal_source="hal", throttling="none", missing={},
    )  # fmt: skip
    denied = LiveState(sample(battery=None, thermal=()), reading)
    assert chip_text(denied) == "33 °C · 55 %"
    assert chip_text(LiveState()) == ""
    rows = sensor_rows(sample(battery=None, missing={"battery": "Permission denied"}), reading)
    assert {row.name: row.value for row in rows}["battery level"] == "55 % (dumpsys)"


def test_sensors_that_cannot_be_read_are_told_with_the_probes_own_reason() -> None:
    rows = sensor_rows(sample())
    assert unreadable(rows)[0] == ("GPU load, GPU clock", "/sys/kgsl: Permission denied")
    assert {row.name: row.value for row in rows}["processor clocks"] == "1.80 to 3.30 GHz, 1 offline"


def test_watts_are_those_of_the_newest_reading_on_battery() -> None:
    sensors = Sensors()
    sensors.take(sample(), 1)
    assert watts_now(sensors) is None
    sensors.calibrate(given_calibration("uA", -1))
    assert watts_now(sensors) == pytest.approx(1.68, rel=1e-6)
    sensors.take(sample(battery=battery(charger=True).model_dump()), 2)
    assert watts_now(sensors) is None


def test_a_battery_is_known_when_unit_and_sign_are() -> None:
    assert not battery_view(None).known
    assert not battery_view(given_calibration("uA")).known
    view = battery_view(given_calibration("mA", 1))
    assert view.known
    assert [fact.text for fact in view.facts][:2] == ["mA", "positive while it empties"]


def test_every_core_says_what_runs_on_it() -> None:
    clusters = (
        Cluster(cpus=(0, 1, 2, 3), max_khz=2_000_000, core="Cortex-A520"),
        Cluster(cpus=(4, 5), max_khz=3_000_000, core="Cortex-A720"),
    )
    placed = placement(clusters, drafter_cpus=(3,))
    assert placed is not None
    shown = {core.cpu: core.role for core in cores(clusters, placed)}
    assert shown == {0: "free", 1: "free", 2: "free", 3: "drafter", 4: "target", 5: "target"}


def test_storage_and_jobs_are_told_with_units() -> None:
    facts = {
        fact.name: fact.text for fact in storage_facts(Contents(programs_size=3_500_000, free=69_841_000_000))
    }
    assert facts == {"Helper program": "3.5 MB", "Free": "69.8 GB"}
    assert size_text(220_400_000) == "220 MB"
    assert size_text(35_200) == "36 kB"


def test_a_job_is_told_by_what_its_phone_says() -> None:
    running = JobState(running=True, results=1, exit_code=None, awake=False)
    ended = JobState(running=False, results=2, exit_code=0, awake=False)

    def text(state: JobState | None, *, gone: bool = False) -> str:
        return JobRow("j1", "2026-11-30T05:00:00Z", 2, state, gone).text

    assert text(running) == "running, 1 of 2 windows"
    assert text(ended) == "ended, 2 of 2 windows"
    assert text(None) == "not asked yet"
    assert text(None, gone=True) == "gone from the phone"


def test_the_picker_tells_states_in_words_and_what_to_do() -> None:
    way = Transport("s1", "s1", TransportKind.USB, PhoneState.UNAUTHORIZED, "usb:1-2")
    waiting = Phone("s1", PhoneState.UNAUTHORIZED, "has not accepted this computer; unlock it", (way,))
    ready = Phone("s2", PhoneState.READY, "", (way,), nickname="Desk")
    here, first, second, away = devices([waiting, ready], "s3")
    assert here.value is None
    assert (first.text, first.usable) == ("s1 (not accepted yet)", False)
    assert first.detail == "The phone s1 has not accepted this computer; unlock it."
    assert (second.text, second.detail) == ("Desk", "Ready, by USB 1-2")
    assert away.text == "s3 (away)"


def test_a_run_is_paused_from_the_loss_of_its_device_to_the_next_helper() -> None:
    run = RunViewModel()
    run.feed([host_events.HelperEnded(t=1, returncode=137, message="killed")])
    assert not run.paused
    run.feed([host_events.HelperEnded(t=2, returncode=None, message="lost")])
    assert run.paused
    hello = events.Hello.model_validate(
        {
            "t": 3, "seq": 1, "protocol": 3, "build": "b", "mnn": "3", "methods": (), "pid": 1,
            "cpu": {"arch": "arm64", "features": (), "cores": 8},
        }
    )  # fmt: skip
    run.feed([hello])
    assert not run.paused


def test_moments_are_local_and_odd_ones_stay() -> None:
    assert len(moment_text("2026-11-30T05:00:00Z")) == len("2026-11-30 05:00")
    assert moment_text("once") == "once"
