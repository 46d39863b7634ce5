"""What a session decodes with: its models loaded, and the ops for one window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from as2d.backend.devices.device import Device
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.ops import Prepare, Request
from as2d.backend.runs.manifest import RecordingUsed, RunManifest
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.methods import (
    DEFAULT_BUDGET,
    agreed_budget,
    check_known,
    check_settings,
    parse_method,
)
from as2d.backend.transcribe.profile import BudgetKey
from as2d.backend.transcribe.ready import ModelChoice
from as2d.backend.transcribe.resolve import language_to_ask
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import TranscribeSettings
from as2d.backend.transcribe.threads import TargetThreads

TARGET = "target"
DRAFTER = "drafter"


class DecodeChoice:
    """The method and budget that settings ask for, checked."""

    def __init__(self, settings: TranscribeSettings) -> None:
        """Check the settings.

        Raises:
            WrongUse: there is no such method or budget, or they contradict each other or the options of
                single methods.
        """
        choice = parse_method(settings.method)
        self.settings = settings
        self.method = choice.name
        self.drafts = choice.drafts
        self.drafter = settings.drafter if choice.drafts else None
        self.asked_budget = agreed_budget(choice, settings.budget)
        check_settings([choice], settings.confidence, settings.patience)


@dataclass(frozen=True)
class Decoder:
    """Models that a session has loaded, and how they decode.

    `language` is the one to ask for, null: detected. `manifest` is that of the run that was begun.
    `prepares_ahead`: a window is prepared while the one before it is decoded.
    """

    choice: DecodeChoice
    budget: int
    target: InstalledModel
    drafter: InstalledModel | None
    language: str | None
    manifest: RunManifest
    prepares_ahead: bool = False

    def prepare(
        self, preparation: str, language: str | None, *, audio: str | None = None, beside: str | None = None
    ) -> Prepare:
        """The op that prepares a window; `audio`: its WAV file on the device, null: its samples follow;
        `beside`: the request during which that is done, null: none.
        """
        settings = self.choice.settings
        return Prepare(
            window=preparation,
            target=TARGET,
            drafter=DRAFTER if self.drafter is not None else None,
            audio=audio,
            start_condition=settings.start_condition,
            language=language,
            task=settings.task,
            beside=beside,
        )

    def request(self, preparation: str, language: str | None) -> Request:
        """The op that decodes a prepared window."""
        settings = self.choice.settings
        return Request(
            request=f"{preparation}.r1",
            window=preparation,
            method=self.choice.method,
            budget=self.budget,
            admission=settings.admission,
            task=settings.task,
            language=language,
            words=settings.words,
            audit=settings.audit,
            producer_done=False,
            confidence=settings.confidence,
            patience=settings.patience,
        )


def open_decoder(
    session: Session,
    choice: DecodeChoice,
    command: str,
    recordings: Sequence[RecordingUsed],
    *,
    record: bool,
    ready: Callable[[ModelChoice], LoadedHelper | None] | None = None,
) -> Decoder:
    """Find, install and load the models, and begin the run; without `record` it has a manifest only. `ready`
    may know a helper on this computer that has loaded them.

    Raises:
        UserError: that is impossible.
        Cancelled: cancelled meanwhile.
    """
    settings = choice.settings
    target = session.find_model(settings.target, "target")
    drafter = session.find_model(choice.drafter, "drafter") if choice.drafter is not None else None
    language = language_to_ask(target, settings.language, settings.task)
    if ready is not None:
        session.progress("load the models", 0, 0)
        loaded = ready(model_choice(session.device, settings, target, drafter))
        if loaded is not None:
            session.take_over(loaded)
    session.open()
    threads = TargetThreads.chosen(session.device, settings.threads, settings.shared_threads)
    check_known(choice.method, session.hello.methods)
    budget = budget_for(session, choice, target, drafter, threads)
    ahead = settings.prepare_ahead
    if ahead is None:
        placed = session.device.placement()
        ahead = has_cores_to_prepare_ahead(session.description.cores, threads, placed=placed is not None)
    recorded: dict[str, JsonValue] = settings.model_copy(
        update={
            "method": choice.method,
            "budget": budget,
            "threads": threads.alone,
            "shared_threads": threads.shared,
            "prepare_ahead": ahead,
        }
    ).model_dump(mode="json")
    manifest = session.describe_run(command, target, drafter, recorded, recordings)
    if record:
        session.begin_run(manifest)
    load_models(session, threads, target, drafter)
    return Decoder(choice, budget, target, drafter, language, manifest, ahead)


def has_cores_to_prepare_ahead(cores: int, threads: TargetThreads, *, placed: bool) -> bool:
    """Whether an encoder on as many threads leaves a decode its own cores, and one for the drafter; never
    where the target is `placed` on cores that both would share.
    """
    return not placed and cores > 2 * threads.alone


def model_choice(
    device: Device, settings: TranscribeSettings, target: InstalledModel, drafter: InstalledModel | None
) -> ModelChoice:
    """What a run on this computer loads."""
    return ModelChoice(
        helper=device.helper_name,
        target=target.digest,
        drafter=drafter.digest if drafter is not None else None,
        threads=TargetThreads.chosen(device, settings.threads, settings.shared_threads),
    )


def load_models(
    session: Session,
    threads: TargetThreads,
    target: InstalledModel,
    drafter: InstalledModel | None,
    *,
    exact: bool = True,
) -> None:
    """Load what a run decodes with; `exact` and errors as `Session.load_target`."""
    session.load_target(TARGET, target, threads, exact=exact)
    if drafter is not None:
        session.load_drafter(DRAFTER, drafter)


def budget_for(
    session: Session,
    choice: DecodeChoice,
    target: InstalledModel,
    drafter: InstalledModel | None,
    threads: TargetThreads,
) -> int:
    """The budget that was asked for, else the device's, else the default."""
    if choice.asked_budget is not None:
        return choice.asked_budget
    if drafter is not None:
        key = BudgetKey(
            target=target.digest,
            drafter=drafter.digest,
            threads=threads.alone,
            cpu=session.description.cpu,
        )
        if (chosen := session.profile.budget(key)) is not None:
            return chosen.budget
    return DEFAULT_BUDGET if choice.drafts else 0
