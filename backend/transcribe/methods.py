"""Names of methods, and the one place where they are parsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.errors import WrongUse

TARGET_ONLY = "target-only"
DEFAULT_METHOD = "as2d"
DEFAULT_BUDGET = 4
LARGEST_BUDGET = 31

METHODS = (
    TARGET_ONLY,
    "sd",
    "specasr",
    "as2d",
    "without-td",
    "as2d-serial",
    "lookahead",
    "as2d-resync",
)

ALIGNING_METHODS = ("as2d", "without-td", "as2d-serial", "as2d-resync")
"""Methods that align drafts with the text, for which the admission makes a difference."""

CONFIDENCE_METHOD = "specasr"
"""The method whose drafts end where the drafter is unsure."""

PATIENCE_METHOD = "as2d-resync"
"""The method whose producer starts again when its drafts no longer fit."""

STANDARD_SD = "sd"
SD_WIDTHS = (5, 6, 7, 8)
"""The K whose mean stands for `sd` in tables."""


@dataclass(frozen=True)
class MethodChoice:
    """A method and, where it was said, the most candidates a call may carry."""

    name: str
    budget: int | None = None

    @property
    def drafts(self) -> bool:
        """Whether the method uses a drafter."""
        return self.name != TARGET_ONLY


def parse_method(text: str) -> MethodChoice:
    """A method as users write it: `as2d`, or `sd:5` for K = 5, which is a budget of 4 candidates.

    Raises:
        WrongUse: there is no such method, or K is no number from 2 to 32.
    """
    name, colon, width = text.strip().partition(":")
    if name not in METHODS:
        raise WrongUse(f"There is no method '{name}'; choose one of {', '.join(METHODS)}.")
    if not colon:
        return MethodChoice(name, 0 if name == TARGET_ONLY else None)
    if name == TARGET_ONLY:
        raise WrongUse("The method 'target-only' has no width; write it without ':'.")
    if not width.isascii() or not width.isdigit() or not 2 <= int(width) <= LARGEST_BUDGET + 1:
        raise WrongUse(
            f"The width in '{text}' must be a number from 2 to {LARGEST_BUDGET + 1} (K, the root included)."
        )
    return MethodChoice(name, int(width) - 1)


def parse_methods(text: str) -> list[MethodChoice]:
    """A comma-separated list of methods, as `parse_method`."""
    return [parse_method(part) for part in text.split(",") if part.strip()]


def with_target_only(methods: Sequence[MethodChoice]) -> list[MethodChoice]:
    """The methods with target-only among them, which the others are held against.

    Raises:
        WrongUse: there are none.
    """
    if not methods:
        raise WrongUse("No method was named; --methods takes names such as target-only,as2d.")
    alone = MethodChoice(TARGET_ONLY, 0)
    return list(methods) if alone in methods else [alone, *methods]


def check_budget(budget: int) -> int:
    """The budget, if it is one.

    Raises:
        WrongUse: it is negative or too large.
    """
    if not 0 <= budget <= LARGEST_BUDGET:
        raise WrongUse(f"The budget must be 0 to {LARGEST_BUDGET} candidates, not {budget}.")
    return budget


def agreed_budget(choice: MethodChoice, budget: int | None) -> int | None:
    """The budget of a method and of an option beside it; None: neither says one.

    Raises:
        WrongUse: they contradict each other, or it is no budget.
    """
    if not choice.drafts:
        if budget:
            raise WrongUse(
                f"--budget {budget} contradicts '{choice.name}', which drafts nothing; leave it out."
            )
        return None
    own = choice.budget
    if None not in (own, budget) and own != budget:
        raise WrongUse(
            f"--budget {budget} contradicts '{choice.name}:{(own or 0) + 1}', which is a budget of {own}; "
            "give one of them."
        )
    asked = own if budget is None else budget
    return check_budget(asked) if asked is not None else None


def check_settings(methods: Sequence[MethodChoice], confidence: float | None, patience: int | None) -> None:
    """Refuse an option of a method that is not among `methods`.

    Raises:
        WrongUse: nobody would take it.
    """
    for option, value, name in (
        ("--confidence", confidence, CONFIDENCE_METHOD),
        ("--patience", patience, PATIENCE_METHOD),
    ):
        if value is not None and all(method.name != name for method in methods):
            raise WrongUse(f"{option} is an option of the method {name}, which was not chosen; leave it out.")


def check_known(method: str, known: Sequence[str]) -> None:
    """Refuse a method that the helper does not have.

    Raises:
        WrongUse: the helper does not know it.
    """
    if method not in known:
        raise WrongUse(f"This helper cannot decode by '{method}'; it knows {', '.join(known)}.")
