"""Everything about one target call, for the inspector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from as2d.app.translation import later, tr
from as2d.app.viewmodels.kinds import CallKind
from as2d.app.viewmodels.requests import WindowSpan
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.audio import shown_name

REASON_TEXTS = {
    "candidates": later("the draft had candidates for it"),
    "none-published": later("nothing was published yet behind the root"),
    "no-match": later("the draft could not be aligned with the text"),
    "producer-none": later("this request has no drafter"),
    "budget-zero": later("the budget was zero"),
    "at-limit": later("the length limit left no room"),
    "guard": later("a near-tie was decided again at the reference width"),
}


@dataclass(frozen=True)
class Position:
    """One position of a call: what the draft proposed (None behind the last candidate), what the target
    chose, the difference of its two best logits, and whether they agreed so far.
    """

    candidate: int | None
    candidate_text: str
    choice: int
    choice_text: str
    margin: float
    state: str
    """`accepted`, `correction` (the target's token in place of the candidate), `extra` (the target's token
    behind the last candidate) or `unused` (behind the first disagreement)."""


@dataclass(frozen=True)
class CallView:
    """A call; times in ns, `at_ms` since decode start. `place`: its window; `text`: what it committed."""

    row: int
    request: str
    index: int
    kind: CallKind
    begin: int
    end: int
    at_ms: float
    k: int
    accepted: int
    threads: int
    published: int
    cursor: int | None
    reason: str
    root: int
    root_text: str
    positions: tuple[Position, ...]
    text: str
    place: str

    @property
    def ms(self) -> float:
        """How long it took."""
        return (self.end - self.begin) / 1e6


def call_view(model: TimelineModel, row: int) -> CallView:
    """The call in a row of the target's lane."""
    calls = model.calls
    root, candidates, choices, margins = calls.details(row)
    numbers = calls.numbers(row)
    request = model.requests[int(calls.requests[row])]
    begin, end = int(model.target.begins[row]), int(model.target.ends[row])
    since = request.decode if request.decode is not None else begin
    kind = CallKind(int(model.target.kind[row]))
    commit = calls.commit_of(row) - model.forgotten_commits
    return CallView(
        row=row,
        request=request.name,
        index=int(calls.indexes[row]),
        kind=kind,
        begin=begin,
        end=end,
        at_ms=(begin - since) / 1e6,
        k=numbers["k"],
        accepted=numbers["accepted"],
        threads=numbers["threads"],
        published=numbers["published"],
        cursor=calls.cursor_of(row),
        reason=calls.reason_of(row),
        root=root,
        root_text=model.token_text(root),
        positions=_positions(model, candidates, choices, margins, numbers["accepted"]),
        text=model.commit_texts.row(commit) if 0 <= commit < len(model.commit_texts) else "",
        place=_place(model, request.preparation.window),
    )


def _place(model: TimelineModel, window: WindowSpan) -> str:
    return tr(
        "{name}, {begin}–{end} s",
        name=shown_name(Path(model.files.get(window.recording, window.recording))),
        begin=f"{window.start_s:.1f}",
        end=f"{window.end_s:.1f}",
    )


def row_of_call(model: TimelineModel, request: str, index: int) -> int | None:
    """The row of a request's call; None: there is no such call, or it is no longer kept one by one."""
    span = model.request_named(request)
    return None if span is None else model.calls.row_of(span.number, index)


def _positions(
    model: TimelineModel,
    candidates: tuple[int, ...],
    choices: tuple[int, ...],
    margins: tuple[float, ...],
    accepted: int,
) -> tuple[Position, ...]:
    found = []
    for place, (choice, margin) in enumerate(zip(choices, margins, strict=True)):
        candidate = candidates[place] if place < len(candidates) else None
        if place < accepted:
            state = "accepted"
        elif place == accepted:
            state = "correction" if candidate is not None else "extra"
        else:
            state = "unused"
        found.append(
            Position(
                candidate,
                "" if candidate is None else model.token_text(candidate),
                choice,
                model.token_text(choice),
                margin,
                state,
            )
        )
    return tuple(found)
