"""The text of a run token by token, from streams as the helper writes them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from as2d.app.viewmodels.transcript import TranscriptModel
from as2d.backend.metrics.token_texts import TokenTexts
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import (
    Call,
    Commit,
    Counters,
    Publish,
    Result,
    ResultTimes,
    Word,
    Words,
)
from as2d.backend.protocol.lines import RecordedEvent


def published(tokens: dict[int, str]) -> Publish:
    return Publish(
        t=1, seq=1, window="p", epoch=0, first=0, tokens=tuple(tokens), texts=tuple(tokens.values()), length=9
    )


@given(
    texts=st.dictionaries(
        st.integers(0, 50), st.text(max_size=4).filter(lambda t: "\ufffd" not in t), min_size=1
    ),
    data=st.data(),
)
def test_parts_of_a_commit_join_to_its_text(texts: dict[int, str], data: st.DataObject) -> None:
    spelt = TokenTexts()
    known = data.draw(st.sets(st.sampled_from(sorted(texts))))
    spelt.learn(published({token: texts[token] for token in known}))
    tokens = data.draw(st.lists(st.sampled_from(sorted(texts)), min_size=1, max_size=6))
    whole = "".join(texts[token] for token in tokens)
    parts = spelt.split(tokens, whole)
    assert len(parts) == len(tokens)
    assert "".join(parts) == whole


def test_the_only_unknown_token_gets_what_is_left() -> None:
    spelt = TokenTexts()
    spelt.learn(published({1: " so", 2: " my"}))
    assert spelt.split([1, 9, 2], " so, my") == [" so", ",", " my"]
    assert spelt.text(9) == ","


def begun(*windows: str) -> list[RecordedEvent]:
    stream: list[RecordedEvent] = [host_events.RecordingQueued(t=0, recording="a1", audio="talk.wav")]
    for index, window in enumerate(windows):
        stream.append(
            host_events.WindowCut(
                t=1,
                recording="a1",
                window=window,
                index=index,
                start_s=30.0 * index,
                end_s=30.0 * index + 30,
                speech=True,
            )
        )
    return stream


def asked(window: str, attempt: int = 1) -> list[RecordedEvent]:
    name = f"{window}.p{attempt}"
    return [
        host_events.PrepareSent(t=2, window=window, preparation=name),
        host_events.RequestSent(t=3, request=f"{name}.r1", preparation=name, task="transcribe"),
    ]


def call(window: str, index: int, accepted: int, candidates: tuple[int, ...]) -> Call:
    return Call(
        t=4,
        seq=2,
        request=f"{window}.r1",
        window=window,
        index=index,
        kind="verify",
        start=3,
        end=4,
        threads=1,
        k=len(candidates) + 1,
        root=1,
        candidates=candidates,
        choices=(),
        margins=(),
        accepted=accepted,
        published=3,
        cursor=0,
        reason="candidates",
    )


def commit(window: str, first: int, text: str, *origins: str) -> Commit:
    return Commit.model_validate(
        {
            "t": 5,
            "seq": 3,
            "request": f"{window}.r1",
            "window": window,
            "tokens": tuple(range(len(origins))),
            "text": text,
            "origins": origins,
            "first": first,
        }
    )


def result(window: str, text: str, stop: str = "end_of_text") -> Result:
    counters = Counters(
        tokens=1,
        calls=1,
        guard_calls=0,
        proposed=0,
        accepted=0,
        accepted_by_position=(),
        proposed_by_position=(),
        hits=0,
        end_accepted=False,
    )
    times = ResultTimes(request=1, prefill_start=1, first_token=1, end=2, audio_ready=1)
    return Result.model_validate(
        {
            "t": 6,
            "seq": 4,
            "re": 1,
            "request": f"{window}.r1",
            "window": window,
            "method": "as2d",
            "budget": 4,
            "admission": "text",
            "start_condition": "pre-drafted",
            "language": "en",
            "language_probability": None,
            "tokens": (1,),
            "text": text,
            "stop": stop,
            "counters": counters,
            "times": times,
            "no_speech_prob": 0.0,
            "audit": None,
        }
    )


def shown(stream: list[RecordedEvent]) -> TranscriptModel:
    model = TranscriptModel()
    for event in stream:
        model.feed(event)
    return model


def test_every_piece_knows_its_call() -> None:
    model = shown(
        [
            *begun("w1"),
            *asked("w1"),
            commit("w1.p1", 0, " And", "prefill"),
            call("w1.p1", 0, 1, (7, 8)),
            commit("w1.p1", 1, " so my", "accepted", "correction"),
        ]
    )
    pieces = list(model.recordings["a1"].pieces())
    assert [(piece.origin, piece.call, piece.k, piece.accepted) for piece in pieces] == [
        ("prefill", None, 1, 0),
        ("accepted", 0, 3, 1),
        ("correction", 0, 3, 1),
    ]
    assert model.recordings["a1"].text() == "And so my"


def test_windows_join_without_a_seam_in_scripts_with_and_without_spaces() -> None:
    def text(first: str, second: str) -> str:
        stream = [*begun("w1", "w2"), *asked("w1"), commit("w1.p1", 0, first, "prefill")]
        return shown([*stream, *asked("w2"), commit("w2.p1", 0, second, "prefill")]).recordings["a1"].text()

    assert text(" Good", " evening") == "Good evening"
    assert text("你好", "世界") == "你好世界"


def test_a_window_that_is_decoded_again_is_shown_once() -> None:
    stream = [*begun("w1"), *asked("w1"), commit("w1.p1", 0, " half", "prefill"), *asked("w1", 2)]
    model = shown(stream)
    revision = model.recordings["a1"].revision
    assert revision == 1
    for event in (commit("w1.p2", 0, " whole", "prefill"), commit("w1.p1", 1, " late", "target-only")):
        model.feed(event)
    assert model.recordings["a1"].text() == "whole"


def test_text_that_turns_out_to_be_no_speech_goes_away() -> None:
    stream = [
        *begun("w1"),
        *asked("w1"),
        commit("w1.p1", 0, " Thanks", "prefill"),
        result("w1.p1", "", "no_speech"),
    ]
    model = shown(stream)
    assert model.recordings["a1"].text() == ""
    assert model.recordings["a1"].revision == 1


def test_a_token_is_found_in_the_sound_by_its_word() -> None:
    words = Words(
        t=6,
        seq=5,
        request="w2.p1.r1",
        window="w2.p1",
        words=(
            Word(text=" a", start=0.5, end=0.7, first_token=0, tokens=1),
            Word(text=" bcd", start=1.25, end=2.0, first_token=1, tokens=2),
        ),
    )
    model = shown([*begun("w1", "w2"), *asked("w2"), words])
    window = model.window("w2")
    assert window is not None
    assert [window.seconds_of(index) for index in (0, 1, 2, 9)] == [30.5, 31.25, 31.25, 30.0]
