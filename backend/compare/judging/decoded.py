"""What a comparison keeps of each way to decode: numbers by window, in little memory."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from as2d.backend.energy.measure import Energy, NotMeasured
from as2d.backend.metrics.speeds import median_speed
from as2d.backend.runs.manifest import ArmUsed, RunManifest

_DRAFTED_BEFORE = "what is drafted before the request is part of the energy, and not in the response's"


@dataclass(frozen=True)
class Output:
    """One text that a target wrote for a window. `margins` by position of the token, NaN where unknown."""

    tokens: array[int]
    text: str
    margins: array[float]

    def margin(self, position: int) -> float | None:
        """How far the two best logits lay apart at a position; None: not known."""
        margin = self.margins[position] if position < len(self.margins) else float("nan")
        return None if math.isnan(margin) else margin


@dataclass
class Outputs:
    """The different outputs of a window, each once: identical methods share one."""

    kept: list[Output] = field(default_factory=list)

    def keep(self, tokens: Sequence[int], text: str, margins: array[float]) -> int:
        """The number of this output, which is kept if it is new."""
        packed = array("i", tokens)
        for number, known in enumerate(self.kept):
            if known.tokens == packed and known.text == text:
                return number
        self.kept.append(Output(packed, text, margins))
        return len(self.kept) - 1


@dataclass
class WindowSums:
    """All decodes of a window by one arm. Times in seconds, one a decode; counts are sums over the decodes;
    `after_first` are the tokens after the first, `outputs` numbers of `Outputs`.
    """

    decode_s: array[float] = field(default_factory=lambda: array("d"))
    response_s: array[float] = field(default_factory=lambda: array("d"))
    drop_s: array[float] = field(default_factory=lambda: array("d"))
    first_token_s: array[float] = field(default_factory=lambda: array("d"))
    outputs: array[int] = field(default_factory=lambda: array("H"))
    repeats: array[int] = field(default_factory=lambda: array("i"))
    tokens: int = 0
    after_first: int = 0
    calls: int = 0
    guard_calls: int = 0
    proposed: int = 0
    accepted: int = 0
    hits: int = 0
    joules: float = 0.0
    joules_from_audio: float = 0.0
    energy_tokens: int = 0
    energy_tokens_from_audio: int = 0

    @property
    def decodes(self) -> int:
        return len(self.decode_s)

    @property
    def tps(self) -> float | None:
        """Tokens/s by the median decode time; None: there is only the token that the prefill gives."""
        return median_speed(self.after_first / self.decodes, self.decode_s)


@dataclass(frozen=True)
class Site:
    """Where sides belong together: the runs of a comparison on one device, or by one cost profile, with one
    target, else a single run; a run that is named twice is held against itself.
    """

    family: str
    device: str
    target: str

    @classmethod
    def of(cls, manifest: RunManifest, number: int) -> Site:
        """The site of a comparison's run of this number."""
        device = manifest.device
        comparison = manifest.comparison
        replayed = manifest.replayed
        measured = () if replayed is None else (replayed.device, replayed.measured)
        return cls(
            family=(
                f"comparison {comparison.comparison} by {comparison.plan}"
                if comparison is not None
                else f"run {number}"
            ),
            device=" | ".join((device.kind, device.name, device.cpu, device.arch, *measured)),
            target=manifest.target.digest,
        )


@dataclass
class Decoded:
    """One way to decode at one site, over all its runs."""

    site: Site
    arm: str
    used: ArmUsed
    manifest: RunManifest
    runs: dict[str, None] = field(default_factory=dict)
    windows: dict[int, WindowSums] = field(default_factory=dict)
    threads: set[int] = field(default_factory=set)
    drafter_threads: set[int] = field(default_factory=set)
    proposed_at: Counter[int] = field(default_factory=Counter)
    accepted_at: Counter[int] = field(default_factory=Counter)
    transcribes: bool = True
    energies: int = 0
    energies_from_audio: int = 0
    no_energy: str | None = None

    def add_energy(
        self, window: WindowSums, response: Energy | NotMeasured, from_audio: Energy | NotMeasured
    ) -> None:
        """Take the energy of one decode."""
        if isinstance(response, NotMeasured):
            self.no_energy = self.no_energy or response.reason
        elif self.drafts_before:
            self.no_energy = self.no_energy or _DRAFTED_BEFORE
        else:
            self.energies += 1
            window.joules += response.joules
            window.energy_tokens += response.tokens or 0
        if isinstance(from_audio, Energy):
            self.energies_from_audio += 1
            window.joules_from_audio += from_audio.joules
            window.energy_tokens_from_audio += from_audio.tokens or 0

    @property
    def drafts_before(self) -> bool:
        """Whether its drafts are made before the request, so that its responses do not hold all its work."""
        return self.used.drafter is not None and self.used.start_condition == "pre-drafted"

    @property
    def decodes(self) -> int:
        return sum(window.decodes for window in self.windows.values())

    def repeat_speeds(self) -> list[float]:
        """Pooled tokens/s of each repeat."""
        seconds: dict[int, float] = {}
        tokens: dict[int, float] = {}
        for window in self.windows.values():
            each = window.after_first / window.decodes
            for repeat, spent in zip(window.repeats, window.decode_s, strict=True):
                seconds[repeat] = seconds.get(repeat, 0.0) + spent
                tokens[repeat] = tokens.get(repeat, 0.0) + each
        return [tokens[repeat] / seconds[repeat] for repeat in sorted(seconds) if seconds[repeat] > 0]


def pooled_tps(windows: Iterable[WindowSums]) -> float | None:
    """Tokens after the first over decode time, summed over windows and repeats before dividing."""
    tokens, seconds = 0, 0.0
    for window in windows:
        tokens += window.after_first
        seconds += sum(window.decode_s)
    return tokens / seconds if tokens > 0 and seconds > 0 else None
