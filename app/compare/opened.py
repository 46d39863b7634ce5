"""A plan that was opened: it is run as it is, also where the form cannot show all of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from as2d.backend.compare.plan import ComparePlan


@dataclass(frozen=True)
class OpenedPlan:
    """A plan and the folder from which its relative paths are seen."""

    plan: ComparePlan
    base: Path

    def anywhere(self) -> ComparePlan:
        """The same plan with paths that mean the same from every folder."""
        plan, base = self.plan, self.base.absolute()

        def whole(paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(str(base / path) for path in paths))

        changes: dict[str, object] = {"recordings": whole(plan.recordings)}
        if plan.replay is not None:
            paths = {"traces": whole(plan.replay.traces), "profiles": whole(plan.replay.profiles)}
            changes["replay"] = plan.replay.model_copy(update=paths)
        return plan.model_copy(update=changes)
