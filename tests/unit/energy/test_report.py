"""Energy of a run's requests, from the recorded stream to what `as2d show` prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.energy.phones import SimulatedPhone

from as2d.backend.cli.runs import show
from as2d.backend.energy.calibration import CurrentCalibration, given_calibration
from as2d.backend.energy.measure import Energy, NotMeasured
from as2d.backend.energy.report import EnergyReport, energy_report
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol.lines import RecordedEvent, to_line
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.runs.store import RunStore

MICRO = given_calibration("uA", -1)


def _decoding(stream: Any, call: Any) -> None:
    """Two windows after 20 s of idling: audio preparation of 0.7 s and responses of 4 s each."""
    stream.t = 20_000_000_000
    stream.recording("a1", "talk.wav")
    for index in range(2):
        prepared = stream.prepare(stream.window("a1", index, 30.0 * index, 30.0 * (index + 1)))
        calls = [call(2, 2, 995.0)] * 4
        stream.request(prepared, calls, " one two", tokens=list(range(8)))
    stream.done("a1", 60.0)


def _with(stream: Any, samples: list[Telemetry]) -> list[RecordedEvent]:
    return sorted([*stream.events, *samples], key=lambda event: event.t)


def _watts(at: float) -> float:
    return 9.0 if at > 20.1 else 2.0


def _phone(**options: Any) -> list[Telemetry]:
    return SimulatedPhone(noise=0.001, refresh_s=0.2).samples(_watts, 40, start_s=0.0, **options)


def test_requests_idle_power_and_what_is_above_it(stream: Any, call: Any) -> None:
    _decoding(stream, call)
    report = energy_report(RunFold.of(_with(stream, _phone())), MICRO)
    assert isinstance(report.idle, Energy)
    assert report.idle.mean_watts == pytest.approx(2.0, rel=0.01)
    assert len(report.requests) == 2
    for request in report.requests:
        assert isinstance(request.response, Energy)
        assert request.response.joules == pytest.approx(36, rel=0.02)
        assert request.response.joules_per_token == pytest.approx(request.response.joules / 8)
        assert request.above_idle_joules == pytest.approx(28, rel=0.03)
        assert isinstance(request.from_audio_ready, Energy)
        assert request.slept_s == 0
    assert report.calibration == MICRO
    assert not report.calibrated_here


def test_without_a_record_of_the_phone_the_run_itself_calibrates(stream: Any, call: Any) -> None:
    _decoding(stream, call)
    report = energy_report(RunFold.of(_with(stream, _phone())))
    assert report.calibrated_here
    assert (report.calibration.unit, report.calibration.discharging_sign) == ("uA", -1)
    assert isinstance(report.requests[0].response, Energy)


def test_on_a_charger_no_request_has_a_number(stream: Any, call: Any) -> None:
    _decoding(stream, call)
    for calibration in (MICRO, None):
        samples = _phone(status="Charging", charger=True)
        report = energy_report(RunFold.of(_with(stream, samples)), calibration)
        assert {str(request.response) for request in report.requests} == {"not measurable: charging"}
        assert "joules" not in report.model_dump_json()[
            report.model_dump_json().index('"requests"') :
        ].replace('"above_idle_joules":null', "")


def test_sleep_makes_a_requests_times_invalid_also_without_a_battery(stream: Any, call: Any) -> None:
    _decoding(stream, call)
    samples = [
        sample.model_copy(update={"battery": None})
        for sample in _phone(slept=lambda at: 3.0 if at > 23 else 0.0)
    ]
    fold = RunFold.of(_with(stream, samples))
    report = energy_report(fold)
    assert [request.slept_s for request in report.requests] == pytest.approx([3.0, 0.0])
    assert report.telemetry is not None
    assert report.telemetry.slept_s == pytest.approx(3.0)


def test_two_requests_of_one_window_do_not_share_what_was_before(stream: Any, call: Any) -> None:
    stream.t = 20_000_000_000
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 30.0))
    for _ in range(2):
        stream.request(prepared, [call(0, 0, 3000.0)], " x")
    report = energy_report(RunFold.of(_with(stream, _phone())), MICRO)
    assert isinstance(report.requests[0].from_audio_ready, Energy)
    assert isinstance(report.requests[1].from_audio_ready, NotMeasured)
    assert report.requests[1].from_audio_ready.obstacle == "shared"


@pytest.fixture
def shown(
    stream: Any, call: Any, manifest: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """What `as2d show` prints of a run with these samples."""

    def run(samples: list[Telemetry], calibration: CurrentCalibration | None, **options: Any) -> str:
        _decoding(stream, call)
        made = manifest()
        device = made.device.model_copy(update={"battery_current": calibration})
        active = RunStore(tmp_path).create(made.model_copy(update={"device": device}))
        events = _with(stream, samples)
        for event in events:
            active.recorder.put(to_line(event))
        active.finish("done", RunFold.of(events))
        show(str(active.folder), width=80, **options)
        return capsys.readouterr().out

    return run


def test_show_tells_energy_with_its_sensor(shown: Callable[..., str]) -> None:
    text = shown(_phone(), MICRO)
    assert "telemetry  201 samples in 40.0 s, 5.0 a second" in text
    assert "battery voltage x current from /sys/class/power_supply/battery/current_now" in text
    assert "current in µA, negative while discharging; confidence given, from the phone's record" in text
    assert "idle: 2.00 W over" in text
    assert "J from audio ready" in text
    assert "The encoders themselves are in none of them." in text


def test_show_never_prints_a_number_on_a_charger(shown: Callable[..., str]) -> None:
    text = shown(_phone(status="Full", charger=True), MICRO)
    assert "energy     not measurable: charging\n" in text
    assert "J/token" not in text


def test_show_gives_sensors_and_energy_as_json(shown: Callable[..., str]) -> None:
    text = shown(_phone(), None, telemetry=True, form="json")
    report = EnergyReport.model_validate_json(text)
    assert json.loads(text)["requests"][0]["response"]["kind"] == "energy"
    assert report.telemetry is not None
    assert report.telemetry.battery_level is not None
    assert report.telemetry.battery_level.last == 76


def test_a_run_without_telemetry_says_so(shown: Callable[..., str]) -> None:
    assert "telemetry  none was recorded" in shown([], None, telemetry=True)


def test_sensors_have_no_subtitles() -> None:
    with pytest.raises(WrongUse, match="--telemetry"):
        show("last", telemetry=True, form="srt")
