"""Which word is heard at a moment, and when a token is heard."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from as2d.app.viewmodels.transcript import Piece, RecordingText

_LINGER_S = 0.4


@dataclass(frozen=True)
class SpokenWord:
    """A word in seconds of the recording; its tokens [first, first + tokens) of a window."""

    start: float
    end: float
    window: str
    first: int
    tokens: int


class SpokenWords:
    """The timed words of a recording's text; follows it while it grows."""

    def __init__(self, text: RecordingText) -> None:
        self._text = text
        self._state: tuple[int, int, int] = (-1, -1, -1)
        self._words: list[SpokenWord] = []
        self._starts: list[float] = []

    @property
    def text(self) -> RecordingText:
        """The text whose words these are."""
        return self._text

    def at(self, seconds: float) -> SpokenWord | None:
        """The word that is heard; a moment later still, unless the next has begun."""
        self._follow()
        row = bisect_right(self._starts, seconds) - 1
        if row < 0 or seconds > self._words[row].end + _LINGER_S:
            return None
        return self._words[row]

    def begin_of(self, piece: Piece) -> float | None:
        """When a token is heard, as far as it is known: the time of its word, else of its window."""
        window = next((own for own in self._text.windows if own.window == piece.window), None)
        return window.seconds_of(piece.index) if window is not None else None

    def _follow(self) -> None:
        windows = self._text.windows
        state = (self._text.revision, len(windows), sum(len(window.words) for window in windows))
        if state == self._state:
            return
        self._state = state
        self._words = sorted(
            (
                SpokenWord(
                    window.start_s + word.start,
                    window.start_s + word.end,
                    window.window,
                    word.first_token,
                    word.tokens,
                )
                for window in windows
                for word in window.words
                if word.text.strip()
            ),
            key=lambda word: word.start,
        )
        self._starts = [word.start for word in self._words]
