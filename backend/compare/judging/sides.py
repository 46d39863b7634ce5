"""The sides of a comparison by themselves, not yet held against each other."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from as2d.backend.bench.arms import mean_label
from as2d.backend.compare.judging.decoded import Decoded, WindowSums
from as2d.backend.compare.judging.judgement import ErrorRate, Side, WindowFigures
from as2d.backend.compare.judging.outputs import SameOutputs
from as2d.backend.compare.judging.pairing import OneArm
from as2d.backend.metrics.pooled import ratio
from as2d.backend.metrics.speeds import MeanOfArms, Measured, mean_of_all, median_of_any
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.transcribe.methods import ALIGNING_METHODS, TARGET_ONLY

_MS = 1000.0


@dataclass(frozen=True)
class Draft:
    """A side in the making: its arm, or those whose mean it is (`members`, by number), and its speeds."""

    arms: tuple[Decoded, ...]
    members: tuple[int, ...]
    measured: Measured[int]
    label: str

    @property
    def arm(self) -> Decoded:
        """The arm; of a mean the first one."""
        return self.arms[0]

    @property
    def is_mean(self) -> bool:
        return bool(self.members)

    @property
    def is_alone(self) -> bool:
        """Whether it is target-only (the first one, where it is measured twice)."""
        return self.arm.used.method == TARGET_ONLY and not self.arm.used.again


def one_arm(arm: Decoded) -> Draft:
    """A side of one arm."""
    return Draft((arm,), (), OneArm(arm.windows), arm.arm)


def mean_of(drafts: Sequence[Draft], members: Sequence[int]) -> Draft:
    """The mean of several sides."""
    arms = tuple(draft.arm for draft in drafts)
    label = mean_label([arm.used for arm in arms])
    return Draft(arms, tuple(members), MeanOfArms([draft.measured for draft in drafts]), label)


def side_of(
    draft: Draft,
    name: str,
    windows: int,
    rates: tuple[ErrorRate | None, ErrorRate | None],
    outputs: SameOutputs | None,
) -> Side:
    """What a side is by itself. `windows`: how many the comparison has; `rates` of words and characters;
    `outputs` how its outputs stand to its reference's, if it has one.
    """
    arms, used, manifest = draft.arms, draft.arm.used, draft.arm.manifest
    speeds = [OneArm(arm.windows).pooled() for arm in arms]
    known = [speed for speed in speeds if speed is not None]
    tps = draft.measured.pooled()
    aligned = used.method in ALIGNING_METHODS
    drafts = used.method != TARGET_ONLY
    return Side(
        run=manifest.run,
        runs=tuple(dict.fromkeys(run for arm in arms for run in arm.runs)),
        name=name,
        arm=draft.label,
        method=used.method,
        budget=None if draft.is_mean else used.budget,
        max_k=None if draft.is_mean else used.budget + 1,
        admission=used.admission if aligned else None,
        start_condition=used.start_condition if drafts else None,
        preparing=used.preparing,
        confidence=used.confidence,
        patience=used.patience,
        again=used.again,
        members=draft.members,
        device=manifest.device.name,
        target=manifest.target.name,
        drafter=used.drafter,
        threads=tuple(sorted(set().union(*(arm.threads for arm in arms)))),
        drafter_threads=tuple(sorted(set().union(*(arm.drafter_threads for arm in arms)))),
        set_threads=_set(used.threads, used.shared_threads if drafts else 0),
        set_drafter_threads=_set(used.drafter_threads, used.drafter_shared_threads) if drafts else (),
        placement=_placement(manifest),
        replayed=manifest.replayed is not None,
        windows=max(len(arm.windows) for arm in arms),
        repeats=max(sums.decodes for arm in arms for sums in arm.windows.values()),
        **_counts(arms),
        tps=tps,
        tps_low=min(known, default=None) if draft.is_mean else None,
        tps_high=max(known, default=None) if draft.is_mean else None,
        tps_median=mean_of_all(median_of_any(arm.repeat_speeds()) for arm in arms),
        ms_per_token=_MS / tps if tps else None,
        response_ms=_latency(arms, lambda sums: sums.response_s),
        drop_ms=_latency(arms, lambda sums: sums.drop_s),
        first_token_ms=_latency(arms, lambda sums: sums.first_token_s),
        joules_per_token=mean_of_all(_joules(arm, from_audio=False) for arm in arms),
        joules_per_token_from_audio=mean_of_all(_joules(arm, from_audio=True) for arm in arms),
        no_energy=next((arm.no_energy for arm in arms if arm.no_energy is not None), None),
        wer=rates[0],
        cer=rates[1],
        compared=outputs.compared if outputs is not None else 0,
        differing=outputs.differing if outputs is not None else 0,
        identical=outputs.identical if outputs is not None else None,
        difference=outputs.difference if outputs is not None else None,
        figures=_figures(draft, windows, outputs),
    )


def _set(alone: int, beside: int) -> tuple[int, ...]:
    """Threads as they were set; 0: not known, or of no meaning."""
    return tuple(threads for threads in (alone, beside) if threads)


def _placement(manifest: RunManifest) -> str | None:
    placed = manifest.device.placement
    if placed is None:
        return None
    target, drafter = (", ".join(map(str, cpus)) for cpus in (placed.target_cpus, placed.drafter_cpus))
    return f"target on processors {target}, drafter on {drafter}"


def _counts(arms: Sequence[Decoded]) -> dict[str, object]:
    sums = [list(arm.windows.values()) for arm in arms]

    def total(count: Callable[[WindowSums], int]) -> int:
        return sum(count(window) for windows in sums for window in windows)

    def each(count: Callable[[WindowSums], int]) -> int:
        return round(total(count) / len(arms))

    proposed, accepted = total(lambda w: w.proposed), total(lambda w: w.accepted)
    calls = total(lambda w: w.calls)
    proposed_at: dict[int, int] = {}
    accepted_at: dict[int, int] = {}
    for arm in arms:
        for place, count in arm.proposed_at.items():
            proposed_at[place] = proposed_at.get(place, 0) + count
            accepted_at[place] = accepted_at.get(place, 0) + arm.accepted_at[place]
    positions = range(max(proposed_at, default=-1) + 1)
    return {
        "tokens": each(lambda w: w.tokens),
        "calls": each(lambda w: w.calls),
        "guard_calls": each(lambda w: w.guard_calls),
        "proposed": each(lambda w: w.proposed),
        "accepted": each(lambda w: w.accepted),
        "extra": each(lambda w: w.accepted),
        "acceptance": ratio(accepted, proposed),
        "acceptance_by_position": tuple(
            ratio(accepted_at.get(place, 0), proposed_at.get(place, 0)) for place in positions
        ),
        "proposed_by_position": tuple(proposed_at.get(place, 0) for place in positions),
        "tokens_per_call": ratio(total(lambda w: w.after_first), calls),
        "hit_rate": ratio(total(lambda w: w.hits), calls),
    }


def _latency(arms: Sequence[Decoded], of: Callable[[WindowSums], Sequence[float]]) -> float | None:
    """The median over all decodes, ms; of several arms the mean of their medians."""
    medians = (median_of_any([value for sums in arm.windows.values() for value in of(sums)]) for arm in arms)
    mean = mean_of_all(medians)
    return None if mean is None else _MS * mean


def _joules(arm: Decoded, *, from_audio: bool) -> float | None:
    """Joules a token, if every decode could be measured."""
    measured = arm.energies_from_audio if from_audio else arm.energies
    if measured < arm.decodes:
        return None
    sums = arm.windows.values()
    joules = sum(window.joules_from_audio if from_audio else window.joules for window in sums)
    tokens = sum(window.energy_tokens_from_audio if from_audio else window.energy_tokens for window in sums)
    return ratio(joules, tokens)


def _figures(draft: Draft, windows: int, outputs: SameOutputs | None) -> WindowFigures:
    order = range(windows)
    arms = draft.arms

    def column(of: Callable[[WindowSums], float | None]) -> tuple[float | None, ...]:
        return tuple(
            mean_of_all(of(arm.windows[number]) if number in arm.windows else None for arm in arms)
            for number in order
        )

    def count(of: Callable[[WindowSums], int]) -> tuple[int | None, ...]:
        means = column(lambda sums: of(sums) / sums.decodes)
        return tuple(None if mean is None else round(mean) for mean in means)

    same: Mapping[int, bool] = outputs.windows if outputs is not None else {}
    return WindowFigures(
        tps=tuple(draft.measured.speeds.get(number) for number in order),
        repeats=tuple(
            max(arm.windows[number].decodes if number in arm.windows else 0 for arm in arms)
            for number in order
        ),
        tokens=count(lambda sums: sums.tokens),
        calls=count(lambda sums: sums.calls),
        proposed=count(lambda sums: sums.proposed),
        accepted=count(lambda sums: sums.accepted),
        decode_ms=column(lambda sums: _MS * statistics.median(sums.decode_s)),
        response_ms=column(lambda sums: _MS * statistics.median(sums.response_s)),
        drop_ms=column(lambda sums: _MS * statistics.median(sums.drop_s) if sums.drop_s else None),
        first_token_ms=column(lambda sums: _MS * statistics.median(sums.first_token_s)),
        joules_per_token=column(
            lambda sums: ratio(sums.joules, sums.energy_tokens) if sums.energy_tokens else None
        ),
        identical=tuple(same.get(number) for number in order),
    )
