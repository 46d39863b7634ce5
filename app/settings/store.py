"""The window's settings: studio.json in the data folder. Knows no Qt."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from as2d.app.translation import tr
from as2d.backend.errors import UserError
from as2d.backend.paths import data_dir
from as2d.backend.protocol.ops import Admission, Preparing, StartCondition, Task
from as2d.backend.runs.files import storage_error, write_atomically
from as2d.backend.transcribe.methods import DEFAULT_BUDGET, DEFAULT_METHOD, LARGEST_BUDGET, TARGET_ONLY
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET, TranscribeSettings

_NAME = "studio.json"

ColourScheme = Literal["system", "light", "dark"]


class DecodeSettings(BaseModel):
    """How recordings are decoded; as `TranscribeSettings`. `device` null: this computer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    device: str | None = None
    target: str = DEFAULT_TARGET
    drafter: str | None = DEFAULT_DRAFTER
    method: str = DEFAULT_METHOD
    budget: int | None = Field(default=None, ge=0, le=LARGEST_BUDGET)
    start_condition: StartCondition = "pre-drafted"
    admission: Admission = "text"
    task: Task = "transcribe"
    language: str | None = None

    def for_run(self) -> TranscribeSettings:
        """The same for the backend."""
        return TranscribeSettings.model_validate(self.model_dump(exclude={"device"}))


class LongRunSettings(BaseModel):
    """What the tab of long runs asks for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    methods: tuple[str, ...] = Field(default=(TARGET_ONLY, DEFAULT_METHOD), min_length=1, max_length=2)
    minutes: int = Field(default=30, ge=1, le=24 * 60)


class LanesState(BaseModel):
    """How the lanes of the timeline were arranged, by their keys, and which time its axis showed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    folded: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    audio_time: bool = False


class CompareSettings(BaseModel):
    """What the form of a comparison asks for; as `ComparePlan`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    methods: tuple[str, ...] = (TARGET_ONLY, "sd", DEFAULT_METHOD)
    budgets: tuple[int, ...] = (DEFAULT_BUDGET,)
    start_conditions: tuple[StartCondition, ...] = ("pre-drafted",)
    preparings: tuple[Preparing, ...] = ("isolated",)
    targets: tuple[str, ...] = (DEFAULT_TARGET,)
    drafters: tuple[str, ...] = (DEFAULT_DRAFTER,)
    devices: tuple[str, ...] = ("this-computer",)
    repeats: int = Field(default=3, ge=1, le=1000)
    a_a: bool = True
    hottest_c: float | None = Field(default=None, ge=0, le=80)
    battery_percent: int | None = Field(default=None, ge=0, le=100)


class WindowState(BaseModel):
    """Where the window and its panels were, in Qt's own coding as base64."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    geometry: str = ""
    docks: str = ""
    lanes: LanesState = LanesState()


class StudioSettings(BaseModel):
    """Everything that is kept. `language` null: the system's; `shortcuts` by command, only changed ones;
    `keep_models`: loaded, from run to run and from when the window opens; `recorded_last`: what the
    microphone was recording when the window was closed.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1] = 1
    started_before: bool = False
    scheme: ColourScheme = "system"
    language: str | None = None
    text_size: int = Field(default=16, ge=9, le=40)
    show_origins: bool = True
    run_on_drop: bool = False
    look_for_phones: bool = True
    keep_models: bool = True
    last_folder: str | None = None
    recorded_last: str | None = None
    volume: int = Field(default=80, ge=0, le=100)
    shortcuts: dict[str, list[str]] = {}
    decode: DecodeSettings = DecodeSettings()
    long_run: LongRunSettings = LongRunSettings()
    compare: CompareSettings = CompareSettings()
    window: WindowState = WindowState()


class SettingsStore:
    """Reads settings once and writes every change: at once, or with `later` when that calls `write`."""

    def __init__(self, path: Path | None = None) -> None:
        """`path`: by default in the data folder. A damaged file is set aside and told in `problem`."""
        self._path = path or data_dir() / _NAME
        self.problem: UserError | None = None
        self.later: Callable[[], None] | None = None
        self._unwritten = False
        self._listeners: list[Callable[[UserError], None]] = []
        self.current = self._read()

    def on_problem(self, listener: Callable[[UserError], None]) -> None:
        """Hear, once each, why changes cannot be kept."""
        self._listeners.append(listener)

    def change(self, **changes: object) -> None:
        """Change fields and write them; a disk that takes no more is told in `problem`."""
        changed = StudioSettings.model_validate({**self.current.model_dump(), **changes})
        if changed == self.current:
            return
        self.current = changed
        self._unwritten = True
        if self.later is not None:
            self.later()
        else:
            self.write()

    def write(self) -> None:
        """Write what was changed since the last time."""
        if not self._unwritten:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, self.current.model_dump_json(indent=1).encode() + b"\n")
            self._unwritten = False
        except OSError as error:
            problem = storage_error(error, self._path, tr("the settings of the window"))
            told = self.problem is not None and self.problem.message == problem.message
            self.problem = problem
            for listener in () if told else self._listeners:
                listener(problem)

    def change_decode(self, **changes: object) -> None:
        """Change how recordings are decoded."""
        self.change(decode={**self.current.decode.model_dump(), **changes})

    def _read(self) -> StudioSettings:
        try:
            return StudioSettings.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return StudioSettings()
        except (OSError, ValidationError):
            aside = self._path.with_name(f"{_NAME}.damaged")
            with contextlib.suppress(OSError):
                self._path.replace(aside)
            self.problem = UserError(
                f"The settings in {self._path} could not be read; they were set aside as {aside.name} "
                "and the window starts with its defaults."
            )
            return StudioSettings()
