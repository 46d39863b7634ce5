"""Acceptance by audio time, and why boundaries had no candidates."""

from __future__ import annotations

from typing import Any

import pytest

from as2d.backend.metrics.anatomy import Anatomy, pool_anatomy
from as2d.backend.metrics.fold import RunFold


def _anatomy(stream: Any) -> Anatomy:
    fold = RunFold.of(stream.events)
    requests = list(fold.finished_requests())
    assert all(request.anatomy.marks == [] for request in requests)
    return pool_anatomy(request.anatomy for request in requests)


def _commit_each_call(stream: Any) -> None:
    """Streams of the maker commit everything at the end; a helper commits after prefill and each call."""
    events = []
    commits = [event for event in stream.events if type(event).__name__ == "Commit"]
    left = {commit.request: list(commit.tokens) for commit in commits}

    def commit(request: str, count: int) -> None:
        template = next(event for event in commits if event.request == request)
        tokens, left[request] = left[request][:count], left[request][count:]
        change = {"tokens": tuple(tokens), "origins": ("target-only",) * len(tokens), "text": ""}
        events.append(template.model_copy(update=change))

    for event in stream.events:
        name = type(event).__name__
        if name == "Commit":
            continue
        events.append(event)
        if name == "RequestSent":
            commit(event.request, 1)
        elif name == "Call" and event.kind != "guard":
            commit(event.request, event.accepted + 1)
    stream.events = events


def test_without_words_thirds_are_those_of_the_answer(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 9.0))
    # 9 tokens: the first from the prefill, then 1+2, 1, 1+2 and 1 of four calls; guard calls count nowhere.
    calls = [call(2, 2), call(0, 0), call(0, 0, guard=True), call(4, 2), call(3, 0)]
    stream.request(prepared, calls, " x")
    _commit_each_call(stream)
    anatomy = _anatomy(stream)
    # Calls begin at tokens 1, 4, 5 and 8 of 9; candidates propose 1 2 | 5 6 7 8 | 8 and beyond.
    assert (anatomy.boundaries, anatomy.hit_rate, anatomy.timed) == (4, 0.75, False)
    assert anatomy.hit_rate_by_third == (1.0, 0.5, 1.0)
    assert anatomy.acceptance_by_third == (1.0, 1.0, pytest.approx(1 / 6))
    assert anatomy.reasons == {"candidates": 3, "none-published": 1}


def test_with_words_thirds_are_those_of_the_audio(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 10.0, 19.0))
    # Both words lie in the last third of 9 s, whatever their place in the text.
    words = [(" late", 6.5, 7.0), (" later", 8.0, 8.5)]
    stream.request(prepared, [call(2, 1), call(0, 0)], " late later", words=words)
    _commit_each_call(stream)
    anatomy = _anatomy(stream)
    assert anatomy.timed
    assert anatomy.hit_rate_by_third == (None, None, 0.5)
    assert anatomy.acceptance_by_third == (None, None, 0.5)


def test_candidates_behind_an_accepted_end_are_not_proposed(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 9.0))
    # Three tokens: the first from the prefill, then two of four candidates, the second of them the end.
    stream.request(prepared, [call(4, 2)], " x", end_accepted=True)
    _commit_each_call(stream)
    assert _anatomy(stream).acceptance_by_third == (None, 1.0, 1.0)


def test_nothing_measured_has_no_anatomy() -> None:
    anatomy = pool_anatomy([])
    assert (anatomy.boundaries, anatomy.hit_rate, anatomy.timed, anatomy.reasons) == (0, None, False, {})
