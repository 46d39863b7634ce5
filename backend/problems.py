"""What a check of pydantic found wrong, in words for the user."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

_OWN = "value_error"
_NOISE = "Value error, "

WORDS = {
    "missing": "{place} is missing",
    "extra_forbidden": "{place} is no field that this version knows",
    "json_invalid": "{place} is not valid JSON",
    "string_type": "{place} must be text",
    "string_pattern_mismatch": "{place} does not have the form that it must have",
    "bool_type": "{place} must be true or false",
    "bool_parsing": "{place} must be true or false",
    "int_type": "{place} must be a whole number",
    "int_parsing": "{place} must be a whole number",
    "int_from_float": "{place} must be a whole number",
    "float_type": "{place} must be a number",
    "float_parsing": "{place} must be a number",
    "finite_number": "{place} must be a finite number",
    "literal_error": "{place} must be {expected}",
    "union_tag_not_found": "{place} does not say of what kind it is",
    "union_tag_invalid": "{place} is of no kind that this version knows",
    "list_type": "{place} must be a list",
    "tuple_type": "{place} must be a list",
    "dict_type": "{place} must be an object",
    "model_type": "{place} must be an object",
    "model_attributes_type": "{place} must be an object",
    "greater_than": "{place} must be more than {gt}",
    "greater_than_equal": "{place} must be at least {ge}",
    "less_than": "{place} must be less than {lt}",
    "less_than_equal": "{place} must be at most {le}",
    "too_short": "{place} has {actual_length} entries and needs at least {min_length}",
    "too_long": "{place} has more than {max_length} entries",
    "string_too_short": "{place} must have at least {min_length} characters",
    "string_too_long": "{place} must have at most {max_length} characters",
}
"""By pydantic's type of an error; the names in braces are the field and the error's context."""

_OTHER = "{place} is not valid"


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, behind the name of its field; a check's own sentence stands as it is."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == _OWN:
        message = first["msg"].removeprefix(_NOISE)
        return f"{place}: {message}" if place else message
    context: dict[str, Any] = first.get("ctx", {})
    return WORDS.get(first["type"], _OTHER).format(place=place or "it", **context)
