"""What a comparison says of runs that a plan made, or that were recorded one by one, here or elsewhere."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Difference(_Part):
    """A setting, version or device property that is not the same in all runs; a value for each name in
    `Judgement.names`, null: it has none.
    """

    what: str
    values: tuple[str | None, ...]


class JudgedWindow(_Part):
    """A window that some side decoded; `recording` is the shortest end of its path that tells it apart."""

    corpus: str | None
    recording: str
    start_s: float
    end_s: float


class TextDifference(_Part):
    """The first window whose output is not that of the reference: the position in tokens (from 0; null: the
    targets are not the same model) and both texts.

    `margin` and `reference_margin` are how far the two best logits lay apart at that position on each side;
    null: the position was decided by the prefill, or no target call of this position was recorded.
    """

    recording: str
    start_s: float
    position: int | None
    margin: float | None
    reference_margin: float | None
    text: str
    reference: str


class ErrorRate(_Part):
    """Word or character errors against reference texts: `errors` of `length`, over so many recordings."""

    rate: float
    errors: int
    length: int
    recordings: int


class Paired(_Part):
    """A side against another one (`reference`, an index of `Judgement.sides`), over the windows that both
    decoded.

    `speed_up` is the median of the windows' ratios of decode speed, `low` and `high` its 95 % bootstrap
    interval by recording (a file listed several times is one; null: fewer than two); `change_q1` and
    `change_q3` bound the middle half of the ratios less 1. `slower` windows are those below the reference,
    losses how much slower those are. `gain` is the ratio of the pooled speeds on these windows less 1.
    """

    reference: int
    windows: int
    speed_up: float | None
    low: float | None
    high: float | None
    change_q1: float | None
    change_q3: float | None
    faster: int
    slower: int
    slower_share: float | None
    loss_median: float | None
    loss_max: float | None
    gain: float | None


class WindowFigures(_Part):
    """A side's numbers by window, in the order of `Judgement.windows`; null where it did not decode one.

    Tokens/s by the median decode time of the repeats; the mean over its widths of a side that is a mean.
    Milliseconds are medians over the repeats. Counts are of one decode. `identical`: the output is the
    reference's.
    """

    tps: tuple[float | None, ...]
    repeats: tuple[int, ...]
    tokens: tuple[int | None, ...]
    calls: tuple[int | None, ...]
    proposed: tuple[int | None, ...]
    accepted: tuple[int | None, ...]
    decode_ms: tuple[float | None, ...]
    response_ms: tuple[float | None, ...]
    drop_ms: tuple[float | None, ...]
    first_token_ms: tuple[float | None, ...]
    joules_per_token: tuple[float | None, ...]
    identical: tuple[bool | None, ...]


class Side(_Part):
    """One way to decode on one device with one target: an arm of a plan or benchmark, or a run's method.

    `runs` are those that it was decoded in, `name` what they are called. A side with `members` (indices) is
    the mean of those: its speeds, times and energies are means of theirs (`tps_low` to `tps_high` is their
    range), counts are rounded means, acceptance is pooled.

    Speeds in tokens/s: `tps` pooled, `tps_median` the median over the repeats. `drop_ms` is from the moment
    when the device got the window's audio to the end of the text: preparation and response, without the time
    in which only others worked, and of windows that were prepared ahead from the text of the window before;
    where the request came after the draft (`pre-drafted` of a benchmark), the
    drafting is part of it. `response_ms` is from the request to the end, `first_token_ms` from the request to
    the first token, all medians. `joules_per_token` is over the response, `…_from_audio` from 'audio ready',
    both null (and `no_energy` says why) unless every request could be measured; over the response also where
    drafts are made before it, whose energy is part of the whole. `threads` are those of the
    target's calls, `drafter_threads` those of the drafter's encoder, as seen, fewest first; `set_threads` are
    those that the target was given alone and beside the drafter, `set_drafter_threads` the drafter's while
    the target waits for it and beside it, empty where no plan tells; `placement` are a phone's processors for
    both.

    `first` is against the first side, `alone` against target-only of the same device and target. Outputs are
    held against those of `output_reference` (target-only, else the first side): `compared` tokens, of which
    `differing` are others; `identical` null where there is nothing to hold against.
    """

    run: str
    runs: tuple[str, ...]
    name: str
    arm: str
    method: str
    budget: int | None
    max_k: int | None
    admission: str | None
    start_condition: str | None
    preparing: str = "isolated"
    confidence: float | None
    patience: int | None
    again: bool
    members: tuple[int, ...]
    device: str
    target: str
    drafter: str | None
    threads: tuple[int, ...]
    drafter_threads: tuple[int, ...]
    set_threads: tuple[int, ...] = ()
    set_drafter_threads: tuple[int, ...] = ()
    placement: str | None
    replayed: bool
    windows: int
    repeats: int
    tokens: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    extra: int
    acceptance: float | None
    acceptance_by_position: tuple[float | None, ...]
    proposed_by_position: tuple[int, ...]
    tokens_per_call: float | None
    hit_rate: float | None
    tps: float | None
    tps_low: float | None
    tps_high: float | None
    tps_median: float | None
    ms_per_token: float | None
    response_ms: float | None
    drop_ms: float | None
    first_token_ms: float | None
    joules_per_token: float | None
    joules_per_token_from_audio: float | None
    no_energy: str | None
    wer: ErrorRate | None
    cer: ErrorRate | None
    first: Paired | None = None
    alone: Paired | None = None
    output_reference: int | None = None
    compared: int = 0
    differing: int = 0
    identical: bool | None = None
    difference: TextDifference | None = None
    figures: WindowFigures


class Gain(_Part):
    """How much faster a side is, pooled, over the windows that both decoded: than target-only, and than the
    best baseline, which is named; 0.5 is half as fast again.
    """

    over_alone: float | None
    over_best: float | None
    best: int | None


class CorpusRow(_Part):
    """A side in a table by corpus: its pooled tokens/s in each column, and its gains there."""

    side: int
    tps: tuple[float | None, ...]
    gains: tuple[Gain, ...]


class CorpusTable(_Part):
    """Pooled speed by corpus, of one device and target, under one start condition (target-only has none) and
    with windows prepared in one way.

    The last column is everything. `best` is the best baseline of each column: the fastest among target-only,
    `sd` (the mean of its widths, where all four are there) and `specasr`; never an ablation. `oracle` is what
    the best of target-only and of all `as2d` sides in each window would reach.
    """

    device: str
    target: str
    start_condition: str | None
    preparing: str = "isolated"
    columns: tuple[str, ...]
    windows: tuple[int, ...]
    rows: tuple[CorpusRow, ...]
    best: tuple[int | None, ...]
    oracle: tuple[float | None, ...]


class RegimeRow(_Part):
    """How the windows of a group change against target-only: median and middle half of the ratios less 1."""

    side: int
    windows: int
    median: float
    q1: float
    q3: float


class Regime(_Part):
    """A group of windows that are alike: those of a corpus, or a third of all by how well drafts fit (the
    mean acceptance of the sides that draft, from `low` to `high`).
    """

    kind: Literal["corpus", "acceptance"]
    name: str
    device: str
    target: str
    low: float | None
    high: float | None
    windows: int
    rows: tuple[RegimeRow, ...]


class Judgement(_Part):
    """A comparison: what differs in how its runs were made first, then their sides, of which the first is the
    reference of the others. `names` are those of the runs, sessions of one plan on one device as one;
    `notes` are sentences on runs that are incomplete or came from elsewhere, `cautions` those that must be
    read before any number: why they may be no results.
    """

    names: tuple[str, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()
    windows: tuple[JudgedWindow, ...]
    sides: tuple[Side, ...] = Field(min_length=1)
    tables: tuple[CorpusTable, ...]
    regimes: tuple[Regime, ...]

    def held(self, number: int) -> Paired | None:
        """What the speed of a side is told by: against target-only of its own device, target and condition,
        where there is none against the first side. None: others are held against it.
        """
        side = self.sides[number]
        if number == 0 or number in {one.alone.reference for one in self.sides if one.alone is not None}:
            return side.alone
        return side.alone if side.alone is not None else side.first

    def across(self, number: int) -> Paired | None:
        """A side against the first one, where `held` is against another; else None."""
        held = self.held(number)
        return None if number == 0 or (held is not None and held.reference == 0) else self.sides[number].first

    @property
    def unpaired(self) -> tuple[Side, ...]:
        """The sides whose outputs could be held against none; of means it is never asked."""
        return tuple(side for side in self.sides[1:] if side.identical is None and not side.members)

    @property
    def identical(self) -> bool | None:
        """Whether all outputs are the same, as far as sides decoded the same windows; None: some side shares
        none with what it is held against.
        """
        if any(side.identical is False for side in self.sides):
            return False
        return None if self.unpaired else True
