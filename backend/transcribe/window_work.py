"""The windows of one recording: each prepared and decoded, the following one prepared meanwhile if wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from as2d.backend.helper.endings import HelperDied, HelperRefused
from as2d.backend.helper.pending import Pending
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.host_events import RequestSent
from as2d.backend.protocol.message import now_ns
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.decoder import Decoder
from as2d.backend.transcribe.following import Following
from as2d.backend.transcribe.reading import SpokenWindow
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.tries import despite_deaths


@dataclass(frozen=True)
class _Ahead:
    window: str
    preparation: str
    pending: Pending


class WindowWork(Following[SpokenWindow]):
    """Goes through the windows of a recording and decodes them.

    Use it as a context manager: leaving lets the helper forget what was prepared ahead and not decoded.
    """

    def __init__(
        self, session: Session, decoder: Decoder, windows: Iterator[SpokenWindow], cancel: CancelToken
    ) -> None:
        super().__init__(windows)
        self._session = session
        self._engine = session.engine
        self._decoder = decoder
        self._cancel = cancel
        self._ahead: _Ahead | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None and (kind is None or issubclass(kind, Exception)):  # as in `_ask`
            with suppress(HelperDied):  # it took everything with it
                self._engine.release(ahead.preparation)

    def decode(self, spoken: SpokenWindow, language: str | None) -> Result:
        """Decode the window that the iteration gave last; `language` null: it is detected.

        Raises:
            UserError: the helper failed or refused it.
            Cancelled: the end was asked for.
        """
        if not self._engine.alive:  # what it had prepared is gone
            self._ahead = None
        return despite_deaths(self._session, self._cancel, lambda number: self._ask(number, spoken, language))

    def _ask(self, number: int, spoken: SpokenWindow, language: str | None) -> Result:
        engine = self._engine
        preparation = self._prepared(f"{spoken.name}.p{number}", spoken, language)
        op = self._decoder.request(preparation, language)
        sent = RequestSent(t=now_ns(), request=op.request, preparation=preparation, task=op.task)
        known = language or self._session.log.fold.preparations[preparation].language

        def prepare_following() -> None:
            self._prepare_following(op.request, known)

        # A window that ends the helper while it is prepared must not do so to this one twice.
        ahead = self._decoder.prepares_ahead and number == 1
        try:
            result = engine.request(op, sent, self._cancel, prepare_following if ahead else None)
        except HelperDied:
            self._ahead = None
            raise
        except (Cancelled, HelperRefused):  # an interrupt leaves at once, without this courtesy
            engine.release(preparation)
            raise
        # A helper that dies here has said all that was asked of it: the next window starts another.
        try:
            engine.release(preparation)
        except HelperDied:
            self._ahead = None
        return result

    def _prepared(self, preparation: str, spoken: SpokenWindow, language: str | None) -> str:
        """The name of a preparation of the window, which is done."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.window == spoken.name:
            with suppress(HelperRefused):  # as where the memory did not suffice for two windows
                self._engine.prepared(ahead.pending)
                return ahead.preparation
        self._engine.prepare(self._decoder.prepare(preparation, language), spoken.name, spoken.window.pcm)
        return preparation

    def _prepare_following(self, request: str, language: str | None) -> None:
        following = self.look()
        if following is None:
            return
        preparation = f"{following.name}.ahead"
        op = self._decoder.prepare(preparation, language, beside=request)
        with suppress(HelperDied):  # whoever waits for the request is told
            pending = self._engine.begin_preparing(op, following.name, following.window.pcm)
            self._ahead = _Ahead(following.name, preparation, pending)
