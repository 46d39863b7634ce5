"""Refuses targets whose answers would depend on the method."""

from __future__ import annotations

from as2d.backend.errors import HelperFailed
from as2d.backend.models.manifest import ModelManifest


def require_exact(model: ModelManifest, logit_gap: float) -> None:
    """Refuses a target computed in integers whose wide and single calls differ by `logit_gap` > 0 logits.

    Exact integers are what such a model is for; the margin guard is for floating point.

    Raises:
        HelperFailed: its calls do not agree.
    """
    if model.decodes_in_integers and logit_gap > 0:
        raise HelperFailed(
            f"The self-test of {model.name} failed: its calls of several tokens and of one differ by up to "
            f"{logit_gap:.2g} logits on this device; choose another target."
        )
