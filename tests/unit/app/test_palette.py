"""Whoever sees colours otherwise still tells the bars apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from as2d.app.theme.colours import Scheme, data_colours_of
from as2d.app.viewmodels.kinds import AUDIO_COLOURS, CALL_COLOURS, COMMIT_COLOURS, DRAFT_COLOURS

Vector = NDArray[np.float64]

# Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB.
VISIONS: dict[str, Vector] = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Five times what a trained eye just notices in CIELAB (2.3).
TOLD_APART = 11.5


def linear(colour: str) -> Vector:
    """`#rrggbb` in linear RGB, 0 to 1 (IEC 61966-2-1)."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: Vector) -> Vector:
    """Linear RGB in CIELAB under D65."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.072175],
            [0.0193339, 0.119192, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_are_told_apart_with_any_colour_vision(scheme: Scheme, vision: str) -> None:
    colours = data_colours_of(scheme)
    names = sorted({*AUDIO_COLOURS, *DRAFT_COLOURS, *CALL_COLOURS, *COMMIT_COLOURS})
    seen = {name: lab(VISIONS[vision] @ linear(colours[name])) for name in names}
    for one, other in combinations(names, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= TOLD_APART, (one, other)
