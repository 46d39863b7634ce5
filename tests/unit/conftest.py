"""Recorded streams made event by event, for tests of what is derived from a stream; cost profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from as2d.backend.calibration.cost_profile import (
    CostProfile,
    EncoderCost,
    Interference,
    StepCost,
    TurnCost,
)
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import PROTOCOL_VERSION, HelperEvent
from as2d.backend.runs.manifest import Device, ModelUsed, RecordingUsed, RunManifest, Versions

MS = 1_000_000


@dataclass(frozen=True)
class FakeCall:
    """What one target call of a made stream did."""

    proposed: int
    accepted: int
    ms: float = 10.0
    guard: bool = False


class StreamMaker:
    """Writes the events of one request after the other, with a clock of its own (ns)."""

    def __init__(self) -> None:
        self.events: list[RecordedEvent] = []
        self.t = 1_000 * MS
        self._seq = 0
        self._ready: dict[str, int] = {}

    def hello(self) -> None:
        """A helper greets: the first one, or one that was started anew."""
        self._helper(
            events.Hello,
            protocol=PROTOCOL_VERSION,
            build="build",
            mnn="3.6.1",
            cpu={"arch": "x86_64", "features": (), "cores": 2},
            methods=("target-only",),
            pid=7,
        )

    def recording(self, name: str, audio: str) -> None:
        self.events.append(host_events.RecordingQueued(t=self.t, recording=name, audio=audio))
        self.t += 50 * MS
        self.events.append(
            host_events.RecordingOpened(
                t=self.t,
                recording=name,
                container="WAV",
                codec="PCM_16",
                sample_rate=16000,
                channels=1,
                duration_s=None,
                decoder="soundfile",
            )
        )

    def window(self, recording: str, index: int, start_s: float, end_s: float, *, speech: bool = True) -> str:
        name = f"{recording}.w{index + 1}"
        self.events.append(
            host_events.WindowCut(
                t=self.t,
                recording=recording,
                window=name,
                index=index,
                start_s=start_s,
                end_s=end_s,
                speech=speech,
            )
        )
        return name

    def prepare(self, window: str, number: int = 1) -> str:
        name = f"{window}.p{number}"
        self.events.append(host_events.PrepareSent(t=self.t, window=window, preparation=name))
        start = self.t
        self.t += 700 * MS
        self._helper(
            decode_events.Stage,
            window=name,
            actor="target",
            stage="encoder",
            start=start,
            end=self.t,
            threads=2,
        )
        self._helper(
            decode_events.Draft,
            window=name,
            epoch=0,
            step=0,
            start=start,
            end=start + 4 * MS,
            text=" hello",
            drafter_tokens=1,
            confidence=0.9,
            end_of_text=True,
        )
        self._helper(events.Prepared, re=1, window=name, seconds=5.0, start=start, end=self.t)
        self._ready[name] = self.t
        return name

    def request(
        self,
        preparation: str,
        calls: Sequence[FakeCall],
        text: str,
        *,
        tokens: Sequence[int] | None = None,
        words: Sequence[tuple[str, float, float]] = (),
        arm: str | None = None,
        repeat: int | None = None,
        warm_up: bool = False,
        method: str = "as2d",
        end_accepted: bool = False,
        stop: decode_events.Stop = "end_of_text",
    ) -> str:
        number = sum(isinstance(event, host_events.RequestSent) for event in self.events) + 1
        name = f"{preparation}.r{number}"
        self.events.append(
            host_events.RequestSent(
                t=self.t,
                request=name,
                preparation=preparation,
                task="transcribe",
                arm=arm,
                repeat=repeat,
                warm_up=warm_up,
            )
        )
        asked = self.t
        self.t += 20 * MS
        first_token = self.t
        plain = [call for call in calls if not call.guard]
        accepted = sum(call.accepted for call in plain)
        total = 1 + len(plain) + accepted - end_accepted
        for index, call in enumerate(calls):
            start = self.t
            self.t += int(call.ms * MS)
            self._helper(
                decode_events.Call,
                request=name,
                window=preparation,
                index=index,
                kind="guard" if call.guard else "verify" if call.proposed else "target-only",
                start=start,
                end=self.t,
                threads=2,
                k=call.proposed + 1,
                root=7,
                candidates=tuple(range(call.proposed)),
                choices=tuple(range(call.proposed + 1)),
                margins=(1.0,) * (call.proposed + 1),
                accepted=call.accepted,
                published=10,
                cursor=None,
                reason="guard" if call.guard else "candidates" if call.proposed else "none-published",
            )
        self._helper(
            decode_events.Commit,
            request=name,
            window=preparation,
            tokens=tuple(range(total)),
            text=text,
            origins=("target-only",) * total,
            first=0,
        )
        if words:
            spoken = tuple(
                decode_events.Word(text=word, start=start_s, end=end_s, first_token=place, tokens=1)
                for place, (word, start_s, end_s) in enumerate(words)
            )
            self._helper(decode_events.Words, request=name, window=preparation, words=spoken)
        width = max((call.proposed for call in plain), default=0)
        self._helper(
            decode_events.Result,
            re=2,
            request=name,
            window=preparation,
            method=method,
            budget=4,
            admission="text",
            start_condition="pre-drafted",
            language="en",
            language_probability=0.9,
            tokens=tuple(tokens) if tokens is not None else tuple(range(total - 1)),
            text=text,
            stop=stop,
            counters=decode_events.Counters(
                tokens=total,
                calls=len(plain),
                guard_calls=len(calls) - len(plain),
                proposed=sum(call.proposed for call in plain),
                accepted=accepted,
                accepted_by_position=tuple(
                    sum(call.accepted > place for call in plain) for place in range(width)
                ),
                proposed_by_position=tuple(
                    sum(call.proposed > place for call in plain) for place in range(width)
                ),
                hits=sum(call.proposed > 0 for call in plain),
                end_accepted=end_accepted,
            ),
            times=decode_events.ResultTimes(
                request=asked,
                prefill_start=asked,
                first_token=first_token,
                end=self.t,
                audio_ready=self._ready[preparation],
            ),
            no_speech_prob=0.01,
            audit=None,
        )
        return name

    def done(self, recording: str, duration_s: float) -> None:
        self.events.append(
            host_events.RecordingLanguage(
                t=self.t, recording=recording, language="en", probability=0.9, window=None
            )
        )
        self.events.append(host_events.RecordingDone(t=self.t, recording=recording, duration_s=duration_s))

    def _helper(self, message: type[HelperEvent], /, **fields: object) -> None:
        self._seq += 1
        self.events.append(message.model_validate({"t": self.t, "seq": self._seq, **fields}))


def make_manifest(run: str = "20260102-030405-abcd", created: str = "2026-01-02T03:04:05Z") -> RunManifest:
    return RunManifest(
        run=run,
        created=created,
        command="transcribe",
        versions=Versions(as2d="0", protocol=1, helper="build", mnn="3.6.1", python="3.11"),
        device=Device(
            name="a computer",
            kind="this computer",
            system="Linux",
            cpu="cpu",
            arch="x86_64",
            cores=2,
            features=(),
        ),
        target=ModelUsed(name="whisper-base", digest="0" * 64),
        drafter=ModelUsed(name="whisper-tiny.en", digest="1" * 64),
        settings={"method": "as2d", "budget": 4, "admission": "text", "start_condition": "pre-drafted"},
        recordings=(RecordingUsed(recording="a1", audio="talk.wav"),),
        status="running",
    )


def make_profile(**changes: Any) -> CostProfile:
    def step(k: int, threads: int, context: int) -> StepCost:
        ms = 8.0 * k / threads
        return StepCost(
            threads=threads, context=context, k=k, ms_mean=ms + 0.1, ms_median=ms, ms_deviation=0.25
        )

    fields: dict[str, Any] = {
        "device": "a computer",
        "cpu": "cpu",
        "cores": 2,
        "helper": "build",
        "target": "1" * 64,
        "drafter": "2" * 64,
        "threads": 2,
        "shared_threads": 1,
        "drafter_threads": 2,
        "drafter_shared_threads": 1,
        "measured": "2026-01-02T03:04:05Z",
        "repeats": 15,
        "target_calls": tuple(step(k, threads, 60) for k in (1, 5) for threads in (1, 2)),
        "drafter_steps": (step(1, 1, 8),),
        "target_turns": (step(5, 2, 60),),
        "drafter_turns": tuple(TurnCost(turn=turn, **step(1, 2, 8).model_dump()) for turn in (1, 2)),
        "encoders": (EncoderCost(model="target", seconds=30.0, threads=2, encoder_ms=700.0, cross_ms=20.0),),
        "interference": Interference(target=1.05, drafter=1.1, k=5),
    }
    return CostProfile.model_validate(fields | changes)


@pytest.fixture
def stream() -> StreamMaker:
    """An empty stream to write events into."""
    return StreamMaker()


@pytest.fixture
def call() -> type[FakeCall]:
    """Makes the calls of a stream."""
    return FakeCall


@pytest.fixture
def manifest() -> Callable[..., RunManifest]:
    """Makes manifests."""
    return make_manifest


@pytest.fixture
def profile() -> Callable[..., CostProfile]:
    """Makes cost profiles."""
    return make_profile
