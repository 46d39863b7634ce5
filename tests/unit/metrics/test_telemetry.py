"""The sensors of a run in short."""

from __future__ import annotations

import pytest

from as2d.backend.cli.sensors import sensors_text
from as2d.backend.energy.report import energy_report
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.telemetry import TelemetryFold
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.telemetry import Battery, Gpu, Telemetry, ZoneTemperature

S = 1_000_000_000


def _sample(number: int, **fields: object) -> Telemetry:
    told = {"t": (10 + number) * S, "seq": number, "rss_bytes": 1000 + number, "cpu_khz": None, "missing": {}}
    return Telemetry.model_validate({**told, **fields})


def test_ranges_of_what_was_told_and_reasons_of_what_was_not() -> None:
    fold = TelemetryFold()
    for number, celsius in enumerate((40.0, 55.0, 47.5)):
        fold.add(
            _sample(
                number,
                thermal=(ZoneTemperature(zone="cpu-0-0", celsius=celsius),),
                cpu_khz=(1_800_000 + number, None if number else 2_800_000),
                gpu=Gpu(busy_percent=10.0 * number, khz=None),
                took_ns=400_000,
                missing={"gpu.khz": "gpuclk: Permission denied", **({"battery": "none"} if number else {})},
            )
        )
    found = fold.summary()
    assert found is not None
    zone = found.temperatures["cpu-0-0"]
    assert (zone.first, zone.least, zone.mean, zone.most, zone.last) == (40.0, 40.0, 47.5, 55.0, 47.5)
    assert (found.samples, found.seconds, found.rate_hz) == (3, 2.0, 1.0)
    assert found.clocks[1].offline == pytest.approx(2 / 3)
    assert found.clocks[0].khz is not None
    assert found.clocks[0].khz.most == 1_800_002
    assert found.gpu_busy is not None
    assert found.gpu_busy.most == 20
    assert found.gpu_khz is None
    assert found.took_ms is not None
    assert found.took_ms.mean == pytest.approx(0.4)
    assert [(probe.probe, probe.samples) for probe in found.missing] == [("battery", 2), ("gpu.khz", 3)]


def test_samples_of_protocol_version_2_are_summed_up_too() -> None:
    fold = RunFold.of([_sample(number, cpu_khz=(1_000_000,)) for number in range(3)])
    text = sensors_text(energy_report(fold), everything=True)
    assert "telemetry  3 samples in 2.0 s, 1.0 a second\n" in text
    assert "CPU 0 clock" in text
    assert "energy     no finished request" in text


def test_of_many_zones_the_hottest_are_shown_first_and_all_on_request() -> None:
    zones = tuple(ZoneTemperature(zone=f"zone-{index}", celsius=30.0 + index) for index in range(90))
    report = energy_report(RunFold.of([_sample(0, thermal=zones), _sample(1, thermal=zones)]))
    short, whole = (sensors_text(report, everything=everything) for everything in (False, True))
    assert "zone-89" in short
    assert "zone-84" not in short
    assert "85 cooler ones: see --telemetry" in short
    assert whole.count("zone-") == 90


def test_androids_reports_fill_in_for_what_is_lacking() -> None:
    fold = TelemetryFold()
    assert fold.lacking() == frozenset()
    fold.add(_sample(0, missing={"battery": "denied", "thermal": "denied"}))
    assert fold.lacking() == {"battery", "thermal"}
    battery = Battery(
        current_raw=None,
        voltage_uv=4_000_000,
        level=70,
        temperature_c=30.5,
        status="Discharging",
        charge_counter_raw=None,
        charger=False,
        current_source=None,
    )
    fold.add_report(
        PhoneReading(
            t=1,
            battery=battery,
            thermal=(ZoneTemperature(zone="AP", celsius=44.8),),
            thermal_source="hal",
            throttling="light",
            missing={},
        )
    )
    found = fold.summary()
    assert found is not None
    assert found.temperatures["AP (dumpsys, hal)"].last == 44.8
    assert found.battery_states == ("Discharging",)
    assert (found.reports, found.throttling) == (1, ("light",))
    assert len(fold.battery) == 0
    fold.add(_sample(1, thermal=(ZoneTemperature(zone="cpu", celsius=50.0),)))
    assert fold.lacking() == {"battery"}


def test_no_sample_is_no_summary() -> None:
    assert TelemetryFold().summary() is None
