"""A plan is told as decodes with their reasons, and a time only where one is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.app.viewmodels.plan_words import Estimate, plan_words, rough_time
from as2d.backend.compare.plan import ComparePlan


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    use_language(SOURCE_LANGUAGE)
    yield
    use_language(SOURCE_LANGUAGE)


def test_every_decode_of_a_window_has_its_reason() -> None:
    plan = ComparePlan(
        methods=("target-only", "sd", "as2d"), budgets=(4, 8), drafters=("one", "two"), repeats=3,
        recordings=("a.wav", "b.wav"),
    )  # fmt: skip
    said = plan_words(plan, None, opened=False)
    assert said == (
        "Each window is decoded 78 times: 26 ways by turns, 3 times each. "
        "They are Target only × 2 (the second shows the noise); "
        "Speculative (SD) × 16 (K = 5, 6, 7, 8, 2 starts of drafting, 2 drafters); "
        "AS²D × 8 (budgets 4, 8, 2 starts of drafting, 2 drafters). On 2 recordings of the list."
    )


def test_windows_prepared_ahead_are_told_as_a_reason() -> None:
    plan = ComparePlan(
        methods=("as2d",), recordings=("a.wav",), start_conditions=("pre-drafted",), a_a=False,
        preparings=("isolated", "ahead"),
    )  # fmt: skip
    assert "AS²D × 2 (with and without the next window prepared ahead)" in plan_words(
        plan, None, opened=False
    )


def test_a_time_is_told_where_it_is_known() -> None:
    plan = ComparePlan(methods=("as2d",), recordings=("a.wav",), start_conditions=("pre-drafted",), repeats=1)
    on = "On 1 recording of the list, 4:59 of audio: at least 30 decodes"
    assert plan_words(plan, Estimate(299.0, 30, None), opened=False).endswith(f" {on}.")
    assert plan_words(plan, Estimate(299.0, 30, 722.0), opened=False).endswith(
        f" {on}, about 12\u00a0min by what decoding took there before."
    )
    assert "On 1 entry of the plan." in plan_words(plan, None, opened=True)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(3, "10 s"), (44, "40 s"), (94, "90 s"), (100, "2 min"), (5700, "95 min"), (9000, "2.5 h")],
)
def test_times_are_told_as_roughly_as_they_are_known(seconds: float, told: str) -> None:
    assert rough_time(seconds) == told.replace(" ", "\u00a0")  # no line ends before the unit


def test_chinese_has_no_blanks_between_its_words() -> None:
    use_language("zh_CN")
    plan = ComparePlan(methods=("sd", "as2d"), recordings=("a.wav",), devices=("this-computer", "p"))
    said = plan_words(plan, Estimate(299.0, 30, 722.0), opened=True)
    assert "对象为列表中的" not in said
    assert re.findall(r"[\u4e00-\u9fff。] +[\u4e00-\u9fff]", said) == []
