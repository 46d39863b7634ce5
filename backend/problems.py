"""What a check of pydantic found wrong, in words for the user."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

_OWN = "value_error"
_NOISE = "Value error, "

WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is no field that this version knows",
    "json_invalid": "is not valid JSON",
    "string_type": "must be text",
    "string_pattern_mismatch": "does not have the form that it must have",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "literal_error": "must be {expected}",
    "union_tag_not_found": "does not say of what kind it is",
    "union_tag_invalid": "is of no kind that this version knows",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "has {actual_length} entries and needs at least {min_length}",
    "too_long": "has more than {max_length} entries",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
}
"""By pydantic's type of an error; the names in braces are its context."""

_OTHER = "is not valid"


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, behind the name of its field; a check's own sentence stands as it is."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == _OWN:
        message = first["msg"].removeprefix(_NOISE)
        return f"{place}: {message}" if place else message
    context: dict[str, Any] = first.get("ctx", {})
    return f"{place or 'it'} {WORDS.get(first['type'], _OTHER).format(**context)}"
