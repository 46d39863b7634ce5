"""What a calibration measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.models.manifest import ModelManifest


@dataclass(frozen=True)
class CalibrationPlan:
    """Widths K and contexts (tokens in the KV cache) of target calls and drafter steps, lengths of audio in
    seconds for drafter steps and for the encoders, width and context of the interference, and how often
    each is run.

    `lasts`: how long all this takes on a quiet computer, in words. In turn with target calls of `beside_k`
    tokens all drafter steps are run again, and in turn with drafter
    steps in a window of `turn_seconds`, the first of `turn_width` tokens, all target calls.
    """

    widths: Sequence[int] = tuple(range(1, 13))
    contexts: Sequence[int] = (8, 60, 140)
    drafter_widths: Sequence[int] = tuple(range(1, 9))
    drafter_contexts: Sequence[int] = (8, 60)
    drafter_seconds: Sequence[float] = (5.0, 15.0, 30.0)
    seconds: Sequence[float] = (5.0, 10.0, 20.0, 30.0)
    beside_k: int = 5
    beside_context: int = 60
    turn_width: int = 2
    turn_seconds: float = 15.0
    repeats: int = 15
    encoder_repeats: int = 5
    lasts: str = "about three minutes"


QUICK = CalibrationPlan(
    widths=(1, 2, 5),
    contexts=(8, 60),
    drafter_widths=(1, 2),
    drafter_contexts=(8,),
    drafter_seconds=(10.0,),
    seconds=(5.0, 10.0),
    repeats=3,
    encoder_repeats=1,
    lasts="half a minute",
)
"""Enough to try replay out, not to trust it."""


def widths_that_fit(manifest: ModelManifest, widths: Sequence[int], context: int) -> list[int]:
    """The widths for which a call behind `context` tokens stays within the model's text positions."""
    return [width for width in widths if context + width <= manifest.dims.text_positions]
