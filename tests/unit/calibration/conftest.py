"""Cost profiles made by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from as2d.backend.calibration.cost_profile import CostProfile, EncoderCost, Interference, StepCost


def make_profile(**changes: Any) -> CostProfile:
    def step(k: int, threads: int, context: int) -> StepCost:
        ms = 8.0 * k / threads
        return StepCost(
            threads=threads, context=context, k=k, ms_mean=ms + 0.1, ms_median=ms, ms_deviation=0.25
        )

    fields: dict[str, Any] = {
        "device": "a computer",
        "cpu": "cpu",
        "cores": 2,
        "helper": "build",
        "target": "1" * 64,
        "drafter": "2" * 64,
        "threads": 2,
        "shared_threads": 1,
        "drafter_threads": 2,
        "drafter_shared_threads": 1,
        "measured": "2026-01-02T03:04:05Z",
        "repeats": 15,
        "target_calls": tuple(step(k, threads, 60) for k in (1, 5) for threads in (1, 2)),
        "drafter_steps": (step(1, 1, 8),),
        "encoders": (EncoderCost(model="target", seconds=30.0, threads=2, encoder_ms=700.0, cross_ms=20.0),),
        "interference": Interference(target=1.05, drafter=1.1, k=5),
    }
    return CostProfile.model_validate(fields | changes)


@pytest.fixture
def profile() -> Callable[..., CostProfile]:
    """Makes cost profiles."""
    return make_profile
