"""Runs arms over windows: interleaved, isolated, with prepared audio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.bench.arm_engine import ArmEngine, Asked
from as2d.backend.bench.arms import Arm, rounds
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.message import NANOSECONDS, now_ns
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.resolve import language_of_item


@dataclass(frozen=True)
class DropTime:
    """Seconds from a recording's drop to its whole transcript, models loaded."""

    recording: str
    arm: Arm
    repeat: int
    seconds: float


def decodes_of_window(arms: Sequence[Arm], repeats: int, *, first: bool) -> int:
    """How often `DecodingBench.compare` decodes a window, warm-ups included."""
    if first:
        return len(arms) * (repeats + 1)
    warm_ups = {arm.preparation for arm in arms if _needs_warm_up(arm)}
    return len(arms) * repeats + len(warm_ups)


def _needs_warm_up(arm: Arm) -> bool:
    """Whether a preparation's first decode is another than those after it: the draft is yet to be ready."""
    return arm.drafts and arm.start_condition == "pre-drafted"


class DecodingBench:
    """Decodes windows by every arm of an engine."""

    def __init__(self, engine: ArmEngine, cancel: CancelToken) -> None:
        self._engine = engine
        self._cancel = cancel
        self._count = 0

    def compare(
        self, name: str, window: AudioWindow, repeats: int, language: str | None, *, first: bool
    ) -> None:
        """Decode one window by every arm, `repeats` times, in the orders of `rounds`.

        Each arm's first decode of the benchmark (`first`), and the first of a `pre-drafted` preparation, is
        a warm-up. Every request begins when nothing drafts any more, what an arm before it started included.

        Raises:
            UserError: the helper failed.
            Cancelled: the end was asked for.
        """
        prepared: dict[str, str] = {}
        arms = self._engine.arms
        for arm in arms:
            if arm.preparation not in prepared:
                prepared[arm.preparation] = self._prepare(name, window, arm, language)
                if _needs_warm_up(arm) and not first:
                    self._request(prepared[arm.preparation], arm, language, repeat=0, warm_up=True)
        if first:
            for arm in arms:
                self._request(prepared[arm.preparation], arm, language, repeat=0, warm_up=True)
        for repeat, order in rounds(arms, repeats):
            for arm in order:
                self._request(prepared[arm.preparation], arm, language, repeat=repeat, warm_up=False)
        for preparation in prepared.values():
            self._engine.session.engine.release(preparation)

    def drop(self, recording: BenchRecording, arm: Arm, repeat: int) -> DropTime:
        """Decode a recording from its file, as `transcribe` does, by one arm.

        Raises:
            UserError: the recording cannot be read or decoded.
            Cancelled: the end was asked for.
        """
        begin = now_ns()
        language = language_of_item(self._engine.models.target, recording.language, recording.asked)
        with open_recording(recording.path) as opened:
            for window in opened.windows(cancelled=self._cancel):
                if not window.speech:
                    continue
                preparation = self._prepare(None, window, arm, language)
                result = self._request(
                    preparation, arm, language, repeat=repeat, warm_up=True, producer_done=False
                )
                language = language or result.language
                self._engine.session.engine.release(preparation)
        return DropTime(str(recording.path), arm, repeat, (now_ns() - begin) / NANOSECONDS)

    def _prepare(self, name: str | None, window: AudioWindow, arm: Arm, language: str | None) -> str:
        """Prepare a window for an arm; without `name` the preparation belongs to no window of the stream."""
        self._count += 1
        preparation = f"{name or 'drop'}.p{self._count}"
        self._engine.prepare(arm, preparation, name or "drop", window.pcm, language)
        return preparation

    def _request(
        self,
        preparation: str,
        arm: Arm,
        language: str | None,
        *,
        repeat: int,
        warm_up: bool,
        producer_done: bool = True,
    ) -> Result:
        self._count += 1
        request = f"{preparation}.r{self._count}"
        asked = Asked(repeat, warm_up)
        return self._engine.decode(
            arm, request, preparation, language, asked, self._cancel, producer_done=producer_done
        )
