"""What the manifests of a comparison's runs say of it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from as2d.backend.bench.arms import Arm
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.models.store import InstalledModel
from as2d.backend.runs.manifest import ArmUsed, ComparisonUsed, ModelUsed, RunManifest


def arm_label(plan: ComparePlan, drafter: str, arm: Arm) -> str:
    """What requests of an arm are called; with several drafters the drafter is named."""
    return f"{arm.label} by {drafter}" if arm.drafts and len(plan.drafters) > 1 else arm.label


def plan_settings(plan: ComparePlan, arms: Sequence[Arm]) -> dict[str, JsonValue]:
    """The settings of a run of a plan."""
    return {
        "method": ",".join(dict.fromkeys(arm.method for arm in arms)),
        "arms": [used.label for used in arms_used(plan, arms)],
        "repeats": plan.rounds,
    }


def of_plan(
    manifest: RunManifest,
    plan: ComparePlan,
    comparison: str | None,
    arms: Sequence[Arm],
    drafters: Sequence[InstalledModel],
) -> RunManifest:
    """The manifest with what it says of a plan and of a comparison by it, as `Journal.comparison`."""
    return manifest.model_copy(
        update={
            "arms": tuple(arms_used(plan, arms)),
            "comparison": ComparisonUsed(name=plan.name, plan=plan.digest, comparison=comparison),
            "more_drafters": tuple(model_used(drafter) for drafter in drafters[1:]),
        }
    )


def arms_used(plan: ComparePlan, arms: Sequence[Arm]) -> list[ArmUsed]:
    """The arms of a plan, each by each of its drafters."""
    return [
        _arm_used(plan, drafter, arm)
        for arm in arms
        for drafter in (plan.drafters if arm.drafts else (None,))
    ]


def model_used(model: InstalledModel) -> ModelUsed:
    """A model by name and digest."""
    return ModelUsed(name=model.name, digest=model.digest)


def _arm_used(plan: ComparePlan, drafter: str | None, arm: Arm) -> ArmUsed:
    return ArmUsed(
        label=arm_label(plan, drafter or "", arm),
        method=arm.method,
        budget=arm.budget,
        admission=arm.admission,
        start_condition=arm.start_condition,
        confidence=arm.confidence,
        patience=arm.patience,
        group=arm.group,
        again=arm.again,
        drafter=drafter,
        threads=arm.threads.target,
        shared_threads=arm.threads.target_shared,
        drafter_threads=arm.threads.drafter,
        drafter_shared_threads=arm.threads.drafter_shared,
        preparing=arm.preparing,
    )
