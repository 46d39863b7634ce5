"""What a comparison says in words."""

from __future__ import annotations

from as2d.app.translation import SOURCE_LANGUAGE, use_language
from as2d.app.viewmodels.comparison import comparison_view
from as2d.app.viewmodels.comparison_tables import tables_of
from as2d.backend.compare.judging.judgement import (
    CorpusTable,
    Difference,
    JudgedWindow,
    Judgement,
    Paired,
    Regime,
    Side,
    TextDifference,
    WindowFigures,
)


def side(name: str, **changes: object) -> Side:
    paired = Paired(
        reference=0, windows=3, speed_up=1.5, low=None, high=None, change_q1=None, change_q3=None, faster=3,
        slower=0, slower_share=0.0, loss_median=None, loss_max=None, gain=0.5,
    )  # fmt: skip
    columns = dict.fromkeys(WindowFigures.model_fields, (None,)) | {"repeats": (1,), "identical": (True,)}
    values: dict[str, object] = dict.fromkeys(Side.model_fields) | {
        "run": name, "runs": (name,), "name": name, "arm": "as2d", "method": "as2d", "again": False,
        "members": (), "device": "a computer", "target": "base", "preparing": "isolated",
        "threads": (2,), "drafter_threads": (1,),
        "set_threads": (), "set_drafter_threads": (),
        "replayed": False, "windows": 3, "repeats": 1, "tokens": 20, "guard_calls": 0, "proposed": 9,
        "accepted": 7, "acceptance_by_position": (), "proposed_by_position": (), "tps": 50.0,
        "response_ms": 120.4, "acceptance": 0.625, "calls": 10, "extra": 7, "first": paired,
        "output_reference": 0, "compared": 20, "differing": 0, "identical": True, "figures": columns,
    }  # fmt: skip
    return Side.model_validate({**values, **changes})


def judged(*sides: Side, differences: tuple[Difference, ...] = ()) -> Judgement:
    window = JudgedWindow(corpus=None, recording="talk.wav", start_s=0.0, end_s=9.0)
    return Judgement(
        names=tuple(side.name for side in sides), differences=differences, notes=(), windows=(window,),
        sides=sides, tables=(), regimes=(),
    )  # fmt: skip


def _in(windows: int) -> dict[str, object]:
    """A side that wrote the same in so many windows."""
    columns = dict.fromkeys(WindowFigures.model_fields, (None,) * 3)
    same = (True,) * windows + (None,) * (3 - windows)
    return {"figures": columns | {"repeats": (1,) * 3, "identical": same}}


REFERENCE: dict[str, object] = {"first": None, "identical": None, "output_reference": None}


def test_sides_without_a_common_window_are_not_called_identical() -> None:
    view = comparison_view(judged(side("one", **REFERENCE), side("two", **REFERENCE)))
    assert view.same is None
    assert view.verdict.startswith("No window")


def test_identical_is_said_of_the_windows_that_were_compared_only() -> None:
    def verdict(*common: int) -> tuple[str, bool | None]:
        others = (side(str(place), **(_in(n) if n else REFERENCE)) for place, n in enumerate(common))
        view = comparison_view(judged(side("one", **REFERENCE), *others))
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
        margin=None,
        reference_margin=None,
        text="so we desire less",
        reference="so we  desired more",
    )
    sides = (side("one", **REFERENCE), side("two", identical=False, difference=found))
    item = Difference(what="settings budget", values=("4", None))
    view = comparison_view(judged(*sides, differences=(item,)))
    assert view.same is False
    assert view.verdict == "The outputs differ: in talk.wav at 30.0 s, from token 4 on"
    assert view.texts == (("one, as2d", "so we ", "desired more"), ("two, as2d", "so we ", "desire less"))
    assert view.differences == (("settings budget", "4", "–"),)
    assert view.rows[0][2] == "reference"
    assert view.rows[1][2:9] == ("1.50 ×", "0 %", "50.0", "120 ms", "–", "62 %", "10")


def test_a_text_that_only_goes_on_parts_at_its_last_word() -> None:
    found = TextDifference(
        recording="t", start_s=0.0, position=2, margin=None, reference_margin=None, text="so we go on",
        reference="so we go",
    )  # fmt: skip
    other = side("b", identical=False, difference=found)
    view = comparison_view(judged(side("a", **REFERENCE), other))
    assert view.texts[1] == ("b, as2d", "so we ", "go on")


def test_what_runs_differ_in_and_groups_of_windows_are_said_in_the_windows_language() -> None:
    differences = (
        Difference(what="device cpu", values=("one", "two")),
        Difference(what="settings start condition", values=("a", "b")),
        Difference(what="settings something", values=("a", "b")),
    )
    tables = (
        CorpusTable(
            device="Pixel", target="base", start_condition="pre-drafted", columns=("all", "talks"),
            windows=(3, 2), rows=(), best=(None, None), oracle=(None, None),
        ),
    )  # fmt: skip
    regime = Regime(
        kind="acceptance", name="drafts fit best", device="Pixel", target="base", low=0.5, high=1.0,
        windows=1, rows=(),
    )  # fmt: skip
    judgement = judged(side("one", **REFERENCE), side("two"), differences=differences).model_copy(
        update={"tables": tables, "regimes": (regime,)}
    )
    assert [row[0] for row in comparison_view(judgement).differences] == [
        "device processor",
        "settings start of drafting",
        "settings something",
    ]
    use_language("zh_CN")
    try:
        assert [row[0] for row in comparison_view(judgement).differences] == [
            "设备 处理器",
            "设置 起草开始",
            "设置 something",
        ]
        corpora, groups = tables_of(judgement)
    finally:
        use_language(SOURCE_LANGUAGE)
    assert corpora.title.endswith("Pixel, base, 随音频开始起草")
    assert corpora.heads[1:] == ("全部 (3)", "talks (2)")
    assert groups.rows[0][0].startswith("草稿最吻合, 50–100 %")


def test_the_row_of_the_faster_of_two_says_which_two() -> None:
    table = CorpusTable(
        device="a computer", target="base", start_condition="request-start", columns=("all",), windows=(1,),
        rows=(), best=(None,), oracle=(9.3,),
    )  # fmt: skip
    alone, drafted = side("one", **REFERENCE, arm="target-only", method="target-only"), side("two")
    judgement = judged(alone, drafted).model_copy(update={"tables": (table,)})
    (shown,) = tables_of(judgement)
    assert shown.rows == (("the faster of as2d and target-only in each window", "9.3"),)
