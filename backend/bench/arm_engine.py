"""A helper with the models that arms decode with: found, started, loaded and asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from as2d.backend.bench.arms import Arm
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.host_events import RequestSent
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.ops import Prepare, Request, Task
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import check_known
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.threads import DrafterThreads, TargetThreads


@dataclass(frozen=True)
class ArmModels:
    """A target, and drafters by the names that they were asked for; none where no arm drafts."""

    target: InstalledModel
    drafters: Mapping[str, InstalledModel]

    @property
    def drafter(self) -> InstalledModel | None:
        """The first drafter."""
        return next(iter(self.drafters.values()), None)


@dataclass(frozen=True)
class Asked:
    """What the stream says of a request beside its arm: see `RequestSent`. `label` null: the arm's own."""

    repeat: int
    warm_up: bool
    label: str | None = None
    cell: str | None = None


class ArmEngine:
    """A session whose helper has loaded what some arms decode with: a target and drafters for each of their
    thread settings.
    """

    def __init__(self, session: Session, models: ArmModels, arms: Sequence[Arm]) -> None:
        """Load the models; `start` does all that comes before.

        Raises:
            UserError: a model cannot be loaded.
        """
        self.session = session
        self.models = models
        self.arms = arms
        for arm in arms:
            name, threads = target_name(arm), arm.threads
            if name not in session.gaps:
                session.load_target(name, models.target, TargetThreads(threads.target, threads.target_shared))
        for asked, drafter in models.drafters.items():
            names = {self.drafter_name(arm, asked): arm.threads for arm in arms if arm.drafts}
            for name, threads in names.items():
                session.load_drafter(name, drafter, DrafterThreads(threads.drafter, threads.drafter_shared))

    @classmethod
    def start(
        cls,
        session: Session,
        target: str,
        drafters: Sequence[str],
        arms: Callable[[ArmModels], Sequence[Arm]],
        begin: Callable[[ArmModels, Sequence[Arm]], None],
    ) -> Self:
        """Find the models, make the device ready and start its helper, begin the run, and load the models.

        `arms` is asked once the helper runs, as threads depend on the device; `begin` is to begin the run.

        Raises:
            UserError: a model cannot be had or loaded, or the helper cannot be started or knows no such
                method.
            Cancelled: cancelled meanwhile.
        """
        models = ArmModels(
            session.find_model(target, "target"),
            {name: session.find_model(name, "drafter") for name in drafters},
        )
        session.open()
        chosen = arms(models)
        for arm in chosen:
            check_known(arm.method, session.hello.methods)
        begin(models, chosen)
        return cls(session, models, chosen)

    def prepare(
        self,
        arm: Arm,
        preparation: str,
        window: str,
        pcm: NDArray[np.int16],
        language: str | None,
        *,
        drafter: str | None = None,
        task: Task = "transcribe",
    ) -> None:
        """Prepare a window (int16 [samples], 16 kHz mono) for an arm; `drafter` names one of several.

        Raises:
            UserError: the helper failed or refused it.
        """
        op = self.prepare_op(arm, preparation, language, drafter=drafter, task=task)
        self.session.engine.prepare(op, window, pcm)

    def prepare_op(
        self,
        arm: Arm,
        preparation: str,
        language: str | None,
        *,
        drafter: str | None = None,
        task: Task = "transcribe",
        beside: str | None = None,
    ) -> Prepare:
        """What prepares a window whose samples follow; as `prepare`. `beside`: the request during which that
        is done, a draft that starts with the audio included.
        """
        named = drafter or next(iter(self.models.drafters), None)
        return Prepare(
            window=preparation,
            target=target_name(arm),
            drafter=self.drafter_name(arm, named) if arm.drafts and named is not None else None,
            audio=None,
            start_condition=arm.start_condition,
            language=language,
            task=task,
            beside=beside,
            drafted=beside is not None and arm.drafts and arm.start_condition == "pre-drafted",
        )

    def decode(
        self,
        arm: Arm,
        request: str,
        preparation: str,
        language: str | None,
        asked: Asked,
        cancel: CancelToken,
        *,
        producer_done: bool = True,
        task: Task = "transcribe",
        meanwhile: Callable[[], None] | None = None,
    ) -> Result:
        """Decode a prepared window; with `producer_done` it begins when nothing drafts any more. `meanwhile`
        is called once while it is decoded.

        Raises:
            UserError: the helper failed or refused it.
            Cancelled: the end was asked for.
        """
        op = request_op(arm, request, preparation, language, producer_done=producer_done, task=task)
        sent = RequestSent(
            t=now_ns(),
            request=request,
            preparation=preparation,
            task=task,
            arm=asked.label or arm.label,
            repeat=asked.repeat,
            warm_up=asked.warm_up,
            cell=asked.cell,
        )
        return self.session.engine.request(op, sent, cancel, meanwhile)

    def drafter_name(self, arm: Arm, asked: str) -> str:
        """The name that an arm's drafter is loaded under."""
        number = list(self.models.drafters).index(asked)
        return f"drafter{number + 1 if number else ''}-{arm.threads.drafter}-{arm.threads.drafter_shared}"


def request_op(
    arm: Arm,
    request: str,
    preparation: str,
    language: str | None,
    *,
    producer_done: bool,
    task: Task = "transcribe",
) -> Request:
    """What decodes a prepared window as an arm does; as `ArmEngine.decode`."""
    return Request(
        request=request,
        window=preparation,
        method=arm.method,
        budget=arm.budget,
        admission=arm.admission,
        task=task,
        language=language,
        words=False,
        audit=False,
        producer_done=producer_done,
        confidence=arm.confidence,
        patience=arm.patience,
    )


def target_name(arm: Arm) -> str:
    """The name that an arm's target is loaded under."""
    return f"target-{arm.threads.target}-{arm.threads.target_shared}"
