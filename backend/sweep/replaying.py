"""Replays that workers do: some arms on all windows of a set of traces, against one cost profile."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.bench.arms import Arm
from as2d.backend.bench.summary import ArmSummary
from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.paths import helper_path
from as2d.backend.replay.service import Traces, replay_by
from as2d.backend.runs.files import storage_error
from as2d.backend.sweep.work import Here

# A helper reads its tokenizer and the traces, then replays some 15,000 windows a second.
_REPLAYS = 20_000
_FEWEST_ARMS = 8
_BYTES = 4 << 20


@dataclass(frozen=True)
class ReplayPart:
    """Arms to replay against a profile; the first is target-only, which the others are held against."""

    costs: CostProfile
    arms: tuple[Arm, ...]


def replay_part(shared: Sequence[Traces | bytes], part: ReplayPart, here: Here) -> list[ArmSummary]:
    """The summaries of the arms, and of their groups behind the last arm of each.

    `shared` are the target's tokenizer, a file's content, and the pieces of the traces.

    Raises:
        InputRefused: a trace or the profile is damaged.
        UserError: the helper failed.
        Cancelled: nobody wants it any more.
    """
    program = helper_path()
    traces = joined([piece for piece in shared if isinstance(piece, Traces)])
    try:
        with tempfile.TemporaryDirectory(dir=here.folder) as folder:
            tokenizer = Path(folder, "tokenizer.json")
            tokenizer.write_bytes(b"".join(piece for piece in shared if isinstance(piece, bytes)))
            done = replay_by(program, traces, tokenizer, part.costs, part.arms, _quietly, here.left)
    except OSError as error:
        raise storage_error(error, Path(here.folder), "the tokenizer") from error
    return done.summaries()


def parts_of(arms: Sequence[Arm], costs: CostProfile, windows: int) -> Iterator[ReplayPart]:
    """All arms but target-only in parts, each long enough to be worth a helper; a group stays together.

    They are the same for any number of workers.
    """
    alone = next(arm for arm in arms if not arm.drafts)
    most = max(_REPLAYS // max(windows, 1), _FEWEST_ARMS)
    part: list[Arm] = []
    for arm in arms:
        if not arm.drafts:
            continue
        if len(part) >= most and not (arm.group is not None and arm.group == part[-1].group):
            yield ReplayPart(costs, (alone, *part))
            part = []
        part.append(arm)
    yield ReplayPart(costs, (alone, *part))


def pieces_of(traces: Traces) -> list[Traces]:
    """Traces in pieces of some megabytes, as they travel best."""
    pieces: list[Traces] = []
    first = size = 0
    for index, message in enumerate(traces.messages):
        if size and size + len(message) > _BYTES:
            pieces.append(_cut(traces, first, index))
            first, size = index, 0
        size += len(message)
    return [*pieces, _cut(traces, first, len(traces.messages))]


def joined(pieces: Sequence[Traces]) -> Traces:
    """Traces from their pieces."""
    return Traces(
        [window for piece in pieces for window in piece.windows],
        [message for piece in pieces for message in piece.messages],
        [place for piece in pieces for place in piece.places],
        0,
    )


def _cut(traces: Traces, first: int, end: int) -> Traces:
    return Traces(traces.windows[first:end], traces.messages[first:end], traces.places[first:end], 0)


def _quietly(done: int, total: int) -> None:
    """Parts are short: their ends are progress enough."""
