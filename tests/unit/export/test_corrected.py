"""Corrected texts keep the times of what stayed, whatever was changed around it."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from as2d.backend.errors import InputRefused, OutOfSpace
from as2d.backend.export.alignment import align, units
from as2d.backend.export.corrected import corrected_transcript, with_text
from as2d.backend.export.formats import render
from as2d.backend.export.subtitles import cues_of
from as2d.backend.export.transcript import Transcript, TranscriptWindow, TranscriptWord, transcript_of
from as2d.backend.runs.corrections import CORRECTIONS_NAME, read_corrections, write_correction
from as2d.backend.runs.store import RunStore

TEXTS = st.text(alphabet="ab .,é好吗か่\n'", max_size=40)


def transcript(*windows: tuple[float, float, list[tuple[str, float, float]]]) -> Transcript:
    made = []
    for start, end, words in windows:
        rows = tuple(
            TranscriptWord(text=text, start=begin, end=stop, first_token=number, tokens=1)
            for number, (text, begin, stop) in enumerate(words)
        )
        made.append(
            TranscriptWindow(
                start=start, end=end, text="".join(word.text for word in rows).strip(),
                tokens=tuple(range(len(rows))), words=rows, calls=1, guard_calls=0, proposed=0, accepted=0,
                prepare_s=0.0, draft_s=0.0, decode_s=0.0,
            )
        )  # fmt: skip
    return Transcript(
        audio="a.wav", text=" ".join(window.text for window in made), language="en", method="as2d", budget=4,
        max_k=5, admission="text", start_condition="pre-drafted", target="t", drafter="d", device="here",
        run="r", windows=tuple(made), corrected=False,
    )  # fmt: skip


ENGLISH = transcript(
    (0.0, 4.0, [(" Ask", 0.5, 0.9), (" not", 0.9, 1.3), (" what", 1.3, 1.6), (" yore", 1.6, 2.0)]),
    (4.0, 8.0, [(" country", 4.4, 5.0), (" can", 5.0, 5.2), (" do.", 5.2, 5.6)]),
)
CHINESE = transcript(
    (0.0, 5.0, [("今天", 0.2, 0.8), ("天汽", 0.8, 1.4), ("很好", 1.4, 2.0), ("。", 2.0, 2.1)]),
)


@given(TEXTS, TEXTS)
@settings(max_examples=300, deadline=None)
def test_stretches_cover_both_texts_and_same_ones_are_equal(old: str, new: str) -> None:
    before, after = units(old), units(new)
    assert "".join(unit.text for unit in before) == "".join(old.split())
    assert all(old[unit.begin : unit.end] == unit.text for unit in before)
    stretches = align(before, after)
    assert [place for s in stretches for place in range(s.old_begin, s.old_end)] == list(range(len(before)))
    assert [place for s in stretches for place in range(s.new_begin, s.new_end)] == list(range(len(after)))
    for stretch in stretches:
        texts = [unit.text for unit in before[stretch.old_begin : stretch.old_end]]
        if stretch.same:
            assert texts == [unit.text for unit in after[stretch.new_begin : stretch.new_end]]
    if old == new:
        assert all(stretch.same for stretch in stretches)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_any_text_can_take_the_place_of_the_decoded_one(text: str) -> None:
    corrected = with_text(ENGLISH, text)
    assert corrected.text == text.strip()
    assert corrected.corrected
    spoken = [word for window in corrected.windows for word in window.words]
    assert "".join("".join(word.text for word in spoken).split()) == "".join(text.split())
    assert all(0.0 <= word.start <= word.end <= 8.0 for word in spoken)
    assert [word.start for word in spoken] == sorted(word.start for word in spoken)
    for form in ("txt", "srt", "vtt", "json"):
        render(corrected, form)


def test_a_replaced_word_takes_the_time_of_the_old_and_others_keep_theirs() -> None:
    corrected = with_text(ENGLISH, "Ask not what your country can do.")
    words = [(word.text, word.start, word.end) for window in corrected.windows for word in window.words]
    assert words == [
        ("Ask", 0.5, 0.9), (" not", 0.9, 1.3), (" what", 1.3, 1.6), (" your", 1.6, 2.0),
        (" country", 4.4, 5.0), (" can", 5.0, 5.2), (" do.", 5.2, 5.6),
    ]  # fmt: skip
    assert [window.text for window in corrected.windows] == ["Ask not what your", "country can do."]
    assert [word.tokens for word in corrected.windows[0].words] == [1, 1, 1, 0]


def test_words_added_and_taken_away_leave_the_others_in_their_place() -> None:
    corrected = with_text(ENGLISH, "Ask what yore whole wide country do.")
    words = {
        word.text.strip(): (word.start, word.end) for window in corrected.windows for word in window.words
    }
    assert words["Ask"] == (0.5, 0.9)
    assert words["country"] == (4.4, 5.0)
    assert words["do."] == (5.2, 5.6)
    assert 2.0 <= words["whole"][0] <= words["wide"][1] <= 4.4


def test_what_is_added_behind_the_last_word_has_the_time_that_is_left() -> None:
    corrected = with_text(ENGLISH, f"{ENGLISH.text} Thank you.\nAll of you.")
    words = corrected.windows[-1].words[3:]
    assert [word.text.strip() for word in words] == ["Thank", "you.", "All", "of", "you."]
    assert words[0].start == 5.6
    assert words[-1].end == 8.0
    assert all(word.end > word.start for word in words)


def test_lines_added_where_no_time_is_left_are_read_one_after_the_other() -> None:
    close = transcript((0.0, 2.0, [(" Ask", 0.0, 1.0), (" not.", 1.0, 2.0)]))
    lines = [f"This is the added line of text number {number}, and it is long." for number in (1, 2, 3)]
    for text in (" ".join([*lines, "Ask not."]), " ".join(["Ask not.", *lines])):
        cues = cues_of(with_text(close, text))
        assert " ".join(" ".join(cue.lines) for cue in cues) == text
        assert all(cue.end - cue.start > 0.1 for cue in cues)
        assert all(left.end <= right.start + 1e-9 for left, right in pairwise(cues))


def test_subtitles_of_a_real_run_keep_their_times_when_words_are_corrected(repository: Path) -> None:
    stored = RunStore(repository / "tests" / "data" / "runs").find("three-recordings")
    fold = stored.fold()
    for name in fold.recordings:
        decoded = transcript_of(fold, name, stored.manifest)
        before = cues_of(decoded)
        text = decoded.text
        for cue in before:
            word = max(" ".join(cue.lines).split(), key=len)
            text = text.replace(word, word[:-1] + ("z" if word[-1].isalpha() else word[-1]))
        after = cues_of(with_text(decoded, text))
        assert text != decoded.text
        assert [(cue.start, cue.end) for cue in after] == [(cue.start, cue.end) for cue in before]
        assert " ".join(" ".join(cue.lines) for cue in after) == text


def test_chinese_is_aligned_character_by_character_and_words_stay_whole() -> None:
    corrected = with_text(CHINESE, "今天天气很好。")
    words = [(word.text, word.start, word.end) for word in corrected.windows[0].words]
    assert [text for text, _, _ in words] == ["今天", "天", "气", "很好", "。"]
    assert words[3] == ("很好", 1.4, 2.0)
    assert words[2][1:] == (pytest.approx(1.1), pytest.approx(1.4))
    assert corrected.windows[0].text == "今天天气很好。"


def test_an_hour_of_text_with_many_corrections_is_aligned_in_a_moment() -> None:
    words = [(f" word{number % 700}", number / 3, number / 3 + 0.3) for number in range(11_000)]
    long = transcript((0.0, 4000.0, words))
    changed = [text.strip() if number % 37 else "changed" for number, (text, _, _) in enumerate(words)]
    del changed[5000:5010]
    begun = time.process_time()
    corrected = with_text(long, " ".join(changed))
    took = time.process_time() - begun
    kept = {(word.text.strip(), word.start) for word in corrected.windows[0].words}
    assert ("word699", round(699 / 3, 3)) in kept
    assert (f"word{10_998 % 700}", round(10_998 / 3, 3)) in kept
    assert took < 60


def test_corrections_are_kept_with_the_run_and_taken_back(tmp_path: Path) -> None:
    assert read_corrections(tmp_path).recordings == {}
    assert corrected_transcript(ENGLISH, "a1", tmp_path) is ENGLISH
    write_correction(tmp_path, "a1", "Ask not what your country can do.")
    write_correction(tmp_path, "a2", "另一个。")
    assert corrected_transcript(ENGLISH, "a1", tmp_path).text == "Ask not what your country can do."
    assert read_corrections(tmp_path).recordings["a2"].text == "另一个。"
    write_correction(tmp_path, "a1", None)
    assert corrected_transcript(ENGLISH, "a1", tmp_path) is ENGLISH
    write_correction(tmp_path, "a2", None)
    assert list(tmp_path.iterdir()) == []


def test_unreadable_corrections_are_named_and_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / CORRECTIONS_NAME).write_text('{"format": 2}')
    with pytest.raises(InputRefused, match="holds no corrections that this version"):
        write_correction(tmp_path, "a1", "text")
    assert (tmp_path / CORRECTIONS_NAME).read_text() == '{"format": 2}'


def test_a_full_disk_leaves_the_correction_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import os

    write_correction(tmp_path, "a1", "first")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutOfSpace):
            write_correction(tmp_path, "a1", "second")
    assert read_corrections(tmp_path).recordings["a1"].text == "first"
