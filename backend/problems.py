"""What a check of pydantic found wrong, in words for the user."""

from __future__ import annotations

from pydantic import ValidationError

_OWN = "value_error"
_NOISE = "Value error, "


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, behind the name of its field; a check's own sentence stands as it is."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix(_NOISE) if first["type"] == _OWN else first["msg"]
    return f"{place}: {message}" if place else message
