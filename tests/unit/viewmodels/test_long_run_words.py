"""What a long run says of itself: nothing is praised that did not happen, and reasons are words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.conftest import MS, FakeCall, StreamMaker

from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.app.viewmodels.arm_names import short_name
from as2d.app.viewmodels.sustained import LongRunModel
from as2d.backend.protocol.host_events import RunEnded, RunStatus
from as2d.backend.protocol.telemetry import Telemetry


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    use_language(SOURCE_LANGUAGE)
    yield
    use_language(SOURCE_LANGUAGE)


def _model(
    status: RunStatus, *, counted: int = 0, texts: tuple[str, str] = (" Hello.", " Hello.")
) -> LongRunModel:
    """A run that ended behind the warm-ups of two methods and so many decodes that count."""
    stream = StreamMaker()
    stream.recording("a1", "talk.wav")
    window = stream.window("a1", 0, 0, 10)
    for number, text in enumerate((*texts, *[" Hello."] * counted)):
        stream.request(
            stream.prepare(window, number), [FakeCall(0, 0)] * 5, text, arm=f"method{number % 2}",
            tokens=tuple(map(ord, text)), repeat=0, warm_up=number < 2,
        )  # fmt: skip
    missing = {
        "thermal": "/sys/class/thermal: no thermal_zone",
        "battery": "/sys/bat: Permission denied",
    }
    seen = Telemetry(t=stream.t + 50 * MS, seq=9999, rss_bytes=1, cpu_khz=None, missing=missing)
    model = LongRunModel(1.0)
    model.feed([*stream.events, seen, RunEnded(t=stream.t + 100 * MS, status=status)])
    return model


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("cancelled", "It was stopped before its first decode that counts: there is nothing to tell."),
        ("failed", "It failed before its first decode that counts; the messages say why."),
        ("interrupted", "It ended before its first decode that counts: there is nothing to tell."),
    ],
)
def test_a_run_without_a_decode_says_what_happened(status: RunStatus, told: str) -> None:
    model = _model(status)
    summary = model.summary()
    assert model.fold.compared == 1
    assert summary.headline == told
    assert (summary.same, summary.outputs) == (None, "")


def test_other_outputs_are_told_also_where_only_warm_ups_had_them() -> None:
    summary = _model("cancelled", texts=(" Hello.", " Hullo.")).summary()
    assert summary.same is False
    assert summary.outputs.startswith("1 of 1 decodes have another output")


def test_why_there_is_no_curve_is_said_in_words_in_both_languages() -> None:
    summary = _model("cancelled", counted=1).summary()
    assert (summary.same, summary.outputs) == (True, "Identical output in 1 decode")
    assert summary.missing == (
        "Temperature not available: the device reports no temperature  ·  "
        "Power not available: this device lets no program read it"
    )
    use_language("zh_CN")
    chinese = _model("cancelled", counted=1).summary().missing
    assert chinese == "温度不可用：设备不报告温度  ·  功率不可用：此设备不允许程序读取它"


def test_methods_are_called_as_everywhere_in_the_window() -> None:
    assert short_name("target-only (2 threads)") == "Target only"
    assert short_name("as2d budget 4 text pre-drafted (2 threads)") == "AS²D · budget 4 · With the audio"
    ahead = short_name("as2d budget 4 text pre-drafted prepared ahead (2 threads)")
    assert ahead == "AS²D · budget 4 · With the audio · next window ahead"
    use_language("zh_CN")
    assert short_name("target-only (2 threads)") == "仅目标模型"
