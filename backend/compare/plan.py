"""What a comparison runs: methods x budgets x models x devices x recordings x repeats, as a TOML file."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

import tomli_w
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from as2d.backend.bench.arms import Arm, ArmOptions, ArmThreads, make_arms
from as2d.backend.corpora.item import Split
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.problems import first_problem
from as2d.backend.protocol.ops import Admission, Preparing, StartCondition
from as2d.backend.runs.files import storage_error, write_atomically
from as2d.backend.transcribe.methods import DEFAULT_BUDGET, LARGEST_BUDGET, parse_method, with_target_only
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET

THIS_COMPUTER = "this-computer"
ISOLATED: tuple[Preparing, ...] = ("isolated",)
ANY_THREADS = ArmThreads(2, 1)
"""Threads where it is not about those of a device: how many arms there are does not depend on them."""
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]

_Path = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlannedThreads(_Part):
    """Threads as `ArmThreads`; null: what suits each device."""

    target: int | None = Field(default=None, ge=1, le=64)
    target_shared: int | None = Field(default=None, ge=1, le=64)
    drafter: int | None = Field(default=None, ge=1, le=64)
    drafter_shared: int | None = Field(default=None, ge=1, le=64)


class Gate(_Part):
    """When a phone may begin a cell; null: not looked at. `hottest_c`: °C that its hottest plausible sensor
    must have come down to; battery in percent; `wait_s`: how long a phone may take to cool down before its
    part of the comparison ends, to go on when the plan is run again.
    """

    hottest_c: float | None = Field(default=None, ge=0, le=80)
    battery_percent: int | None = Field(default=None, ge=0, le=100)
    wait_s: float = Field(default=600.0, ge=0)


class PlannedReplay(_Part):
    """Traces of the recordings instead of decoding: each cost profile is a device, on which the methods are
    replayed. Paths as those of recordings.
    """

    traces: tuple[_Path, ...] = Field(min_length=1)
    profiles: tuple[_Path, ...] = Field(min_length=1)


class ComparePlan(_Part):
    """A comparison. `methods` as on the command line (`sd:5`); `devices` by nickname, serial or
    `this-computer`; `recordings` are files and corpora as in `read_corpus`, relative ones seen from the
    plan's folder. `split` and `language` choose among a corpus' recordings, and `language` is what recordings
    are decoded in that say none; `limit`: at most so many recordings.

    With `replay` nothing is decoded: no devices are named, repeats and warm-up mean nothing, and without
    recordings all that were traced are compared.

    `preparings`: whether windows run isolated, each prepared and then decoded, or the following window of a
    recording is prepared `ahead`, while one is decoded. `warm_up`: decodes of a device's first window by each
    arm that are not counted. `a_a`: target-only is measured twice, which shows the noise.
    """

    format: Literal[1] = 1
    name: _Name = "comparison"
    methods: tuple[str, ...] = Field(min_length=1, max_length=100)
    budgets: tuple[Annotated[int, Field(ge=0, le=LARGEST_BUDGET)], ...] = (DEFAULT_BUDGET,)
    admissions: tuple[Admission, ...] = ("text",)
    start_conditions: tuple[StartCondition, ...] = ("request-start", "pre-drafted")
    preparings: tuple[Preparing, ...] = ISOLATED
    targets: tuple[_Name, ...] = (DEFAULT_TARGET,)
    drafters: tuple[_Name, ...] = (DEFAULT_DRAFTER,)
    devices: tuple[_Name, ...] = (THIS_COMPUTER,)
    recordings: tuple[_Path, ...] = ()
    split: Split | None = None
    language: str | None = Field(default=None, max_length=10)
    limit: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=3, ge=1, le=1000)
    warm_up: int = Field(default=1, ge=0, le=10)
    a_a: bool = True
    threads: PlannedThreads = PlannedThreads()
    gate: Gate = Gate()
    replay: PlannedReplay | None = None

    @field_validator(
        "budgets", "admissions", "start_conditions", "preparings", "targets", "drafters", "devices"
    )
    @classmethod
    def _at_least_one(cls, values: Sequence[object]) -> Sequence[object]:
        if not values:
            raise ValueError("name at least one")
        return values

    @field_validator(
        "budgets",
        "admissions",
        "start_conditions",
        "preparings",
        "targets",
        "drafters",
        "devices",
        "recordings",
    )
    @classmethod
    def _each_once(cls, values: Sequence[object]) -> Sequence[object]:
        if len(set(values)) < len(values):
            raise ValueError("name each once")
        return values

    @model_validator(mode="after")
    def _what_is_compared(self) -> Self:
        if self.replay is None:
            if not self.recordings:
                raise ValueError("it names no recordings")
        elif self.devices != (THIS_COMPUTER,):
            raise ValueError("a replay has no devices; its cost profiles are the devices")
        elif self.preparings != ISOLATED:
            raise ValueError("a replay prepares nothing; only decoded windows can be prepared ahead")
        elif len(self.targets) > 1 or len(self.drafters) > 1:
            raise ValueError("traces are of one target and one drafter; compare others by themselves")
        return self

    @field_validator("methods")
    @classmethod
    def _known(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            try:
                parse_method(value)
            except WrongUse as error:
                raise ValueError(error.message) from error
        return values

    @property
    def machines(self) -> tuple[str, ...]:
        """Where it is run: the devices, or the cost profiles of a replay."""
        return self.devices if self.replay is None else self.replay.profiles

    @property
    def rounds(self) -> int:
        """How often each arm decodes a window."""
        return self.repeats if self.replay is None else 1

    @property
    def digest(self) -> str:
        """Tells plans apart whose cells are not the same."""
        left_out = {"name", "gate"}
        if self.preparings == ISOLATED:  # as plans that were begun before there was this choice
            left_out.add("preparings")
        return hashlib.sha256(self.model_dump_json(exclude=left_out).encode()).hexdigest()

    def arms(self, threads: ArmThreads = ANY_THREADS) -> list[Arm]:
        """Every way to decode that makes a difference, with the threads of a device; target-only, which all
        are held against, is always among them.

        Raises:
            WrongUse: a method takes no such setting.
        """
        return make_arms(
            with_target_only([parse_method(method) for method in self.methods]),
            ArmOptions(
                self.budgets,
                self.admissions,
                self.start_conditions,
                [threads],
                a_a=self.a_a and self.replay is None,
                preparings=self.preparings,
            ),
        )


def read_plan(path: Path) -> ComparePlan:
    """Read a plan's file.

    Raises:
        InputRefused: it cannot be read, or is no plan.
    """
    try:
        return ComparePlan.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputRefused(f"The plan {path} cannot be read ({error.strerror}); check its name.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputRefused(f"The plan {path} is no TOML file ({error}); correct it there.") from error
    except ValidationError as error:
        raise InputRefused(f"The plan {path} is none: {first_problem(error)}; correct it there.") from error


def plan_text(plan: ComparePlan) -> str:
    """The plan as TOML; reading it gives the same plan."""
    return tomli_w.dumps(plan.model_dump(mode="json", exclude_none=True))


def write_plan(path: Path, plan: ComparePlan) -> None:
    """Write a plan's file.

    Raises:
        UserError: it cannot be written; an old one is as it was.
    """
    try:
        write_atomically(path, plan_text(plan).encode())
    except OSError as error:
        raise storage_error(error, path, "the plan") from error
