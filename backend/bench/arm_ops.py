"""The ops by which a helper decodes a window as an arm says; models are loaded under the names from here."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.bench.arms import Arm
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.ops import Prepare, Request
from as2d.backend.transcribe.session import DrafterThreads, Session, TargetThreads


def target_name(arm: Arm) -> str:
    """The name of the target that an arm decodes with."""
    return f"target-{arm.threads.target}-{arm.threads.target_shared}"


def drafter_name(arm: Arm, which: str = "") -> str:
    """The name of an arm's drafter; `which` tells several drafters apart."""
    return f"drafter{which}-{arm.threads.drafter}-{arm.threads.drafter_shared}"


def load_targets(session: Session, target: InstalledModel, arms: Sequence[Arm]) -> None:
    """Load a target for each thread setting of the arms.

    Raises:
        UserError: the model cannot be loaded.
    """
    for arm in arms:
        if target_name(arm) not in session.gaps:
            threads = TargetThreads(arm.threads.target, arm.threads.target_shared)
            session.load_target(target_name(arm), target, threads)


def load_drafters(session: Session, drafter: InstalledModel, arms: Sequence[Arm], which: str = "") -> None:
    """Load a drafter for each thread setting of the arms that draft; as `load_targets`."""
    for name, threads in {drafter_name(arm, which): arm.threads for arm in arms if arm.drafts}.items():
        session.load_drafter(name, drafter, DrafterThreads(threads.drafter, threads.drafter_shared))


def prepare_op(arm: Arm, preparation: str, language: str | None, drafter: str | None) -> Prepare:
    """Prepare a window whose samples follow; `drafter` is the name of the loaded one."""
    return Prepare(
        window=preparation,
        target=target_name(arm),
        drafter=drafter if arm.drafts else None,
        audio=None,
        start_condition=arm.start_condition,
        language=language,
        task="transcribe",
    )


def request_op(
    arm: Arm, request: str, preparation: str, language: str | None, *, producer_done: bool = True
) -> Request:
    """Decode a prepared window; with `producer_done` it begins when nothing drafts any more."""
    return Request(
        request=request,
        window=preparation,
        method=arm.method,
        budget=arm.budget,
        admission=arm.admission,
        task="transcribe",
        language=language,
        words=False,
        audit=False,
        producer_done=producer_done,
        confidence=arm.confidence,
        patience=arm.patience,
    )
