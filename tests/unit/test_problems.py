"""What a check found wrong is told without the checking library's own words."""

from __future__ import annotations

import json
from typing import Self

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core._pydantic_core import list_all_errors

from as2d.backend.problems import WORDS, first_problem


class Pair(BaseModel):
    low: int = Field(ge=0)
    high: int

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.high < self.low:
            raise ValueError("ends before it begins")
        return self


class Pairs(BaseModel):
    pairs: list[Pair] = Field(min_length=1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"pairs": [{"low": 3, "high": 2}]}, "pairs.0: ends before it begins"),
        ({"pairs": [{"low": -1, "high": 2}]}, "pairs.0.low must be at least 0"),
        ({"pairs": [{"low": 1.5, "high": 2}]}, "pairs.0.low must be a whole number"),
        ({"pairs": [{"low": 1}]}, "pairs.0.high is missing"),
        ({"pairs": []}, "pairs has 0 entries and needs at least 1"),
        ([], "it must be an object"),
        ({"pairs": "x"}, "pairs must be a list"),
    ],
)
def test_a_problem_names_its_field_and_nothing_else(content: object, told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Pairs.model_validate_json(json.dumps(content))
    assert first_problem(caught.value) == told


def test_what_is_wrong_with_the_whole_has_no_field() -> None:
    with pytest.raises(ValidationError) as caught:
        Pair.model_validate_json('{"low": 2, "high": 1}')
    assert first_problem(caught.value) == "ends before it begins"


def test_what_is_no_json_is_said_to_be_none() -> None:
    with pytest.raises(ValidationError) as caught:
        Pair.model_validate_json("{low: 2}")
    assert first_problem(caught.value) == "it is not valid JSON"


def test_every_sentence_can_be_filled_with_what_the_check_says() -> None:
    known = {error["type"]: error for error in list_all_errors() if error["type"] in WORDS}
    assert known.keys() == WORDS.keys()
    for name, error in known.items():
        assert "{" not in WORDS[name].format(place="it", **(error["example_context"] or {}))
