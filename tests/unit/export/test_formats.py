"""Transcripts in their formats, derived from a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from as2d.backend.export.cues import Cue
from as2d.backend.export.formats import render
from as2d.backend.export.subtitles import to_vtt
from as2d.backend.export.transcript import Transcript, transcript_of, transcript_schema_text
from as2d.backend.metrics.fold import RunFold
from as2d.backend.runs.manifest import RunManifest

FIELDS = {
    "audio", "text", "language", "method", "budget", "max_k", "admission", "start_condition", "target",
    "drafter", "device", "run", "windows", "corrected",
}  # fmt: skip
WINDOW_FIELDS = {
    "start", "end", "text", "tokens", "words", "calls", "guard_calls", "proposed", "accepted", "prepare_s",
    "draft_s", "decode_s",
}  # fmt: skip


@pytest.fixture
def transcript(stream: Any, call: Any, manifest: Callable[..., RunManifest]) -> Transcript:
    stream.recording("a1", "talk.wav")
    first = stream.prepare(stream.window("a1", 0, 0.5, 4.0))
    stream.request(
        first,
        [call(4, 2), call(0, 0)],
        " Hello there.",
        tokens=[2425, 456, 13],
        words=[(" Hello", 0.2, 0.6), (" there.", 0.7, 1.1)],
    )
    stream.window("a1", 1, 4.0, 6.0, speech=False)
    second = stream.prepare(stream.window("a1", 2, 3700.0, 3704.0))
    stream.request(second, [call(0, 0)], " Bye & <go>.", words=[(" Bye", 0.0, 0.4), (" & <go>.", 0.5, 9.0)])
    stream.done("a1", 3704.0)
    return transcript_of(RunFold.of(stream.events), "a1", manifest())


def test_json_has_exactly_the_published_fields(transcript: Transcript) -> None:
    line = render(transcript, "json")
    assert line.count("\n") == 1
    found = json.loads(line)
    assert found.keys() == FIELDS
    assert found["windows"][0].keys() == WINDOW_FIELDS
    assert found["windows"][0]["words"][0].keys() == {"text", "start", "end", "first_token", "tokens"}
    schema = json.loads(transcript_schema_text())
    assert set(schema["required"]) == FIELDS
    assert set(schema["$defs"]["TranscriptWindow"]["required"]) == WINDOW_FIELDS


def test_json_says_what_was_decoded_and_how(transcript: Transcript) -> None:
    assert (transcript.text, transcript.language) == ("Hello there. Bye & <go>.", "en")
    assert (transcript.budget, transcript.max_k) == (4, 5)
    first, silent, _ = transcript.windows
    assert (first.start, first.end, first.text, first.tokens) == (0.5, 4.0, "Hello there.", (2425, 456, 13))
    assert (first.calls, first.proposed, first.accepted) == (2, 4, 2)
    assert first.decode_s == pytest.approx(0.020)
    assert first.prepare_s == pytest.approx(0.700)
    assert (silent.text, silent.tokens, silent.calls) == ("", (), 0)


def test_word_times_are_those_of_the_recording_and_stay_in_the_window(transcript: Transcript) -> None:
    first, _, last = transcript.windows
    assert [(word.start, word.end) for word in first.words] == [(0.7, 1.1), (1.2, 1.6)]
    assert last.words[1].end == last.end == 3704.0


def test_text_is_one_line(transcript: Transcript) -> None:
    assert render(transcript, "txt") == "Hello there. Bye & <go>.\n"


def test_srt_times_come_from_the_words(transcript: Transcript) -> None:
    assert render(transcript, "srt") == (
        "1\n00:00:00,700 --> 00:00:01,700\nHello there.\n\n2\n01:01:40,000 --> 01:01:44,000\nBye & <go>.\n"
    )


def test_vtt_escapes_what_is_markup(transcript: Transcript) -> None:
    text = render(transcript, "vtt")
    assert text.startswith("WEBVTT\n\n00:00:00.700 --> 00:00:01.700\nHello there.\n")
    assert "Bye &amp; &lt;go&gt;." in text


def test_a_text_with_an_arrow_cannot_end_a_cue() -> None:
    text = to_vtt([Cue(0.0, 1.0, ("a --> b",))])
    assert len(re.findall("-->", text)) == 1


def test_nothing_said_gives_empty_subtitles(stream: Any, manifest: Callable[..., RunManifest]) -> None:
    stream.recording("a1", "silence.wav")
    stream.done("a1", 5.0)
    empty = transcript_of(RunFold.of(stream.events), "a1", manifest())
    assert render(empty, "srt") == ""
    assert render(empty, "vtt") == "WEBVTT\n"
    assert render(empty, "txt") == "\n"


def test_text_without_word_times_is_spread_over_the_window(
    stream: Any, call: Any, manifest: Callable[..., RunManifest]
) -> None:
    stream.recording("a1", "talk.wav")
    stream.request(stream.prepare(stream.window("a1", 0, 10.0, 14.0)), [call(0, 0)], " One two three four.")
    text = render(transcript_of(RunFold.of(stream.events), "a1", manifest()), "srt")
    assert text == "1\n00:00:10,000 --> 00:00:14,000\nOne two three four.\n"
