"""One replay from trace files to summaries: behind `as2d replay`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from as2d.backend.bench.arms import Arm
from as2d.backend.bench.decodes import Decode
from as2d.backend.bench.summary import ArmSummary, summarise_decodes
from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.errors import HelperFailed, InputRefused, WrongUse
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.lines import to_line
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.replay.client import LineRefused, run_replay
from as2d.backend.replay.messages import (
    ArmIn,
    Run,
    RunDone,
    Setup,
    TimelineReplayed,
    WindowReplayed,
    trace_message,
)
from as2d.backend.replay.trace_file import TraceLine, TracePlace, read_placed, refused_trace
from as2d.backend.words import counted

Progress = Callable[[int, int], None]
"""Called with (windows replayed, windows to replay), each window counted once an arm."""


@dataclass(frozen=True)
class TracedWindow:
    """Where a traced window comes from; `key` is its name in the replay, `tokens` what a `Result` would
    hold: those of the text, without the end.
    """

    key: str
    recording: str
    window: str
    start_s: float
    end_s: float
    target: str
    drafter: str
    tokens: tuple[int, ...]

    @classmethod
    def of(cls, key: str, line: TraceLine) -> Self:
        """The window of a trace."""
        return cls(
            key=key,
            recording=line.recording,
            window=line.window,
            start_s=line.start_s,
            end_s=line.end_s,
            target=line.target,
            drafter=line.drafter,
            tokens=text_tokens(line),
        )


@dataclass(frozen=True)
class Replay:
    """What a replay gave: its windows, the decodes of each arm in seconds, and how fast it ran."""

    windows: Sequence[TracedWindow]
    decodes: dict[Arm, list[Decode]]
    done: RunDone

    def summaries(self) -> list[ArmSummary]:
        """The paper's summary of each arm."""
        return summarise_decodes(list(self.decodes), self.decodes, {})


@dataclass(frozen=True)
class Traces:
    """The windows of trace files, read once and ready to be sent to the helper.

    `messages` and `places` go with `windows`; `repeated` is the number of windows that came once more and
    are left out.
    """

    windows: Sequence[TracedWindow]
    messages: Sequence[bytes]
    places: Sequence[TracePlace]
    repeated: int


def load_traces(paths: Sequence[Path]) -> Traces:
    """Read trace files, all of one pair of models; a window that comes again counts once.

    Raises:
        InputRefused: a file is no trace file.
        WrongUse: there is no window, or the windows are of several models.
    """
    windows: list[TracedWindow] = []
    messages: list[bytes] = []
    places: list[TracePlace] = []
    seen: set[object] = set()
    repeated = 0
    for place, line in read_placed(paths):
        identity = (line.recording, line.start_s, line.end_s, line.target, line.drafter, line.tokens)
        if identity in seen:
            repeated += 1
            continue
        seen.add(identity)
        window = TracedWindow.of(f"t{len(windows) + 1}", line)
        windows.append(window)
        messages.append(trace_message(line, window.key))
        places.append(place)
    if not windows:
        raise WrongUse("The trace files hold no window; `as2d trace` records them.")
    if len({(window.target, window.drafter) for window in windows}) > 1:
        raise WrongUse("The traces are of several models; replay those of each pair by themselves.")
    return Traces(windows, messages, places, repeated)


def text_tokens(line: TraceLine) -> tuple[int, ...]:
    """The tokens that a `Result` of the traced window would hold: those of the text, without the end."""
    if line.stop == "no_speech":
        return ()
    return line.tokens[:-1] if line.tokens[-1:] == (line.end_token,) else line.tokens


def replay(
    program: Path,
    traces: Traces,
    target: InstalledModel,
    profile: CostProfile,
    arms: Sequence[Arm],
    progress: Progress,
    cancelled: Callable[[], bool],
) -> Replay:
    """Replay every traced window by every arm against a cost profile; as `replay_by`."""
    return replay_by(program, traces, tokenizer_path(target), profile, arms, progress, cancelled)


def tokenizer_path(target: InstalledModel) -> Path:
    """The only file of a target that a replay needs."""
    return target.path / target.manifest.files["tokenizer"].path


def replay_by(
    program: Path,
    traces: Traces,
    tokenizer: Path,
    profile: CostProfile,
    arms: Sequence[Arm],
    progress: Progress,
    cancelled: Callable[[], bool],
) -> Replay:
    """Replay every traced window by every arm against a cost profile; `tokenizer` is the target's.

    Raises:
        InputRefused: a trace or the profile is damaged.
        UserError: the helper failed.
        Cancelled: the end was asked for.
    """
    labels = {arm.label: arm for arm in arms}
    decodes: dict[Arm, list[Decode]] = {arm: [] for arm in arms}
    total = len(arms) * len(traces.windows)
    count = 0

    def take(said: WindowReplayed | TimelineReplayed) -> None:
        nonlocal count
        if isinstance(said, WindowReplayed):
            decodes[labels[said.arm]].append(_decode(said))
            count += 1
            progress(count, total)

    setup = Setup(tokenizer=str(tokenizer), profile=profile)
    before = [to_line(setup)]
    lines = itertools.chain(before, traces.messages, map(to_line, _arms(arms)), [to_line(Run())])
    try:
        done = run_replay(program, lines, take, cancelled)
    except LineRefused as error:
        number = (error.line or 0) - len(before) - 1
        if 0 <= number < len(traces.places):
            raise refused_trace(traces.places[number], error.reason) from error
        if number == -1 and "profile" in error.reason:
            raise InputRefused(
                f"The cost profile measured {profile.measured} cannot be used ({error.reason}); "
                "make one with `as2d calibrate`."
            ) from error
        raise
    if count != total:
        raise HelperFailed(
            f"The helper replayed {count} of {counted(total, 'window')}; report the trace files."
        )
    return Replay(traces.windows, decodes, done)


def _arms(arms: Sequence[Arm]) -> Iterator[ArmIn]:
    for arm in arms:
        yield ArmIn(
            name=arm.label,
            method=arm.method,
            budget=arm.budget,
            admission=arm.admission,
            start_condition=arm.start_condition,
            confidence=arm.confidence,
            patience=arm.patience,
        )


def _decode(said: WindowReplayed) -> Decode:
    return Decode(
        window=said.window,
        repeat=0,
        counters=said.counters,
        decode_s=said.decode_ns / NANOSECONDS,
        response_s=said.response_ns / NANOSECONDS,
        differing=said.differing,
    )
