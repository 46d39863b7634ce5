"""Names of methods."""

from __future__ import annotations

import pytest

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.errors import WrongUse
from as2d.backend.transcribe.methods import (
    MethodChoice,
    agreed_budget,
    check_known,
    check_settings,
    parse_method,
    parse_methods,
)


def test_a_width_is_one_more_than_the_budget() -> None:
    assert parse_method("sd:5") == MethodChoice("sd", 4)
    assert parse_method("as2d") == MethodChoice("as2d", None)
    assert parse_method("target-only") == MethodChoice("target-only", 0)
    assert [choice.budget for choice in parse_methods("sd:5, sd:12,as2d")] == [4, 11, None]


@pytest.mark.parametrize(
    "text", ["", "as3d", "sd:", "sd:1", "sd:33", "sd:x", "sd:-5", "sd:٥", "target-only:1"]
)
def test_what_is_no_method_is_refused(text: str) -> None:
    with pytest.raises(WrongUse):
        parse_method(text)


def test_a_width_and_a_budget_must_agree() -> None:
    assert agreed_budget(parse_method("sd:5"), None) == agreed_budget(parse_method("sd:5"), 4) == 4
    assert agreed_budget(parse_method("as2d"), 2) == 2
    assert agreed_budget(parse_method("as2d"), None) is None
    assert agreed_budget(parse_method("target-only"), None) is None
    assert agreed_budget(parse_method("target-only"), 0) is None
    with pytest.raises(WrongUse, match="--budget 3 contradicts 'target-only'"):
        agreed_budget(parse_method("target-only"), 3)
    with pytest.raises(WrongUse, match="--budget 2 contradicts 'sd:5'"):
        agreed_budget(parse_method("sd:5"), 2)


def test_an_option_that_no_method_takes_is_refused() -> None:
    check_settings(parse_methods("as2d,sd"), None, None)
    check_settings(parse_methods("specasr,as2d-resync"), 0.5, 0)
    for methods, confidence, patience, words in (
        ("as2d,as2d-resync", 0.0, None, "--confidence is an option of the method specasr"),
        ("as2d", None, 0, "--patience is an option of the method as2d-resync"),
    ):
        with pytest.raises(WrongUse, match=words):
            check_settings(parse_methods(methods), confidence, patience)
    with pytest.raises(WrongUse, match="--patience"):
        make_arms(
            parse_methods("sd"), ArmOptions([4], ["text"], ["pre-drafted"], [ArmThreads(2, 1)], patience=3)
        )


def test_a_method_that_the_helper_lacks_is_refused_with_those_it_has() -> None:
    with pytest.raises(WrongUse, match="it knows target-only, as2d"):
        check_known("sd", ["target-only", "as2d"])


def test_arms_are_every_combination_that_makes_a_difference() -> None:
    options = ArmOptions(
        budgets=[2, 4],
        admissions=["root", "text"],
        start_conditions=["request-start", "pre-drafted"],
        threads=[ArmThreads(1, 1), ArmThreads(2, 1, 2, 1)],
    )
    arms = make_arms(parse_methods("target-only,as2d,sd:5"), options)
    # sd drafts behind the root itself: nothing is aligned, so that the admission makes no difference.
    assert len(arms) == len({arm.label for arm in arms}) == 2 * (1 + 2 * 2 * 2 + 2)
    assert {arm.budget for arm in arms if arm.method == "sd"} == {4}
    alone = [arm for arm in arms if not arm.drafts]
    assert [(arm.threads.target, arm.budget) for arm in alone] == [(1, 0), (2, 0)]
    assert len({arm.preparation for arm in arms}) == 2 * 3
