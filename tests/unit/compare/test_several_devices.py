"""Tables and reports of comparisons of several devices and runs: no side hides another."""

from __future__ import annotations

import re
from typing import Any

import pytest

from as2d.backend.cli.judged import print_judgement
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.judging.judgement import Judgement
from as2d.backend.compare.reports.html_page import html_page
from as2d.backend.compare.reports.markdown import markdown_page
from as2d.backend.compare.reports.rows import count_rows, page_rows, regime_tables, side_labels, window_rows
from as2d.backend.runs.manifest import RecordingUsed
from as2d.backend.runs.store import StoredRun

RECORDINGS = tuple(
    RecordingUsed(recording=f"a{number}", audio=f"/data/{number}.wav", corpus=corpus, reference=None)
    for number, corpus in ((1, "easy"), (2, "hard"))
)
ALONE, SHORT = "target-only (2 threads)", "as2d budget 2 text request-start (2 threads)"
LONG = "as2d budget 4 text request-start (2 threads)"


def _events(stream: Any, call: Any, ms: float) -> list[Any]:
    """Two recordings of one window: by target-only in 40 ms, drafted in so many."""
    stream.events.clear()
    for used in RECORDINGS:
        stream.recording(used.recording, used.audio)
        preparation = stream.prepare(stream.window(used.recording, 0, 0.0, 8.0))
        stream.request(preparation, [call(0, 0, 10)] * 4, " so", arm=ALONE, method="target-only")
        for label, factor in ((SHORT, 1.0), (LONG, 0.8)):
            stream.request(preparation, [call(4, 3, factor * ms)], " so", arm=label, method="as2d")
        stream.done(used.recording, 8.0)
    return list(stream.events)


@pytest.fixture
def runs(stream: Any, call: Any, record: Any) -> list[StoredRun]:
    """The same arms on two devices, four times faster than target-only on the one, twice on the other."""
    here = record("20260101-000000-aaaa", _events(stream, call, 10), recordings=RECORDINGS)
    phone = here.manifest.device.model_copy(update={"name": "a phone", "kind": "phone"})
    events = _events(stream, call, 20)
    return [here, record("20260101-000001-bbbb", events, recordings=RECORDINGS, device=phone)]


@pytest.fixture
def judged(runs: list[StoredRun]) -> Judgement:
    return judge(runs)


def test_each_side_has_a_label_of_its_own(judged: Judgement, runs: list[StoredRun]) -> None:
    labels = side_labels(judged, short=True)
    assert labels[1] == "20260101-000000-aaaa: as2d budget 2 text request-start"
    assert len(set(labels)) == len(judged.sides) == 6
    twice = judge([runs[0], runs[0]])
    assert len(set(side_labels(twice))) == len(twice.sides) == 6


def test_groups_of_windows_are_told_by_device(judged: Judgement) -> None:
    tables = regime_tables(judged)
    assert [title.partition(", against")[0] for title, _ in tables] == [
        "a computer, whisper-base", "a phone, whisper-base"
    ]  # fmt: skip
    for (_, rows), change in zip(tables, ("+300 %", "+100 %"), strict=True):
        assert [row["windows"] for row in rows] == ["easy (1)", "hard (1)"]
        assert [str(list(row.values())[1]).partition(" [")[0] for row in rows] == [change] * 2
    page = markdown_page(judged)
    assert "by kind of window: a phone, whisper-base" in page


def test_a_report_shows_every_side_of_every_device(judged: Judgement, runs: list[StoredRun]) -> None:
    page = html_page(judged, runs)
    kinds = page[page.index("Change of decode speed by kind of window") : page.index("Conditions")]
    assert len(re.findall(r"\+300 % \[", kinds)) == len(re.findall(r"\+100 % \[", kinds)) == 2
    counts = page[page.index('aria-label="Windows against target-only"') :]
    counts = counts[: counts.index("</table>")]
    for label in side_labels(judged, short=True):
        assert label in counts or "target-only" in label
    assert "<h2>Windows: a phone, whisper-base, pre-drafted</h2>" in page
    assert "as2d, pre-drafted, a phone; the best of 2 on these recordings" in page


def test_tables_name_the_device(judged: Judgement, runs: list[StoredRun]) -> None:
    assert [row["device"] for row in page_rows(judged)] == ["a computer"] * 3 + ["a phone"] * 3
    assert {row["device"] for row in count_rows(judged)} == {"a computer", "a phone"}
    assert {(row["side"], row["device"]) for row in window_rows(judged)} == {
        (number, side.device) for number, side in enumerate(judged.sides)
    }
    assert "device" not in page_rows(judge(runs[:1]))[0]


def test_the_command_line_says_what_a_table_is_of(
    judged: Judgement, capsys: pytest.CaptureFixture[str]
) -> None:
    print_judgement(judged, "md")
    printed = capsys.readouterr().out
    for device in ("a computer", "a phone"):
        assert f"## Tokens/s by corpus: {device}, whisper-base, pre-drafted\n" in printed
