"""What is said above all numbers where they may be no results; how the report marks and tells them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from as2d.app.sentences import in_window
from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.judging.judgement import Judgement
from as2d.backend.compare.reports.figures import acceptance, ticks
from as2d.backend.compare.reports.html_page import html_page
from as2d.backend.compare.reports.markdown import markdown_page
from as2d.backend.runs.manifest import ComparisonUsed
from as2d.backend.runs.store import StoredRun

ALONE, AGAIN = "target-only (2 threads)", "target-only again (2 threads)"
DRAFTED = "as2d budget 4 text request-start (2 threads, drafter 2)"
SPECASR = "specasr budget 4 request-start (2 threads, drafter 2)"


@pytest.fixture
def recorded(stream: Any, call: Any, record: Any, planned: Any) -> Any:
    """Records a run of a plan: by arm the milliseconds of each recording's one window."""

    def make(times: dict[str, list[float]]) -> StoredRun:
        for number in range(len(times[ALONE])):
            name = f"a{number + 1}"
            stream.recording(name, f"/data/{name}.wav")
            preparation = stream.prepare(stream.window(name, 0, 0.0, 8.0))
            for label, each in times.items():
                alone = label.startswith("target-only")
                calls = [call(0, 0, each[number] / 4)] * 4 if alone else [call(4, 3, each[number])]
                stream.request(preparation, calls, " it is so", arm=label, method=label.split()[0])
            stream.done(name, 8.0)
        arms = tuple(
            planned(
                label,
                label.split()[0],
                again=label == AGAIN,
                drafter_threads=2,
                drafter_shared_threads=1,
            )
            for label in times
        )
        used = ComparisonUsed(name="comparison", plan="p" * 64)
        found: StoredRun = record(
            "20260101-000000-aaaa", list(stream.events), recordings=(), arms=arms, comparison=used
        )
        return found

    return make


def told(judged: Judgement, run: StoredRun) -> tuple[str, ...]:
    """The cautions, which stand above everything else in each form."""
    page, report = markdown_page(judged), html_page(judged, [run])
    for caution in judged.cautions:
        assert page.index(caution) < page.index("## ")
        assert report.index("</header>") < report.index(caution) < report.index("<section>")
        use_language("zh_CN")
        assert in_window(caution) != caution
        use_language(SOURCE_LANGUAGE)
    assert report.count('class="caution"') == len(judged.cautions)
    return judged.cautions


def test_a_calm_comparison_of_enough_recordings_needs_no_caution(recorded: Any) -> None:
    run = recorded({ALONE: [40] * 6, AGAIN: [39, 41, 40, 40.5, 39.5, 40], DRAFTED: [20, 21, 19, 20, 22, 18]})
    assert told(judge([run]), run) == ()


def test_noise_whose_interval_leaves_one_out_is_told_first(recorded: Any) -> None:
    run = recorded({ALONE: [40] * 6, AGAIN: [20, 21, 22, 23, 24, 25], DRAFTED: [10] * 6})
    (caution,) = told(judge([run]), run)
    assert caution.startswith(f"The same decoding, measured again ({AGAIN}), was 1.78 times as fast (1.6")


def test_noise_as_large_as_the_effects_is_told(recorded: Any) -> None:
    run = recorded({ALONE: [40] * 6, AGAIN: [20, 60, 20, 60, 20, 60], DRAFTED: [38] * 6})
    (caution,) = told(judge([run]), run)
    assert "as much as any other way to decode or more" in caution


@pytest.mark.parametrize(
    ("recordings", "words"), [(1, "of one recording"), (2, "Only 2 recordings"), (4, "Only 4")]
)
def test_too_few_recordings_are_told(recorded: Any, recordings: int, words: str) -> None:
    run = recorded({ALONE: [40] * recordings, AGAIN: [40] * recordings, DRAFTED: [20] * recordings})
    (caution,) = told(judge([run]), run)
    assert words in caution


def test_the_report_marks_what_is_fastest_and_tells_the_threads_that_were_set(
    recorded: Any,
) -> None:
    run = recorded({ALONE: [40] * 5, SPECASR: [16] * 5, DRAFTED: [20] * 5, AGAIN: [40] * 5})
    judged = judge([run])
    report = html_page(judged, [run])
    assert "<h1>Comparison</h1>" in report
    corpora = report.split("Speed by corpus")[1].split("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">([^<]*)</th>((?:<td[^>]*>[^<]*</td>)+)</tr>', corpora)
    assert len(rows) == 3
    assert [label for label, cells in rows if "fast" in cells] == ["specasr budget 4 request-start"]
    assert "the fastest is bold" in corpora
    assert report.count("2, beside the drafter 1") == 2
    assert report.count("2, beside the target 1") == 2
    assert "−20.0 %" in report
    assert "-20.0 %" not in report + markdown_page(judged)
    labels = re.findall(r">([0-9.]+)</text>", acceptance(judged.sides).split("position of the candidate")[0])
    assert "1.5" not in labels
    assert {"1", "2", "3", "4"} <= set(labels)


def test_ticks_of_counts_are_whole() -> None:
    assert ticks(1, 4, least=1.0) == [1, 2, 3, 4]
    assert ticks(1, 4) == [1, 1.5, 2, 2.5, 3, 3.5, 4]
