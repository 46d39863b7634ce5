"""Transcripts of a recorded run on standard output."""

from __future__ import annotations

from typing import Any

import pytest

from as2d.backend.cli.runs import print_transcripts
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.fold import RunFold


@pytest.fixture
def fold(stream: Any, call: Any) -> RunFold:
    for recording, audio, text in (("a1", "talks/one.wav", " hello"), ("a2", "talks/two.wav", " there")):
        stream.recording(recording, audio)
        prepared = stream.prepare(stream.window(recording, 0, 0.0, 5.0))
        stream.request(prepared, [call(0, 0, 10)], text, words=[(text, 1.0, 2.0)])
    return RunFold.of(stream.events)


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_several_recordings_do_not_share_one_subtitle_file(
    fold: RunFold, manifest: Any, capsys: pytest.CaptureFixture[str], form: Any
) -> None:
    with pytest.raises(WrongUse, match=rf"cannot share one {form} .*: a1 \(one.wav\), a2 \(two.wav\)"):
        print_transcripts(manifest(), fold, form, None)
    assert capsys.readouterr().out == ""
    for chosen in ("a2", "two.wav", "talks/two.wav"):
        print_transcripts(manifest(), fold, form, chosen)
        printed = capsys.readouterr().out
        assert "there" in printed
        assert "hello" not in printed


def test_several_texts_are_told_apart_by_their_names(
    fold: RunFold, manifest: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    print_transcripts(manifest(), fold, "txt", None)
    assert capsys.readouterr().out == "== one.wav ==\nhello\n\n== two.wav ==\nthere\n\n"
    print_transcripts(manifest(), fold, "txt", "a1")
    assert capsys.readouterr().out == "hello\n"


def test_a_recording_that_the_run_lacks_is_refused(fold: RunFold, manifest: Any) -> None:
    with pytest.raises(WrongUse, match=r"no transcript of 'three\.wav'"):
        print_transcripts(manifest(), fold, "txt", "three.wav")
