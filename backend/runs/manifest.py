"""What a run was made with: `manifest.json` of its folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from as2d.backend.devices.facts import PhoneFacts
from as2d.backend.devices.placement import Placement
from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.errors import InputRefused
from as2d.backend.protocol.host_events import RunStatus
from as2d.backend.protocol.ops import Admission, Preparing, StartCondition
from as2d.backend.runs.files import write_atomically

MANIFEST_NAME = "manifest.json"
STREAM_NAME = "events.jsonl.gz"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Versions(_Part):
    """The versions that took part."""

    as2d: str
    protocol: int
    helper: str
    mnn: str
    python: str


class Device(_Part):
    """The machine that decoded."""

    name: str
    kind: Literal["this computer", "phone"]
    system: str
    cpu: str
    arch: str
    cores: int
    features: tuple[str, ...]
    facts: PhoneFacts | None = Field(default=None, description="a phone's facts")
    placement: Placement | None = Field(default=None, description="processors of target and drafter")
    battery_current: CurrentCalibration | None = Field(
        default=None, description="the phone's calibration of its battery current when the run was made"
    )


class ModelUsed(_Part):
    """A model: its name and the SHA-256 of its model.json."""

    name: str
    digest: str


class RecordingUsed(_Part):
    """A recording: its id in the stream and the path as it was given; of one that was found in a folder its
    path `within` that; of a comparison by a plan also the corpus that it belongs to, its true text and its
    language, as far as they are known.
    """

    recording: str
    audio: str
    within: str | None = None
    corpus: str | None = None
    reference: str | None = None
    language: str | None = None


class ArmUsed(_Part):
    """A way to decode; `label` is what the requests of the stream call it.

    Arms of one `group` are summarised as their mean too. `again`: target-only a second time, which shows the
    noise. `drafter` null: it drafts nothing. Threads are those of `ArmThreads`. `preparing`: whether the
    following window is prepared meanwhile, which older runs never did.
    """

    label: str
    method: str
    budget: int
    admission: Admission
    start_condition: StartCondition
    confidence: float | None
    patience: int | None
    group: str | None
    again: bool
    drafter: str | None
    threads: int
    shared_threads: int
    drafter_threads: int
    drafter_shared_threads: int
    preparing: Preparing = "isolated"


class ComparisonUsed(_Part):
    """The comparison that a run is a part of: its name, the digest of its plan, and what tells it from others
    by the same plan.
    """

    name: str
    plan: str
    comparison: str | None = None


class ReplayUsed(_Part):
    """What a replayed run rests on: the cost profile's device and when that was measured. Its times are of a
    virtual clock.
    """

    device: str
    measured: str


class RunManifest(_Part):
    """A run. `settings` are those of the command; `status` is `running` until the run ended in order.

    `arms`, `comparison`, `more_drafters` (beside `drafter`) and `replayed` are told of comparisons by a plan.
    `started_in`: the folder from which relative paths of recordings are seen.
    """

    format: Literal[1] = 1
    run: Annotated[str, Field(pattern=r"^[0-9a-z-]+$")]
    created: str = Field(description="ISO 8601, UTC")
    command: str
    versions: Versions
    device: Device
    target: ModelUsed
    drafter: ModelUsed | None
    settings: dict[str, JsonValue]
    recordings: tuple[RecordingUsed, ...]
    status: RunStatus
    ended: str | None = None
    message: str | None = None
    arms: tuple[ArmUsed, ...] = ()
    comparison: ComparisonUsed | None = None
    more_drafters: tuple[ModelUsed, ...] = ()
    replayed: ReplayUsed | None = None
    started_in: str | None = None


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write the manifest of a run's folder, atomically.

    Raises:
        OSError: it cannot be written; the old one is as it was.
    """
    write_atomically(folder / MANIFEST_NAME, manifest.model_dump_json(indent=1).encode() + b"\n")


def read_manifest(folder: Path) -> RunManifest:
    """Read the manifest of a run's folder.

    Raises:
        InputRefused: there is none, or it is none of this version.
    """
    path = folder / MANIFEST_NAME
    try:
        return RunManifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputRefused(f"{folder} is no run: {MANIFEST_NAME} is missing ({error.strerror}).") from error
    except ValidationError as error:
        raise InputRefused(
            f"{path} is no manifest that this version of AS²D knows; "
            "open the run with the version that made it."
        ) from error


def shown_path(path: str | Path) -> str:
    """A path as text that can be stored: bytes that are no UTF-8 appear as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def working_folder() -> str | None:
    """Where this process is, as text that can be stored; None: it was deleted under it."""
    try:
        return shown_path(Path.cwd())
    except OSError:
        return None
