"""Models that are announced, waited for and let go; with real helpers in tests/gui/test_readiness.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.ready import ModelChoice, ReadyModels
from as2d.backend.transcribe.threads import TargetThreads

CHOICE = ModelChoice("helper", "target", "drafter", TargetThreads(2, 1))


class Loading:
    """Loads nothing, and says what it was asked."""

    def __init__(self, error: Exception) -> None:
        self.calls = 0
        self._error = error

    def __call__(self, _cancel: CancelToken, chosen: Callable[[ModelChoice], None]) -> LoadedHelper:
        self.calls += 1
        chosen(CHOICE)
        raise self._error


def begun(models: ReadyModels) -> CancelToken:
    token = models.begin()
    assert token is not None
    return token


def test_announced_models_are_waited_for() -> None:
    models = ReadyModels()
    begun(models)
    assert models.begin() is None
    gives_up = CancelToken()
    gives_up.cancel()
    with pytest.raises(Cancelled):
        models.take(CHOICE, gives_up)


@pytest.mark.parametrize("let_go", [ReadyModels.let_go, ReadyModels.close])
def test_announced_models_that_were_let_go_are_not_loaded(let_go: Callable[[ReadyModels], None]) -> None:
    models, loading = ReadyModels(), Loading(HelperFailed("It does not start."))
    token = begun(models)
    let_go(models)
    models.fill(token, loading)
    assert loading.calls == 0
    assert models.take(CHOICE, CancelToken()) is None
    assert (models.begin() is None) == (let_go is ReadyModels.close)


def test_who_waits_goes_on_whatever_loading_meets() -> None:
    models = ReadyModels()
    models.fill(begun(models), Loading(HelperFailed("It does not start.")))
    assert models.take(CHOICE, CancelToken()) is None
    with pytest.raises(ZeroDivisionError):
        models.fill(begun(models), Loading(ZeroDivisionError()))
    assert models.take(CHOICE, CancelToken()) is None
    assert not models.loaded
