"""A request's timeline as text: one lane an actor over a common time axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.metrics.states import PreparationState, RequestState
from as2d.backend.protocol.decode_events import Call

_MS = 1e6
_NARROWEST = 20
_CALL_LETTERS = {"verify": "V", "target-only": "T", "guard": "G"}
LEGEND = (
    "E encoder and audio keys, L language, P prefill, V verify, T target-only, G guard, D draft step; "
    "Accepted: candidates accepted in that stretch of time, + for more than 9"
)


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    letter: str


def text_timeline(request: RequestState, width: int) -> str:
    """The timeline of one request of a fold with details, `width` columns wide, ending in a line feed.

    Each column is an equal share of the time from the window's preparation to the end of the request; where a
    lane did several things in a column, the longest is shown.
    """
    preparation = request.preparation
    target = _target_spans(request)
    drafter = _drafter_spans(preparation, request)
    spans = target + drafter
    if not spans:
        return "nothing recorded\n"
    first = min(span.start for span in spans)
    last = max(span.end for span in target) if target else max(span.end for span in spans)
    columns = max(width - len("Accepted ||"), _NARROWEST)
    axis = _Axis(first, max(last, first + 1), columns)
    lanes = [
        ("Drafter ", axis.lane(drafter)),
        ("Target  ", axis.lane(target)),
        ("Accepted", axis.accepted(request.calls)),
    ]
    lines = [f"{name} |{lane}|" for name, lane in lanes]
    lines.append(f"{'':9}0 ms{(axis.last - axis.first) / _MS:>{columns - 5}.0f} ms")
    return "\n".join(lines) + "\n"


def call_lines(request: RequestState) -> list[list[str]]:
    """One row a call: index, start in ms after the request, ms, kind, K, accepted, reason, text it
    committed.
    """
    begin = request.result.times.request if request.result is not None else request.sent
    texts = {commit.t: commit.text for commit in request.commits}
    rows = []
    for call in request.calls:
        text = next((text for t, text in sorted(texts.items()) if t >= call.end), "")
        rows.append(
            [
                str(call.index),
                f"{(call.start - begin) / _MS:.1f}",
                f"{(call.end - call.start) / _MS:.1f}",
                call.kind,
                str(call.k),
                str(call.accepted),
                call.reason,
                text.replace("\n", " "),
            ]
        )
    return rows


CALL_HEAD = ("call", "at ms", "ms", "kind", "K", "accepted", "reason", "text")


class _Axis:
    """Maps times in ns to columns."""

    def __init__(self, first: int, last: int, columns: int) -> None:
        self.first = first
        self.last = last
        self._columns = columns

    def lane(self, spans: Sequence[_Span]) -> str:
        """The letter of what took most of each column; a blank where nothing ran."""
        shares: list[dict[str, float]] = [{} for _ in range(self._columns)]
        for span in spans:
            begin, end = self._column(span.start), self._column(span.end)
            beyond = max(math.ceil(end), int(begin) + 1)  # the shortest span shows in one column
            for column in range(int(begin), min(beyond, self._columns)):
                share = min(end, column + 1) - max(begin, column)
                shares[column][span.letter] = shares[column].get(span.letter, 0.0) + max(share, 1e-9)
        return "".join(max(share, key=lambda letter: share[letter]) if share else " " for share in shares)

    def accepted(self, calls: Sequence[Call]) -> str:
        """The accepted candidates of the calls that end in each column."""
        counts: list[int | None] = [None] * self._columns
        for call in calls:
            if call.kind == "verify":
                column = min(int(self._column(call.end)), self._columns - 1)
                counts[column] = (counts[column] or 0) + call.accepted
        return "".join(" " if count is None else str(count) if count <= 9 else "+" for count in counts)

    def _column(self, t: int) -> float:
        return max(0.0, (t - self.first) * self._columns / (self.last - self.first))


def _target_spans(request: RequestState) -> list[_Span]:
    letters = {"encoder": "E", "cross": "E", "language": "L", "prefill": "P"}
    end = request.result.times.end if request.result is not None else None
    spans = [
        _Span(stage.start, stage.end, letters[stage.stage])
        for stage in request.preparation.stages
        if stage.actor == "target" and (end is None or stage.start <= end)
    ]
    return spans + [_Span(call.start, call.end, _CALL_LETTERS[call.kind]) for call in request.calls]


def _drafter_spans(preparation: PreparationState, request: RequestState) -> list[_Span]:
    end = request.result.times.end if request.result is not None else None
    spans = [_Span(stage.start, stage.end, "E") for stage in preparation.stages if stage.actor == "drafter"]
    spans += [_Span(draft.start, draft.end, "D") for draft in preparation.drafts]
    return [span for span in spans if end is None or span.start <= end]
