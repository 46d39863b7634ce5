"""Replayed speeds held against a benchmark that was recorded on the same windows."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from as2d.backend.bench.arms import Arm, grouped, mean_label
from as2d.backend.bench.decodes import Decode, MeasuredDecodes, decodes_of
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.speeds import MeanOfArms
from as2d.backend.replay.service import Replay
from as2d.backend.words import counted


class ReplayError(BaseModel):
    """The error of a replayed arm, or of the mean of a group, on the windows that both decoded.

    Errors are (replay - native) / native of tokens/s: `window_error` the mean of the windows' absolute
    errors, `pooled_error` that of the pooled speed, with its sign; null where no window has a speed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: str
    windows: int
    native_tps: float
    replay_tps: float
    pooled_error: float | None
    window_error: float | None


@dataclass(frozen=True)
class Comparison:
    """The errors of the arms, and how many windows of the run were left out for their text.

    `other_text` are those whose file name, start and end are those of a traced window, but not the tokens:
    another recording of that name, or a target that decided otherwise there.
    """

    errors: Sequence[ReplayError]
    other_text: int


def compare_replay(replay: Replay, run: str, fold: RunFold) -> Comparison:
    """The errors of the arms that the recorded benchmark `run` measured too, in the replay's order.

    Windows are the same when file name, start, end and tokens are: folders may be others by now, and
    recordings of the same name in several folders are told apart by what was said in them.

    Raises:
        WrongUse: the run has none of the arms, or none of the windows.
    """
    keys = {
        (_place(window.recording, window.start_s, window.end_s), window.tokens): window.key
        for window in replay.windows
    }
    places = {place for place, _ in keys}
    names: dict[str, str] = {}
    other_text = 0
    for state in fold.windows.values():
        place = _place(fold.recordings[state.recording].audio, state.start_s, state.end_s)
        answered = state.answered()
        if place not in places or answered is None or answered.result is None:
            continue
        if (place, answered.result.tokens) in keys:
            names[state.window] = keys[place, answered.result.tokens]
        else:
            other_text += 1
    native: dict[Arm, list[Decode]] = {}
    for arm in replay.decodes:
        requests = [
            request
            for request in fold.finished_requests()
            if request.arm == arm.label and request.preparation.window in names
        ]
        if requests:
            native[arm] = decodes_of(requests, None)
    if not native:
        raise WrongUse(
            f"The run {run} has no arm and window in common with the replay"
            + (f" ({left_out_sentence(other_text)})" if other_text else "")
            + "; compare with `as2d bench` on the recordings that were traced, with the same methods, "
            "budgets and threads."
        )
    pairs = {
        arm: _common(replay.decodes[arm], [_renamed(decode, names) for decode in decodes])
        for arm, decodes in native.items()
    }
    last_of_group = {members[-1]: members for members in grouped(pairs) if len(members) > 1}
    rows = []
    for arm, pair in pairs.items():
        rows.append(_error(arm.label, [pair]))
        if arm in last_of_group:
            members = last_of_group[arm]
            rows.append(_error(mean_label(members), [pairs[member] for member in members]))
    return Comparison(rows, other_text)


def left_out_sentence(other_text: int) -> str:
    """What to say of windows that were left out for their text, without a full stop."""
    return (
        f"{counted(other_text, 'window')} of the run with a traced window's file name and times "
        f"{'holds' if other_text == 1 else 'hold'} another text"
    )


def error_row(error: ReplayError) -> dict[str, object]:
    """The error of an arm as a row of a table that fits a page."""
    return {
        "arm": error.arm,
        "windows": error.windows,
        "measured tokens/s": error.native_tps,
        "replayed tokens/s": error.replay_tps,
        "error": None if error.pooled_error is None else f"{100 * error.pooled_error:+.1f} %",
        "mean error of windows": None if error.window_error is None else f"{100 * error.window_error:.1f} %",
    }


def joined(row: dict[str, object], errors: Sequence[ReplayError]) -> dict[str, object]:
    """A replayed arm's row with the columns of its error, empty where the run did not measure the arm."""
    error = next((error for error in errors if error.arm == row["arm"]), None)
    return {
        **row,
        "native_windows": error.windows if error else None,
        "native_tps": error.native_tps if error else None,
        "pooled_error": error.pooled_error if error else None,
        "window_error": error.window_error if error else None,
    }


_Pair = tuple[Sequence[Decode], Sequence[Decode]]


def _place(audio: str, start_s: float, end_s: float) -> tuple[str, float, float]:
    return Path(audio).name, round(start_s, 3), round(end_s, 3)


def _renamed(decode: Decode, names: Mapping[str, str]) -> Decode:
    return Decode(
        names[decode.window],
        decode.repeat,
        decode.counters,
        decode.decode_s,
        decode.response_s,
        decode.differing,
    )


def _common(replayed: Sequence[Decode], native: Sequence[Decode]) -> _Pair:
    """Both on the windows that both have."""
    both = {decode.window for decode in replayed} & {decode.window for decode in native}
    return [d for d in replayed if d.window in both], [d for d in native if d.window in both]


def _error(label: str, pairs: Sequence[_Pair]) -> ReplayError:
    replayed = MeanOfArms([MeasuredDecodes(decodes) for decodes, _ in pairs])
    native = MeanOfArms([MeasuredDecodes(decodes) for _, decodes in pairs])
    replay_tps, native_tps = replayed.pooled() or 0.0, native.pooled() or 0.0
    errors = [
        abs(replayed.speeds[window] / speed - 1)
        for window, speed in native.speeds.items()
        if window in replayed.speeds
    ]
    return ReplayError(
        arm=label,
        windows=len(errors),
        native_tps=native_tps,
        replay_tps=replay_tps,
        pooled_error=replay_tps / native_tps - 1 if native_tps else None,
        window_error=statistics.fmean(errors) if errors else None,
    )
