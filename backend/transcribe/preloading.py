"""Loading what a run on this computer would load, before it begins."""

from __future__ import annotations

from collections.abc import Callable

from as2d.backend.models.store import ModelStore
from as2d.backend.paths import models_dir
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.decoder import DecodeChoice, load_models, model_choice
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.ready import Loader, ModelChoice
from as2d.backend.transcribe.run_log import RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import TranscribeSettings


def loader_of(settings: TranscribeSettings) -> Loader:
    """What loads the models of a run with these settings; one that is not installed is left to the run, and
    so is the self-test of a target whose g is not known.
    """

    def load(cancel: CancelToken, chosen: Callable[[ModelChoice], None]) -> LoadedHelper:
        choice = DecodeChoice(settings)
        store = ModelStore(models_dir())
        target = store.open(settings.target, cancel=cancel)
        drafter = store.open(choice.drafter, cancel=cancel) if choice.drafter is not None else None
        session = Session(RunLog(), cancel)
        try:
            models = model_choice(session.device, settings, target, drafter)
            chosen(models)
            session.open()
            with cancel.calling(session.engine.kill):
                load_models(session, models.threads, target, drafter, exact=False)
            cancel.check()
            return session.engine.hand_over()
        finally:
            session.close("done")

    return load
