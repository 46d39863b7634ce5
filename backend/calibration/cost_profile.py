"""The cost profile of a device: one file for each pair of models and their threads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from as2d.backend.calibration.plan import QUICK
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.problems import first_problem
from as2d.backend.runs.files import storage_error, write_atomically

Milliseconds = Annotated[float, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StepCost(_Part):
    """One width at one context and thread setting: mean, median and standard deviation of the repeats, ms.

    `k` is the number of tokens run, `context` the number in the KV cache before the call, `seconds` the
    length of the window's audio, on which only drafters depend that hear no more than it.
    """

    threads: int = Field(ge=1)
    context: int = Field(ge=0)
    k: int = Field(ge=1)
    seconds: float = Field(default=30.0, gt=0, le=30)
    ms_mean: Milliseconds
    ms_median: Milliseconds
    ms_deviation: Milliseconds


class TurnCost(StepCost):
    """A drafter step that the target waits for: the `turn`-th behind a target call, 1 right behind it."""

    turn: int = Field(ge=1)


class EncoderCost(_Part):
    """Medians for a window of `seconds` of audio: the encoder, and the cross keys and values, ms."""

    model: Literal["target", "drafter"]
    seconds: float = Field(gt=0, le=30)
    threads: int = Field(ge=1)
    encoder_ms: Milliseconds
    cross_ms: Milliseconds


class Interference(_Part):
    """How many times longer each takes while the other runs: target calls of `k` tokens, drafter steps."""

    target: float = Field(gt=0)
    drafter: float = Field(gt=0)
    k: int = Field(ge=1)


class CostProfile(_Part):
    """What a pair of models costs on a device.

    `target` and `drafter` are the SHA-256 of their model.json, `helper` the build that measured. `threads` of
    the target alone and `shared_threads` beside the drafter; `drafter_threads` while the target waits and
    `drafter_shared_threads` beside it. Between measured points replay interpolates linearly in width,
    context and length of the audio; outside it takes the nearest context and length, and above the largest
    width it goes on as a straight line.

    `target_calls` and `drafter_steps` are of one model that works by itself, call behind call. Where a
    drafter works while the target waits, the two take turns, and each finds the caches full of the other's
    weights: `target_turns` are calls behind a drafter's step, `drafter_turns` the steps behind a call; those
    behind the last `turn` cost what `drafter_steps` says. Profiles of version 1 have no turns.
    """

    version: Literal[1, 2] = 2
    device: str
    cpu: str
    cores: int = Field(ge=1)
    helper: str
    target: str
    drafter: str
    threads: int = Field(ge=1)
    shared_threads: int = Field(ge=1)
    drafter_threads: int = Field(ge=1)
    drafter_shared_threads: int = Field(ge=1)
    measured: str = Field(description="ISO 8601, UTC")
    repeats: int = Field(ge=1)
    target_calls: tuple[StepCost, ...] = Field(min_length=1)
    drafter_steps: tuple[StepCost, ...] = Field(min_length=1)
    target_turns: tuple[StepCost, ...] = ()
    drafter_turns: tuple[TurnCost, ...] = ()
    encoders: tuple[EncoderCost, ...]
    interference: Interference

    @model_validator(mode="after")
    def _turns_belong_to_version_2(self) -> Self:
        if self.version == 1 and (self.target_turns or self.drafter_turns):
            raise ValueError("version 1 has no turns")
        if self.version == 2 and not (self.target_turns and self.drafter_turns):
            raise ValueError("version 2 needs target_turns and drafter_turns")
        return self

    @property
    def knows_turns(self) -> bool:
        """Whether calls and steps were measured in turn too."""
        return bool(self.drafter_turns)

    @property
    def quick(self) -> bool:
        """Whether it was measured to try things out only."""
        return self.repeats <= QUICK.repeats

    @property
    def widest(self) -> int:
        """The largest K of a target call that was measured."""
        return max(cost.k for cost in self.target_calls)


_KEY = {
    "cpu", "helper", "target", "drafter", "threads", "shared_threads", "drafter_threads",
    "drafter_shared_threads",
}  # fmt: skip


class CostProfiles:
    """The cost profiles in the profile folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def store(self, profile: CostProfile) -> Path:
        """Keep a profile in place of an earlier one of the same models, threads, processor and helper.

        Raises:
            UserError: it cannot be written.
        """
        path = self._path(profile)
        try:
            self._root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, self._root, "the cost profile") from error
        write_profile(path, profile)
        return path

    def better(self, profile: CostProfile) -> CostProfile | None:
        """The profile in the place of this one, if it was measured with more repeats."""
        try:
            found = read_profile(self._path(profile))
        except UserError:  # none, or one that can no longer be read
            return None
        return found if found.repeats > profile.repeats else None

    def keep(self, profile: CostProfile) -> tuple[Path | None, CostProfile]:
        """Keep a profile unless a better one is in its place: where it is now, and the one that counts.

        Raises:
            UserError: it cannot be written.
        """
        better = self.better(profile)
        if better is not None:
            return None, better
        return self.store(profile), profile

    def _path(self, profile: CostProfile) -> Path:
        key = json.dumps(profile.model_dump(include=_KEY), sort_keys=True)
        return self._root / f"cost-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"

    def newest(self, target: str, drafter: str, cpu: str) -> tuple[Path, CostProfile] | None:
        """The profile of two models (SHA-256 of their model.json) on a processor that was measured last, a
        quick one only where there is no other.

        A file that cannot be read counts as not there.
        """
        found = [
            (path, profile)
            for path, profile in self._of(cpu)
            if (profile.target, profile.drafter) == (target, drafter)
        ]
        return max(found, key=lambda entry: (not entry[1].quick, entry[1].measured), default=None)

    def has_any(self, cpu: str) -> bool:
        """Whether any models were measured on a processor."""
        return any(self._of(cpu))

    def _of(self, cpu: str) -> Iterator[tuple[Path, CostProfile]]:
        for path in sorted(self._root.glob("cost-*.json")):
            try:
                profile = read_profile(path)
            except UserError:  # of another version, or damaged: it is measured again
                continue
            if profile.cpu == cpu:
                yield path, profile


def write_profile(path: Path, profile: CostProfile) -> None:
    """Write a cost profile to a file.

    Raises:
        UserError: it cannot be written; what was there is as it was.
    """
    try:
        write_atomically(path, profile.model_dump_json(indent=1).encode() + b"\n")
    except OSError as error:
        raise storage_error(error, path, "the cost profile") from error


def read_profile(path: Path) -> CostProfile:
    """Read a cost profile.

    Raises:
        InputRefused: there is none at `path`, or it is not valid.
    """
    try:
        return CostProfile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputRefused(
            f"The cost profile {path} cannot be read ({error.strerror}); `as2d calibrate` makes one."
        ) from error
    except ValidationError as error:
        raise InputRefused(
            f"{path} is no cost profile that this version knows ({first_problem(error)}); "
            "make one with `as2d calibrate`."
        ) from error
