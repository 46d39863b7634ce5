"""One replay from trace files to summaries: behind `as2d replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.bench.arms import Arm
from as2d.backend.bench.decodes import Decode
from as2d.backend.bench.summary import ArmSummary, summarise_decodes
from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.lines import to_line
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.replay.client import run_replay
from as2d.backend.replay.messages import (
    ArmIn,
    Run,
    RunDone,
    Setup,
    TimelineReplayed,
    WindowReplayed,
    trace_message,
)
from as2d.backend.replay.trace_file import read_traces

Progress = Callable[[int, int], None]
"""Called with (windows replayed, windows to replay), each window counted once an arm."""


@dataclass(frozen=True)
class TracedWindow:
    """Where a traced window comes from; `key` is its name in the replay, `tokens` through the end."""

    key: str
    recording: str
    window: str
    start_s: float
    end_s: float
    target: str
    drafter: str
    tokens: int


@dataclass(frozen=True)
class Replay:
    """What a replay gave: its windows, the decodes of each arm in seconds, and how fast it ran."""

    windows: Sequence[TracedWindow]
    decodes: dict[Arm, list[Decode]]
    done: RunDone

    def summaries(self) -> list[ArmSummary]:
        """The paper's summary of each arm."""
        return summarise_decodes(list(self.decodes), self.decodes, {})


def traced_windows(paths: Sequence[Path]) -> list[TracedWindow]:
    """The windows of trace files, all of one pair of models.

    Raises:
        InputRefused: a file is no trace file.
        WrongUse: there is no window, or the windows are of several models.
    """
    found = [
        TracedWindow(
            key=f"t{number}",
            recording=line.recording,
            window=line.window,
            start_s=line.start_s,
            end_s=line.end_s,
            target=line.target,
            drafter=line.drafter,
            tokens=len(line.tokens),
        )
        for number, line in enumerate(read_traces(paths), start=1)
    ]
    if not found:
        raise WrongUse("The trace files hold no window; `as2d trace` records them.")
    if len({(window.target, window.drafter) for window in found}) > 1:
        raise WrongUse("The traces are of several models; replay those of each pair by themselves.")
    return found


def replay(
    program: Path,
    paths: Sequence[Path],
    target: InstalledModel,
    profile: CostProfile,
    arms: Sequence[Arm],
    progress: Progress,
    cancelled: Callable[[], bool],
) -> Replay:
    """Replay every window of the trace files by every arm against a cost profile.

    Raises:
        UserError: a trace file cannot be used, or the helper failed.
        Cancelled: the end was asked for.
    """
    windows = traced_windows(paths)
    labels = {arm.label: arm for arm in arms}
    decodes: dict[Arm, list[Decode]] = {arm: [] for arm in arms}
    total = len(arms) * len(windows)
    count = 0

    def take(said: WindowReplayed | TimelineReplayed) -> None:
        nonlocal count
        if isinstance(said, WindowReplayed):
            decodes[labels[said.arm]].append(_decode(said))
            count += 1
            progress(count, total)

    lines = _lines(paths, target.path / target.manifest.files["tokenizer"].path, profile, arms)
    done = run_replay(program, lines, take, cancelled)
    if count != total:
        raise HelperFailed(f"The helper replayed {count} of {total} windows; report the trace files.")
    return Replay(windows, decodes, done)


def _lines(
    paths: Sequence[Path], tokenizer: Path, profile: CostProfile, arms: Sequence[Arm]
) -> Iterator[bytes]:
    yield to_line(Setup(tokenizer=str(tokenizer), profile=profile))
    for number, line in enumerate(read_traces(paths), start=1):
        yield trace_message(line, f"t{number}")
    for arm in arms:
        yield to_line(
            ArmIn(
                name=arm.label,
                method=arm.method,
                budget=arm.budget,
                admission=arm.admission,
                start_condition=arm.start_condition,
                confidence=arm.confidence,
                patience=arm.patience,
            )
        )
    yield to_line(Run())


def _decode(said: WindowReplayed) -> Decode:
    return Decode(
        window=said.window,
        repeat=0,
        counters=said.counters,
        decode_s=said.decode_ns / NANOSECONDS,
        response_s=said.response_ns / NANOSECONDS,
        differing=said.differing,
    )
