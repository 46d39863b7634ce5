"""Choices and tables of the command line."""

from __future__ import annotations

import pytest

from as2d.backend.cli.choices import admissions_of, budgets_of, conditions_of, numbers_of
from as2d.backend.cli.console import number, table
from as2d.backend.errors import WrongUse
from as2d.backend.transcribe.methods import parse_methods
from as2d.backend.words import counted


def test_lists_with_commas() -> None:
    assert numbers_of("4, 2,4", "--budgets", 0, 4) == [4, 2]
    assert admissions_of("text,root") == ["text", "root"]
    assert conditions_of("pre-drafted") == ["pre-drafted"]


@pytest.mark.parametrize("text", ["", ",", "-1", "1.5", "x", "²", "1000", "0", "32", "3,32", "9" * 5000])
def test_what_is_no_number_is_refused_with_the_option(text: str) -> None:
    with pytest.raises(WrongUse, match="--widths takes whole numbers from 1 to 31"):
        numbers_of(text, "--widths", 1, 31)


def test_budgets_that_no_method_takes_are_refused() -> None:
    for methods, budgets in (("target-only,sd:5", "2"), ("sd", "2"), ("sd:5,as2d:3", "4,8")):
        with pytest.raises(WrongUse, match="contradicts --methods"):
            budgets_of(budgets, parse_methods(methods))
    assert budgets_of("2", parse_methods("sd:5,as2d")) == [2]
    assert budgets_of("4", parse_methods("sd:5")) == [4]
    assert budgets_of("2", parse_methods("target-only")) == [2]
    assert budgets_of(None, parse_methods("sd:8")) == [4]


def test_counts_agree_with_their_nouns() -> None:
    assert [counted(count, "window") for count in (0, 1, 2)] == ["0 windows", "1 window", "2 windows"]


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(WrongUse, match="root and text"):
        admissions_of("text,best")
    with pytest.raises(WrongUse, match="pre-drafted"):
        conditions_of("")


def test_columns_are_aligned() -> None:
    text = table(("name", "ms"), [["one", "1.5"], ["eleven", "100"]], right=(1,))
    assert text == "name     ms\n------  ---\none     1.5\neleven  100\n"
    assert number(None, 1, "s") == "–"
    assert number(1.25, 1, "s") == "1.2 s"
