"""What a check found wrong is told without the checking library's own words."""

from __future__ import annotations

import json
from typing import Self

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

from as2d.backend.problems import first_problem


class Pair(BaseModel):
    low: int = Field(ge=0)
    high: int

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.high < self.low:
            raise ValueError("ends before it begins")
        return self


class Pairs(BaseModel):
    pairs: list[Pair]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"pairs": [{"low": 3, "high": 2}]}, "pairs.0: ends before it begins"),
        ({"pairs": [{"low": -1, "high": 2}]}, "pairs.0.low: Input should be greater than or equal to 0"),
        ({"pairs": "x"}, "pairs: Input should be a valid array"),
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
