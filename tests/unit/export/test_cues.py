"""Subtitle cues keep their limits whatever the words are."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from as2d.backend.export.cues import MAX_SECONDS, Cue, TimedWord, make_cues
from as2d.backend.export.lines import LINE_COLUMNS, break_lines
from as2d.backend.export.scripts import columns, join_texts

TEXT = st.text(st.sampled_from("ab ,.?天气。，ê안Δ😀"), max_size=30) | st.just(" " + "long" * 40)
WORDS = st.lists(
    st.tuples(TEXT, st.floats(-1, 9, allow_nan=False), st.floats(-1, 4, allow_nan=False)), max_size=40
)


def _speak(text: str, seconds_a_word: float = 0.3, pause_after: str = "") -> list[TimedWord]:
    words, t = [], 0.0
    for word in text.split():
        words.append(TimedWord(" " + word, t, t + seconds_a_word))
        t += seconds_a_word + (2.0 if word == pause_after else 0.02)
    return words


def _check(cues: list[Cue]) -> None:
    for cue in cues:
        assert 0 < cue.end - cue.start <= MAX_SECONDS + 1e-9
        assert 1 <= len(cue.lines) <= 2
        assert all(0 < columns(line) <= LINE_COLUMNS for line in cue.lines)
        assert all(line == line.strip() for line in cue.lines)
    for left, right in itertools.pairwise(cues):
        assert left.end <= right.start + 1e-9


@given(WORDS)
@example([(" " + "long" * 40, 4.0, 0.0), (" " + "long" * 40, 0.0, 2.85e-15)])  # less than a float can share
def test_any_words_give_cues_within_the_limits_that_lose_no_character(
    spoken: list[tuple[str, float, float]],
) -> None:
    t = 0.0
    words = []
    for text, gap, length in spoken:
        words.append(TimedWord(text, t + gap, t + gap + length))
        t += max(gap, 0) + max(length, 0)
    cues = make_cues(words)
    assert "".join("".join(cue.lines) for cue in cues).replace(" ", "") == "".join(
        "".join(word.text for word in words).split()
    )
    for cue in cues:
        assert 1 <= len(cue.lines) <= 2
        assert all(columns(line) <= LINE_COLUMNS for line in cue.lines)
        assert 0 < cue.end - cue.start <= MAX_SECONDS + 1e-9


def test_what_is_too_long_for_one_cue_is_cut_after_a_sentence() -> None:
    cues = make_cues(
        _speak(
            "The first sentence is short. "
            "The second one is longer, and it does not fit beside the first one.",
            0.2,
        )
    )
    assert [" ".join(cue.lines) for cue in cues] == [
        "The first sentence is short.",
        "The second one is longer, and it does not fit beside the first one.",
    ]
    _check(cues)


def test_a_long_pause_is_never_inside_a_cue() -> None:
    cues = make_cues(_speak("so we waited for him to come back to us", pause_after="him"))
    assert [" ".join(cue.lines) for cue in cues] == ["so we waited for him", "to come back to us"]
    _check(cues)


def test_lines_are_even_and_break_after_a_comma() -> None:
    assert break_lines("And so my fellow Americans, ask not what your country can do for you") == (
        "And so my fellow Americans,",
        "ask not what your country can do for you",
    )
    assert break_lines("it is rather long and has no comma for quite some time until the end") == (
        "it is rather long and has no comma",
        "for quite some time until the end",
    )
    assert break_lines("a line of fewer columns") == ("a line of fewer columns",)


def test_sentences_and_names_stay_whole() -> None:
    assert break_lines("invented in the early Middle Ages. The earliest book, printed with type,") == (
        "invented in the early Middle Ages.",
        "The earliest book, printed with type,",
    )
    spoken = _speak(
        "The crew was led by Commander William McCool, Dr. Kulpna Shavla and the difficulties of the flight "
        "were too, cruel. Thou that art now the world's fresh ornament and only herald to the gaudy spring.",
        0.28,
    )
    cues = make_cues(spoken)
    _check(cues)
    assert not [cue for cue in cues if cue.lines[-1].split()[-1] in ("Dr.", "The", "of", "and", "now")]
    assert not [line for cue in cues for line in cue.lines if line.split()[-1] in ("Dr.", "The", "of", "the")]
    assert any(cue.lines[-1].endswith("cruel.") for cue in cues)


def test_chinese_breaks_between_characters_and_not_before_punctuation() -> None:
    text = "昨天下了一整天的雨，所以大家都待在家里看电视聊天，没有人愿意出门散步去公园。"
    words = [TimedWord(character, place * 0.15, place * 0.15 + 0.15) for place, character in enumerate(text)]
    cues = make_cues(words)
    _check(cues)
    lines = [line for cue in cues for line in cue.lines]
    assert "".join(lines) == text
    assert all(cue.lines[-1][-1] in "，。" for cue in cues)
    assert all(line[0] not in "，。" for line in lines)


def test_a_word_longer_than_a_line_is_cut() -> None:
    cues = make_cues([TimedWord(" " + "x" * 100, 0.0, 5.0)])
    _check(cues)
    assert "".join("".join(cue.lines) for cue in cues) == "x" * 100


def test_a_word_that_lasts_too_long_does_not_stay_on_screen() -> None:
    cues = make_cues([TimedWord(" hello", 0.0, 25.0)])
    assert cues == [Cue(0.0, 7.0, ("hello",))]


def test_windows_join_without_a_seam() -> None:
    assert join_texts([" One two.", " Three.", "", "Four"]) == "One two. Three. Four"
    assert join_texts(["今天", "天气"]) == "今天天气"
    assert join_texts(["안녕", "하세요"]) == "안녕 하세요"
    assert join_texts(["สวัสดี", "ครับ"]) == "สวัสดีครับ"
