"""The text of each recording, token by token, with where each token came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import TYPE_CHECKING

from as2d.backend.export.scripts import is_unspaced
from as2d.backend.metrics.token_texts import TokenTexts
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Call, Commit, Origin, Publish, Result, Word, Words
from as2d.backend.protocol.message import Message

if TYPE_CHECKING:
    from as2d.backend.protocol.lines import RecordedEvent


@dataclass(frozen=True)
class Piece:
    """The text of one token. `call` is the index of the target call that committed it, None: the prefill.

    `k` and `accepted` are that call's; `index` the token's number in its window. `edited`: a person wrote it.
    """

    text: str
    origin: Origin
    window: str
    request: str
    index: int
    call: int | None
    k: int
    accepted: int
    edited: bool = False


@dataclass
class WindowText:
    """The text of one window; `start_s` in seconds of the recording, `words` with times in the window."""

    window: str
    start_s: float
    end_s: float
    pieces: list[Piece] = field(default_factory=list)
    words: tuple[Word, ...] = ()
    request: str | None = None
    last_call: Call | None = None

    def seconds_of(self, index: int) -> float:
        """When a token is spoken, in seconds of the recording; the window's start where that is not known."""
        for word in self.words:
            if word.first_token <= index < word.first_token + max(word.tokens, 1):
                return self.start_s + word.start
        return self.start_s


@dataclass(frozen=True)
class Place:
    """A place between two pieces; `last` is the character before it."""

    window: int
    piece: int
    last: str


BEGINNING = Place(0, 0, "")


@dataclass
class RecordingText:
    """The text of a recording. `revision` rises when text that was shown changed; else it only grows."""

    recording: str
    audio: str
    windows: list[WindowText] = field(default_factory=list)
    revision: int = 0

    def pieces(self) -> list[Piece]:
        """All pieces in order, joined without a seam between windows."""
        return self.pieces_from(BEGINNING)[0]

    def pieces_from(self, place: Place) -> tuple[list[Piece], Place]:
        """The pieces from a place on, and the place behind them; for as long as `revision` stays."""
        found: list[Piece] = []
        window_row, piece_row, last = place.window, place.piece, place.last
        while window_row < len(self.windows):
            window = self.windows[window_row]
            for row in range(piece_row, len(window.pieces)):
                piece = window.pieces[row]
                text = piece.text
                if row == 0:
                    text = text.lstrip()
                    if last and text and not (last.isspace() or is_unspaced(last) or is_unspaced(text[0])):
                        text = f" {text}"
                last = text[-1:] or last
                found.append(piece if text == piece.text else _with_text(piece, text))
            piece_row = len(window.pieces)
            if window_row + 1 == len(self.windows):
                break
            window_row, piece_row = window_row + 1, 0
        return found, Place(window_row, piece_row, last)

    def text(self) -> str:
        """The whole text."""
        return "".join(piece.text for piece in self.pieces()).strip()


@dataclass
class CorrectedText(RecordingText):
    """A text that a person corrected: pieces that they wrote are `edited`, and white space is theirs too."""

    whole: str = ""
    shown: list[Piece] = field(default_factory=list)

    def pieces_from(self, place: Place) -> tuple[list[Piece], Place]:
        """As it was written: no seam is added between windows."""
        return self.shown[place.piece :], Place(0, len(self.shown), "")

    def text(self) -> str:
        """The whole text."""
        return self.whole


class TranscriptModel:
    """The texts of all recordings of one run, from its events: live and later the same."""

    def __init__(self) -> None:
        self.recordings: dict[str, RecordingText] = {}
        self.tokens = TokenTexts()
        self._windows: dict[str, tuple[RecordingText, WindowText]] = {}
        self._preparations: dict[str, str] = {}

    def feed(self, event: RecordedEvent) -> None:
        """Take one event."""
        self._take(event)

    def window(self, name: str) -> WindowText | None:
        """The text of a window."""
        found = self._windows.get(name)
        return found[1] if found is not None else None

    @singledispatchmethod
    def _take(self, event: Message) -> None:
        """Events that change no text."""

    @_take.register
    def _(self, event: host_events.RecordingQueued) -> None:
        self.recordings[event.recording] = RecordingText(event.recording, event.audio)

    @_take.register
    def _(self, event: host_events.WindowCut) -> None:
        if recording := self.recordings.get(event.recording):
            window = WindowText(event.window, event.start_s, event.end_s)
            recording.windows.append(window)
            self._windows[event.window] = (recording, window)

    @_take.register
    def _(self, event: host_events.PrepareSent) -> None:
        self._preparations[event.preparation] = event.window

    @_take.register
    def _(self, event: host_events.RequestSent) -> None:
        found = self._windows.get(self._preparations.get(event.preparation, ""))
        if found is not None:
            recording, window = found
            window.request, window.last_call, window.words = event.request, None, ()
            if window.pieces:
                window.pieces = []
                recording.revision += 1

    @_take.register
    def _(self, event: Publish) -> None:
        self.tokens.learn(event)

    @_take.register
    def _(self, event: Call) -> None:
        if (found := self._asked(event.window, event.request)) is not None:
            found[1].last_call = event

    @_take.register
    def _(self, event: Commit) -> None:
        if (found := self._asked(event.window, event.request)) is None:
            return
        window = found[1]
        call = window.last_call
        texts = self.tokens.split(event.tokens, event.text)
        for offset, (origin, text) in enumerate(zip(event.origins, texts, strict=True)):
            window.pieces.append(
                Piece(
                    text,
                    origin,
                    window.window,
                    event.request,
                    event.first + offset,
                    call.index if call is not None else None,
                    call.k if call is not None else 1,
                    call.accepted if call is not None else 0,
                )
            )

    @_take.register
    def _(self, event: Words) -> None:
        if (found := self._asked(event.window, event.request)) is not None:
            found[1].words = event.words

    @_take.register
    def _(self, event: Result) -> None:
        if (found := self._asked(event.window, event.request)) is None:
            return
        recording, window = found
        shown = "".join(piece.text for piece in window.pieces)
        if event.stop != "cancelled" and shown.strip() != event.text.strip():
            first = window.pieces[0] if window.pieces else None
            origin: Origin = first.origin if first is not None else "prefill"
            text = event.text.strip()
            window.pieces = [Piece(text, origin, window.window, event.request, 0, None, 1, 0)] if text else []
            recording.revision += 1

    def _asked(self, preparation: str, request: str) -> tuple[RecordingText, WindowText] | None:
        """The window of the request, unless another request has taken its place."""
        found = self._windows.get(self._preparations.get(preparation, ""))
        return found if found is not None and found[1].request == request else None


def _with_text(piece: Piece, text: str) -> Piece:
    return Piece(
        text, piece.origin, piece.window, piece.request, piece.index, piece.call, piece.k, piece.accepted
    )
