"""Replayed windows as the events that their decoding would have made, on a virtual clock."""

from __future__ import annotations

from tokenizers import Tokenizer

from as2d.backend.bench.decodes import Decode
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.cells import Cell
from as2d.backend.compare.running.described import arm_label
from as2d.backend.compare.running.planned import PlannedRecording
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Result, ResultTimes
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.replay.service import text_tokens
from as2d.backend.replay.trace_file import TraceLine
from as2d.backend.runs.manifest import shown_path
from as2d.backend.transcribe.run_log import RunLog

_BETWEEN_NS = 1_000_000


class Texts:
    """Texts of a target's tokens."""

    def __init__(self, target: InstalledModel) -> None:
        self._tokenizer = Tokenizer.from_file(str(target.path / target.manifest.files["tokenizer"].path))

    def of(self, tokens: tuple[int, ...]) -> str:
        """What the tokens spell."""
        return str(self._tokenizer.decode(list(tokens)))


class ReplayStream:
    """Says into a log what happened on the virtual clock."""

    def __init__(self, log: RunLog, plan: ComparePlan, texts: Texts) -> None:
        self._log = log
        self._plan = plan
        self._texts = texts
        self._now = NANOSECONDS
        self._count = 0
        self._recordings: set[int] = set()
        self._text = ""

    def window(self, planned: PlannedRecording, key: str, index: int, line: TraceLine) -> None:
        """A window is next; its recording is announced where it was not."""
        name = f"a{planned.number}"
        if planned.number not in self._recordings:
            self._recordings.add(planned.number)
            audio = shown_path(planned.item.path)
            self._log.host(host_events.RecordingQueued(t=self._tick(), recording=name, audio=audio))
            self._log.host(
                host_events.RecordingOpened(
                    t=self._tick(),
                    recording=name,
                    container="trace",
                    codec="trace",
                    sample_rate=16_000,
                    channels=1,
                    duration_s=None,
                    decoder="replay",
                )
            )
        self._log.host(
            host_events.WindowCut(
                t=self._tick(),
                recording=name,
                window=key,
                index=index,
                start_s=line.start_s,
                end_s=line.end_s,
                speech=True,
            )
        )
        self._text = self._texts.of(text_tokens(line))

    def end_of_recording(self, planned: PlannedRecording, seconds: float) -> None:
        """Every cell of the recording is done; `seconds`: where its last window ends."""
        self._log.host(
            host_events.RecordingDone(t=self._tick(), recording=f"a{planned.number}", duration_s=seconds)
        )

    def decode(self, key: str, line: TraceLine, cell: Cell, decode: Decode) -> Result:
        """A cell of that window; its result."""
        self._count += 1
        preparation = f"{key}.p{self._count}"
        request = f"{preparation}.r1"
        self._log.host(host_events.PrepareSent(t=self._tick(), window=key, preparation=preparation))
        sent = self._tick()
        self._log.host(
            host_events.RequestSent(
                t=sent,
                request=request,
                preparation=preparation,
                task=line.task,
                arm=arm_label(self._plan, cell.drafter, cell.arm),
                repeat=cell.repeat,
                cell=cell.key,
            )
        )
        end = sent + round(decode.response_s * NANOSECONDS)
        same = not decode.differing
        self._now = end
        result = Result(
            t=end,
            seq=self._count,
            re=self._count,
            request=request,
            window=preparation,
            method=cell.arm.method,
            budget=cell.arm.budget,
            admission=cell.arm.admission,
            start_condition=cell.arm.start_condition,
            language=line.language,
            language_probability=None,
            tokens=text_tokens(line) if same else (),
            text=self._text if same else "",
            stop=line.stop,
            counters=decode.counters,
            times=ResultTimes(
                request=sent,
                prefill_start=sent,
                first_token=end - round(decode.decode_s * NANOSECONDS),
                end=end,
                audio_ready=sent,
            ),
            no_speech_prob=line.no_speech_prob,
            audit=None,
            confidence=cell.arm.confidence,
            patience=cell.arm.patience,
        )
        self._log.greeted(result)
        return result

    def _tick(self) -> int:
        self._now += _BETWEEN_NS
        return self._now
