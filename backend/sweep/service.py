"""One sweep: every method and setting on every set of traces against every cost profile."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from as2d.backend.bench.arms import Arm
from as2d.backend.bench.summary import ArmSummary
from as2d.backend.errors import HelperFailed
from as2d.backend.models.store import InstalledModel
from as2d.backend.replay.service import Traces, tokenizer_path
from as2d.backend.sweep.replaying import parts_of, pieces_of, replay_part
from as2d.backend.sweep.trace_sets import NamedProfile, TraceSet
from as2d.backend.sweep.work import Workers

Progress = Callable[[int, int], None]
"""Called with (windows replayed, windows to replay), each counted once an arm."""


@dataclass(frozen=True)
class SweepSet:
    """A set of traces with its target, and the profiles of its models with the arms for each."""

    traces: TraceSet
    target: InstalledModel
    profiles: Sequence[NamedProfile]
    arms: Sequence[tuple[Arm, ...]]

    @property
    def windows(self) -> int:
        """How many windows there are."""
        return len(self.traces.traces.windows)

    @property
    def replays(self) -> int:
        """How often a window is replayed, all windows together."""
        return self.windows * sum(map(len, self.arms))


@dataclass(frozen=True)
class SweepRow:
    """One arm, or the mean of a group, on one set of traces against one profile.

    `best`: no other setting of the method has a higher pooled speed there under the same start condition; of
    equal ones the first. A mean is no setting.
    """

    traces: str
    profile: str
    device: str
    summary: ArmSummary
    best: bool


def run_sweep(sets: Sequence[SweepSet], workers: Workers, progress: Progress) -> list[SweepRow]:
    """Replay everything; the same rows, in the order of sets, profiles and arms, for any number of workers.

    Raises:
        InputRefused: a trace or a profile is damaged.
        UserError: a helper failed, or the workers are lost.
    """
    rows: list[SweepRow] = []
    done, total = 0, sum(one.replays for one in sets)
    for one in sets:
        parts = [
            list(parts_of(arms, profile.costs, one.windows))
            for profile, arms in zip(one.profiles, one.arms, strict=True)
        ]
        shared: list[Traces | bytes] = [_tokenizer(one.target), *pieces_of(one.traces.traces)]
        with closing(workers.map(replay_part, shared, itertools.chain(*parts))) as found:
            for profile, of_profile in zip(one.profiles, parts, strict=True):
                summaries: list[ArmSummary] = []
                for part in of_profile:
                    alone, *others = next(found)
                    summaries += others if summaries else [alone, *others]
                    done += one.windows * (len(part.arms) - (part is not of_profile[0]))
                    progress(done, total)
                rows += _rows(one.traces.name, profile, summaries)
    return rows


def _tokenizer(target: InstalledModel) -> bytes:
    try:
        return tokenizer_path(target).read_bytes()
    except OSError as error:
        raise HelperFailed(
            f"The tokenizer of {target.name} cannot be read ({error.strerror}); "
            "check the models with `as2d models verify`."
        ) from error


def _rows(traces: str, profile: NamedProfile, summaries: Sequence[ArmSummary]) -> Iterator[SweepRow]:
    best = _best(summaries)
    for index, summary in enumerate(summaries):
        yield SweepRow(traces, profile.name, profile.costs.device, summary, index in best)


def _best(summaries: Sequence[ArmSummary]) -> set[int]:
    """The places of the fastest settings of each method under each start condition."""
    best: dict[tuple[str, str | None], int] = {}
    for index, summary in enumerate(summaries):
        if summary.budget is None or summary.tps is None:
            continue
        key = (summary.method, summary.start_condition)
        if key not in best or summary.tps > (summaries[best[key]].tps or 0.0):
            best[key] = index
    return set(best.values())
