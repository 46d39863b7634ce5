"""Traces made by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from as2d.backend.protocol.trace_events import Continuation, EncoderTimes, HexText
from as2d.backend.replay.trace_file import TraceLine


def make_trace(**changes: Any) -> TraceLine:
    fields: dict[str, Any] = {
        "window": "a1.w1",
        "language": "en",
        "task": "transcribe",
        "prompt_tokens": 4,
        "tokens": (5, 6, 7),
        "margins": (1.5, 2.0, 0.25),
        "stop": "end_of_text",
        "no_speech_prob": 0.01,
        "end_token": 7,
        "token_limit": 224,
        "logit_gap": 0.0001,
        "own": ((" a", 0.9, 2, False), (HexText(hex="e4b8"), 1.0, 1, True)),
        "continuations": (Continuation(after=1, pieces=((" b", 0.5, 1, True),)),),
        "encoder": EncoderTimes(
            target_ms=700.0, target_cross_ms=20.0, drafter_ms=100.0, drafter_cross_ms=3.0
        ),
        "prefill_ms": 9.5,
        "call_ms": 8.0,
        "recording": "talks/talk.wav",
        "split": "dev",
        "start_s": 0.0,
        "end_s": 12.5,
        "target": "1" * 64,
        "drafter": "2" * 64,
        "helper": "build",
        "device": "a computer",
        "threads": 2,
        "shared_threads": 1,
    }
    return TraceLine.model_validate(fields | changes)


@pytest.fixture
def trace() -> Callable[..., TraceLine]:
    """Makes traces."""
    return make_trace
