"""How recordings are to be decoded."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.protocol.ops import Admission, StartCondition, Task
from as2d.backend.transcribe.methods import DEFAULT_METHOD

DEFAULT_TARGET = "whisper-base"
DEFAULT_DRAFTER = "whisper-tiny.en"


class TranscribeSettings(BaseModel):
    """The choices of `as2d transcribe` and of the window.

    `budget` null: from the device's profile, else 4. `confidence` (of `specasr`) and `patience` (of
    `as2d-resync`) null: the helper's own. `language` null: detected once a recording. `threads` null: the
    usable cores, at most 4; `shared_threads` null: what they leave while the drafter runs. `drafter` null:
    none, the method then runs target-only. `target` and `drafter` are names of the catalogue or model
    folders. `prepare_ahead`: a recording's next window is prepared while one is decoded; null: where the
    device has more than twice as many cores as the target has threads.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str = DEFAULT_METHOD
    budget: int | None = Field(default=None, ge=0)
    admission: Admission = "text"
    confidence: float | None = Field(default=None, ge=0, le=1)
    patience: int | None = Field(default=None, ge=0)
    start_condition: StartCondition = "pre-drafted"
    target: str = DEFAULT_TARGET
    drafter: str | None = DEFAULT_DRAFTER
    task: Task = "transcribe"
    language: str | None = None
    threads: int | None = Field(default=None, ge=1)
    shared_threads: int | None = Field(default=None, ge=1)
    words: bool = True
    audit: bool = False
    prepare_ahead: bool | None = None
