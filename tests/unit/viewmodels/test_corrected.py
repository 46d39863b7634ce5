"""Corrected texts on a recorded run: origins, times, and the words that are heard."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from as2d.app.viewmodels.corrected import corrected_text
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.spoken import SpokenWords
from as2d.app.viewmodels.timed_lines import timed_lines
from as2d.app.viewmodels.transcript import CorrectedText, RecordingText
from as2d.backend.export.corrected import with_text
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.runs.store import RunStore

RUNS = Path(__file__).parents[2] / "data" / "runs"


@cache
def recorded() -> tuple[RunViewModel, dict[str, Transcript]]:
    stored = RunStore(RUNS).find("three-recordings")
    run = RunViewModel(stored.folder)
    run.feed(stored.events())
    return run, {name: transcript_of(run.fold, name, stored.manifest) for name in run.fold.recordings}


def texts() -> list[tuple[RecordingText, Transcript]]:
    run, transcripts = recorded()
    return [(run.transcript.recordings[name], transcript) for name, transcript in transcripts.items()]


def corrected(decoded: RecordingText, transcript: Transcript, text: str) -> CorrectedText:
    return corrected_text(decoded, with_text(transcript, text))


def test_every_word_is_heard_at_its_time() -> None:
    for decoded, transcript in texts():
        spoken = SpokenWords(decoded)
        for window in transcript.windows:
            for word in window.words:
                if word.end - word.start < 0.02:
                    continue
                heard = spoken.at((word.start + word.end) / 2)
                assert heard is not None
                assert heard.start <= (word.start + word.end) / 2
        assert spoken.at(-1.0) is None
        assert spoken.at(transcript.windows[-1].end + 60) is None


def test_what_stays_keeps_its_call_and_its_time() -> None:
    decoded, transcript = texts()[0]
    words = transcript.text.split()
    text = " ".join([*words[:2], "inserted", *words[2:]])
    found = corrected(decoded, transcript, text)
    assert found.text() == text
    assert "".join(piece.text for piece in found.pieces()) == text
    edited = [piece for piece in found.pieces() if piece.edited]
    assert [piece.text for piece in edited] == [" inserted"]
    before = {(piece.text.strip(), piece.call) for piece in decoded.pieces() if piece.text.strip()}
    stayed = {(piece.text.strip(), piece.call) for piece in found.pieces() if not piece.edited}
    assert stayed <= before
    old, new = SpokenWords(decoded), SpokenWords(found)
    last = next(piece for piece in reversed(decoded.pieces()) if piece.text.strip())
    same = next(piece for piece in reversed(found.pieces()) if piece.text.strip() == last.text.strip())
    assert new.begin_of(same) == pytest.approx(old.begin_of(last), abs=0.002)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_pieces_spell_any_corrected_text(data: st.DataObject) -> None:
    decoded, transcript = data.draw(st.sampled_from(texts()))
    words = transcript.text.split(" ")
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(words)))
        words[place : place + data.draw(st.integers(0, 3))] = data.draw(
            st.lists(st.sampled_from(["new", "好", "a\nb", "it's", "é"]), max_size=3)
        )
    text = " ".join(words)
    found = corrected(decoded, transcript, text)
    shown = "".join(piece.text for piece in found.pieces())
    assert shown.split() == text.split()
    assert shown.count("\n") == text.strip().count("\n")
    spoken = SpokenWords(found)
    keys = {(piece.window, piece.index) for piece in found.pieces()}
    for window in found.windows:
        for word in window.words:
            assert all((window.window, word.first_token + n) in keys for n in range(word.tokens))
    assert all(spoken.begin_of(piece) is not None for piece in found.pieces())


def test_lines_with_times_hold_the_whole_text() -> None:
    for decoded, transcript in texts():
        lines = timed_lines(decoded).splitlines()
        assert all(line.startswith("[0:00:") for line in lines)
        joined = " ".join(line.split("] ", 1)[1] for line in lines)
        assert joined.split() == transcript.text.split()
