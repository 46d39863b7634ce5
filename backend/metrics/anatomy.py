"""Where in the audio candidates are accepted, and why target boundaries had none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from as2d.backend.protocol.decode_events import Call, Word

THIRDS = 3


@dataclass(frozen=True)
class CallMark:
    """A target call: `first` is the index in the answer of the token that its first candidate proposes."""

    first: int
    proposed: int
    accepted: int
    reason: str


@dataclass
class Third:
    """Counts of one third of a window's audio: boundaries, those with candidates, and candidates."""

    calls: int = 0
    hits: int = 0
    proposed: int = 0
    accepted: int = 0

    def add(self, other: Third) -> None:
        """Add the counts of another."""
        self.calls += other.calls
        self.hits += other.hits
        self.proposed += other.proposed
        self.accepted += other.accepted


@dataclass
class RequestAnatomy:
    """What the calls of one request say; its marks are dropped when the result is there.

    `timed` says whether thirds are of the audio, by word times; else they are of the answer's tokens.
    """

    marks: list[CallMark] = field(default_factory=list)
    thirds: tuple[Third, ...] = ()
    reasons: Counter[str] = field(default_factory=Counter)
    timed: bool = False

    def add(self, call: Call, committed: int) -> None:
        """Take a call that was made when so many tokens of the answer were committed, the root included."""
        if call.kind == "guard":
            return
        self.marks.append(CallMark(committed, len(call.candidates), call.accepted, call.reason))
        self.reasons[call.reason] += 1

    def close(self, tokens: int, words: Sequence[Word], seconds: float) -> None:
        """Sort the calls into thirds. `tokens` of the whole answer, `seconds` of the window's audio."""
        self.timed = bool(words) and seconds > 0
        shares = _audio_shares(tokens, words, seconds) if self.timed else _token_shares(tokens)
        thirds = tuple(Third() for _ in range(THIRDS))

        def third(token: int) -> Third:
            share = shares[min(token, len(shares) - 1)] if shares else 0.0
            return thirds[min(int(share * THIRDS), THIRDS - 1)]

        for mark in self.marks:
            at = third(mark.first)
            at.calls += 1
            at.hits += mark.proposed > 0
            # Candidates behind an accepted stop are neither proposed nor accepted.
            stopped = mark.first + mark.accepted == tokens
            for place in range(mark.accepted if stopped else mark.proposed):
                here = third(mark.first + place)
                here.proposed += 1
                here.accepted += place < mark.accepted
        self.thirds = thirds
        self.marks.clear()


class Anatomy(BaseModel):
    """Acceptance of some requests taken apart; null where nothing was counted. By draft position it is in
    `Pooled`.

    `hit_rate`: share of target boundaries with a usable candidate. `…_by_third`: of the windows' audio where
    word times are there, else of the answer's tokens (`timed`: all requests have word times). `reasons`:
    boundaries by why their call had candidates or had none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    boundaries: int
    hit_rate: float | None
    timed: bool
    acceptance_by_third: tuple[float | None, ...]
    hit_rate_by_third: tuple[float | None, ...]
    reasons: dict[str, int]


def pool_anatomy(requests: Iterable[RequestAnatomy]) -> Anatomy:
    """Pool the anatomies of finished requests."""
    thirds = tuple(Third() for _ in range(THIRDS))
    reasons: Counter[str] = Counter()
    timed = True
    for request in requests:
        for mine, other in zip(thirds, request.thirds, strict=False):
            mine.add(other)
        reasons.update(request.reasons)
        timed = timed and request.timed
    calls = sum(third.calls for third in thirds)
    return Anatomy(
        boundaries=calls,
        hit_rate=_share(sum(third.hits for third in thirds), calls),
        timed=timed and calls > 0,
        acceptance_by_third=tuple(_share(third.accepted, third.proposed) for third in thirds),
        hit_rate_by_third=tuple(_share(third.hits, third.calls) for third in thirds),
        reasons=dict(reasons.most_common()),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _token_shares(tokens: int) -> list[float]:
    """Where each token lies in the answer, from 0 to 1."""
    return [index / tokens for index in range(tokens)]


def _audio_shares(tokens: int, words: Sequence[Word], seconds: float) -> list[float]:
    """Where the word of each token lies in the window, from 0 to 1; tokens of no word lie with the one
    before.
    """
    shares = [-1.0] * tokens
    for word in words:
        middle = min((word.start + word.end) / 2 / seconds, 1.0)
        for index in range(word.first_token, min(word.first_token + word.tokens, tokens)):
            shares[index] = middle
    last = 0.0
    for index, share in enumerate(shares):
        last = share if share >= 0 else last
        shares[index] = last
    return shares
