"""Comparisons on stand-in phones: beside this computer, through a pulled cable, and not before it is cool."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.phone.rig import Rig, once

from as2d.backend.compare.plan import ComparePlan, Gate
from as2d.backend.compare.running.service import PlanReport, run_plan
from as2d.backend.compare.running.shared import PlanProgress
from as2d.backend.devices.device import Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.cancel import CancelToken

COMPUTER = "this-computer"


def _plan(rig: Rig, clip: Path, *devices: str, gate: Gate | None = None, repeats: int = 1) -> ComparePlan:
    return ComparePlan(
        methods=("as2d",),
        start_conditions=("request-start",),
        targets=(str(rig.pair.target.path),),
        drafters=(str(rig.pair.drafter.path),),
        devices=devices,
        recordings=(str(clip),),
        language="en",
        repeats=repeats,
        warm_up=0,
        a_a=False,
        gate=gate or Gate(),
    )


class Comparing:
    """Runs plans on the rig's phone; `told` is the progress, `act` sees the events of each device."""

    def __init__(self, rig: Rig, folder: Path) -> None:
        self.rig = rig
        self.folder = folder
        self.told: list[PlanProgress] = []
        self.states: Counter[tuple[str, str]] = Counter()

    def run(self, plan: ComparePlan) -> PlanReport:
        return run_plan(plan, self.folder, [self.act], progress=self.tell, devices=self.open)

    def open(self, name: str, _cancel: CancelToken) -> Device:
        return LocalDevice() if name == COMPUTER else self.rig.device()

    def act(self, device: str, event: RecordedEvent) -> None:
        """Nothing happens to the devices here."""

    def tell(self, at: PlanProgress) -> None:
        self.told.append(at)
        self.states[at.device, at.state] += 1


def _cells(report: PlanReport) -> Counter[str]:
    return Counter(
        request.cell
        for run in report.runs
        for request in run.fold().finished_requests()
        if request.cell is not None
    )


def test_a_phone_and_this_computer_work_at_once_and_a_pulled_cable_pauses_its_part(
    rig: Rig, clip: Path, tmp_path: Path
) -> None:
    class Pulled(Comparing):
        pull = staticmethod(once(decode_events.Call, rig.phone.unplug, 40))

        def act(self, device: str, event: RecordedEvent) -> None:
            if device != COMPUTER:
                self.pull(event)
                if isinstance(event, host_events.StepProgress) and event.step.startswith("wait for"):
                    rig.back()

    comparing = Pulled(rig, tmp_path / "comparison")
    report = comparing.run(_plan(rig, clip, COMPUTER, rig.phone.address, repeats=2))
    assert (report.failures, report.given_up) == ({}, [])
    assert (report.cells, report.done, report.checked, report.differing) == (8, 8, 6, [])
    assert set(_cells(report).values()) == {1}
    assert len(_cells(report)) == 8
    assert sorted(run.manifest.device.kind for run in report.runs) == ["phone", "this computer"]
    assert comparing.states[rig.phone.address, "away"] == 1
    assert comparing.states[COMPUTER, "away"] == 0
    (phone_run,) = (run for run in report.runs if run.manifest.device.kind == "phone")
    assert len(phone_run.fold().helper_endings) == 1


def test_a_warm_phone_cools_down_first_and_one_that_does_not_goes_on_another_time(
    rig: Rig, clip: Path, tmp_path: Path
) -> None:
    class Cooling(Comparing):
        cools = False

        def tell(self, at: PlanProgress) -> None:
            super().tell(at)
            if at.state == "cooling" and at.what.startswith("cool down") and self.cools:
                rig.phone.sensors.set_temperatures(-10.0)

    comparing = Cooling(rig, tmp_path / "comparison")
    never = comparing.run(_plan(rig, clip, rig.phone.address, gate=Gate(hottest_c=40, wait_s=1)))
    assert (never.done, never.cells) == (0, 2)
    assert "is still at 45.1 °C" in never.failures[rig.phone.address].message
    assert any(at.what.startswith("cool down from 45.1 to 40.0 °C") for at in comparing.told)
    comparing.cools = True
    done = comparing.run(_plan(rig, clip, rig.phone.address, gate=Gate(hottest_c=40, wait_s=300)))
    assert (done.done, done.failures) == (2, {})
    rig.phone.sensors.set_battery(level=12)
    comparing.folder = tmp_path / "another"
    empty = comparing.run(_plan(rig, clip, rig.phone.address, gate=Gate(battery_percent=30, wait_s=0)))
    assert "is still at 12 %" in empty.failures[rig.phone.address].message


def test_a_device_that_is_named_twice_is_used_once(rig: Rig, clip: Path, tmp_path: Path) -> None:
    comparing = Comparing(rig, tmp_path / "comparison")
    report = comparing.run(_plan(rig, clip, rig.phone.address, "the-same"))
    ((name, error),) = report.failures.items()
    assert name in (rig.phone.address, "the-same")
    assert "named twice" in error.message
    assert report.done == 2
