"""What the host adds to the recorded stream: the queue, the windows, the requests and the end of a run.

A host event carries `host` where a helper event carries `event`, so that both lie in one stream and are never
confused. `t` is the host's CLOCK_BOOTTIME in nanoseconds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from as2d.backend.protocol.message import Message
from as2d.backend.protocol.ops import Task
from as2d.backend.protocol.telemetry import Battery, ZoneTemperature

RunStatus = Literal["running", "done", "partial", "failed", "cancelled", "interrupted"]


class HostEvent(Message):
    """What every event of the host carries."""

    t: int = Field(ge=0, description="when it happened, ns of the host's CLOCK_BOOTTIME")


class StepProgress(HostEvent):
    """A step before decoding (model, self-test, load): `done` of `total` of its own unit; 0: unknown."""

    host: Literal["step"] = "step"
    step: str
    done: int = Field(ge=0)
    total: int = Field(ge=0)


class RecordingQueued(HostEvent):
    """A recording is in the queue: the moment of 'drop'."""

    host: Literal["recording_queued"] = "recording_queued"
    recording: str
    audio: str


class RecordingOpened(HostEvent):
    """A recording is being decoded to samples."""

    host: Literal["recording_opened"] = "recording_opened"
    recording: str
    container: str
    codec: str
    sample_rate: int
    channels: int
    duration_s: float | None
    decoder: str


class RecordingProgress(HostEvent):
    """How much of a recording was read, in seconds of its sound; said about twice a second."""

    host: Literal["recording_progress"] = "recording_progress"
    recording: str
    read_s: float = Field(ge=0)


class RecordingWarned(HostEvent):
    """A recording could be read only in part, or in another way than it says; or a decode of a comparison
    was under another condition than its arm's.
    """

    host: Literal["recording_warning"] = "recording_warning"
    recording: str
    message: str


class RecordingLanguage(HostEvent):
    """The language of a recording: given by the user, or detected in a window."""

    host: Literal["recording_language"] = "recording_language"
    recording: str
    language: str
    probability: float | None
    window: str | None


class WindowCut(HostEvent):
    """A window was cut from a recording; one without speech is not sent to the helper."""

    host: Literal["window_cut"] = "window_cut"
    recording: str
    window: str
    index: int = Field(ge=0)
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)
    speech: bool


class PrepareSent(HostEvent):
    """A window's audio went to the helper, which calls it by the name in `preparation`.

    A window is prepared again after the helper died, and in benchmarks once for each start condition.
    `beside`: the request during whose decode it is prepared; null: nothing decodes meanwhile.
    """

    host: Literal["prepare_sent"] = "prepare_sent"
    window: str
    preparation: str
    beside: str | None = None


class RequestSent(HostEvent):
    """A request went to the helper; benchmarks name its arm, repeat (from 0) and whether it is a warm-up,
    comparisons by a plan its cell too.
    """

    host: Literal["request_sent"] = "request_sent"
    request: str
    preparation: str
    task: Task
    arm: str | None = None
    repeat: int | None = None
    warm_up: bool = False
    cell: str | None = None


class RecordingDone(HostEvent):
    """All windows of a recording are decoded."""

    host: Literal["recording_done"] = "recording_done"
    recording: str
    duration_s: float = Field(ge=0)


class RecordingFailed(HostEvent):
    """A recording was given up; `exit_code` is the class of the error, `message` its sentence."""

    host: Literal["recording_failed"] = "recording_failed"
    recording: str
    message: str
    exit_code: int


class RecordingCancelled(HostEvent):
    """A recording was cancelled by the user."""

    host: Literal["recording_cancelled"] = "recording_cancelled"
    recording: str


class HelperEnded(HostEvent):
    """The helper ended without being asked; the window that it decoded is decoded again or given up.

    `returncode` is null where the connection to its device was lost.
    """

    host: Literal["helper_ended"] = "helper_ended"
    returncode: int | None
    message: str


class PhoneReading(HostEvent):
    """What a phone's own services (`dumpsys`) said of what its helper cannot read; `missing` says why not.

    Its battery has no current. `thermal_source`: temperatures of now (`hal`) or of some earlier moment
    (`cached`). `throttling` is Android's word for how far it slows the phone down.
    """

    host: Literal["phone_reading"] = "phone_reading"
    battery: Battery | None
    thermal: tuple[ZoneTemperature, ...]
    thermal_source: Literal["hal", "cached"] | None
    throttling: str | None
    missing: dict[str, str]


class ClockMeasured(HostEvent):
    """How a device's CLOCK_BOOTTIME stands to the host's: its times less `offset_ns` are the host's, right to
    `uncertainty_ns`.

    Measured by asking for a sign of life several times and taking the quickest answer as in the middle of its
    round trip (Cristian's algorithm); anew for every helper, since a device may have rebooted.
    """

    host: Literal["clock"] = "clock"
    offset_ns: int
    uncertainty_ns: int = Field(ge=0)


class RunEnded(HostEvent):
    """The last line of a complete stream."""

    host: Literal["run_ended"] = "run_ended"
    status: RunStatus


HostEvents = Annotated[
    StepProgress
    | RecordingQueued
    | RecordingOpened
    | RecordingProgress
    | RecordingWarned
    | RecordingLanguage
    | WindowCut
    | PrepareSent
    | RequestSent
    | RecordingDone
    | RecordingFailed
    | RecordingCancelled
    | HelperEnded
    | ClockMeasured
    | PhoneReading
    | RunEnded,
    Field(discriminator="host"),
]
"""Every event of the host, told apart by `host`."""
