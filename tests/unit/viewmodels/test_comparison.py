"""What a comparison says in words."""

from __future__ import annotations

from as2d.app.viewmodels.comparison import comparison_view
from as2d.backend.compare.recorded import Difference, RecordedComparison, Side, TextDifference


def side(name: str, **changes: object) -> Side:
    values = {
        "run": name, "name": name, "arm": "as2d", "windows": 3, "tps": 50.0, "response_ms": 120.4,
        "joules_per_token": None, "acceptance": 0.625, "calls": 10, "extra": 7, "tokens_per_call": 1.7,
        "common": 3, "speed_up": 1.5, "speed_up_low": None, "speed_up_high": None, "slower_share": 0.0,
        "identical": True, "difference": None,
    }  # fmt: skip
    return Side.model_validate({**values, **changes})


def test_sides_without_a_common_window_are_not_called_identical() -> None:
    view = comparison_view(RecordedComparison(differences=(), sides=(side("one"), side("two", common=0))))
    assert view.same is None
    assert view.verdict.startswith("No window")


def test_identical_is_said_of_the_windows_that_were_compared_only() -> None:
    def verdict(*common: int) -> tuple[str, bool | None]:
        sides = (side("one"), *(side(str(place), common=n) for place, n in enumerate(common)))
        view = comparison_view(RecordedComparison(differences=(), sides=sides))
        return view.verdict, view.same

    assert verdict(3, 3) == ("Identical output in all 3 windows", True)
    assert verdict(3, 2) == (
        "Identical output wherever the first row decoded the same window: 2 to 3 windows",
        True,
    )
    assert verdict(3, 0) == ("Identical output, but 1 row shares no window with the first", None)


def test_texts_are_cut_where_they_part() -> None:
    found = TextDifference(
        recording="talk.wav",
        start_s=30.0,
        position=4,
        text="so we desire less",
        reference="so we  desired more",
    )
    sides = (side("one"), side("two", identical=False, difference=found))
    item = Difference(what="settings budget", values=("4", None))
    view = comparison_view(RecordedComparison(differences=(item,), sides=sides))
    assert view.same is False
    assert view.verdict == "The outputs differ: in talk.wav at 30.0 s, from token 4 on"
    assert view.texts == (("one, as2d", "so we ", "desired more"), ("two, as2d", "so we ", "desire less"))
    assert view.differences == (("settings budget", "4", "–"),)
    assert view.rows[0][2] == "reference"
    assert view.rows[1][2:9] == ("1.50 ×", "0 %", "50.0", "120 ms", "–", "62 %", "10")


def test_a_text_that_only_goes_on_parts_at_its_last_word() -> None:
    found = TextDifference(recording="t", start_s=0.0, position=2, text="so we go on", reference="so we go")
    view = comparison_view(RecordedComparison(differences=(), sides=(side("a"), side("b", difference=found))))
    assert view.texts[1] == ("b, as2d", "so we ", "go on")
