"""One helper with its models: started, asked, and started anew when it died."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from as2d.backend.devices.device import Device
from as2d.backend.helper.endings import HelperDied
from as2d.backend.helper.pending import Pending
from as2d.backend.helper.process import HelperProcess
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.events import (
    Hello,
    Loaded,
    MeasuredCalls,
    MeasuredDrafter,
    MeasuredEncoder,
    MeasuredInterference,
    MeasuredTurns,
    Pong,
    Prepared,
    Released,
    SelfTested,
)
from as2d.backend.protocol.host_events import ClockMeasured, PrepareSent, RequestSent
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.ops import (
    Append,
    Load,
    MeasureCalls,
    MeasureDrafter,
    MeasureEncoder,
    MeasureInterference,
    MeasureTurns,
    Ping,
    Prepare,
    Release,
    Request,
    SelfTest,
    Trace,
)
from as2d.backend.protocol.trace_events import Traced
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.loaded_helper import LoadedHelper, Reports
from as2d.backend.transcribe.run_log import RunLog

SAMPLE_RATE = 16_000

_LOAD_SECONDS = 300.0
_RELEASE_SECONDS = 120.0
_CANCEL_SECONDS = 20.0
_LEAVE_SECONDS = 0.5
_CLOCK_QUESTIONS = 8


class Engine:
    """A running helper whose events go to a log.

    Models that were loaded are loaded again by `restart`. All methods but `close` raise `HelperDied` when
    the helper ended and `HelperRefused` when it refused what was asked.
    """

    def __init__(self, device: Device, log: RunLog) -> None:
        self._device = device
        self._log = log
        self._loads: dict[str, Load] = {}
        self._helper: HelperProcess | None = None
        self._reports = Reports(log)

    @property
    def hello(self) -> Hello:
        """The helper's first line."""
        return self._running.hello

    @property
    def alive(self) -> bool:
        """Whether the helper runs."""
        return self._helper is not None and self._helper.alive

    @property
    def loads(self) -> list[Load]:
        """The ops that loaded the models, with the g that was measured."""
        return list(self._loads.values())

    @property
    def pid(self) -> int | None:
        """Process id of the helper on its device; null: not known."""
        return self._running.pid

    def start(self) -> None:
        """Start the helper; models are loaded with `load`."""
        helper = HelperProcess.start(self._device.helper_name, self._device.open_channel)
        self._helper = helper
        self._log.greeted(helper.hello)
        self._reports = Reports(self._log)
        helper.subscribe(self._reports.helper)
        helper.on_end(self._reports.ended)
        if self._device.describe().kind != "this computer":
            self._measure_clock(helper)

    def take_over(self, loaded: LoadedHelper) -> None:
        """Instead of `start`: use a helper that has its models loaded."""
        self._helper, self._reports = loaded.process, loaded.reports
        self._loads = dict(loaded.loads)
        self._reports.go_on(self._log, loaded.said)

    def hand_over(self) -> LoadedHelper:
        """Let the helper go on without this engine, which has none any more."""
        helper, self._helper = self._running, None
        return LoadedHelper(helper, self._reports, dict(self._loads), self._reports.pause())

    def _measure_clock(self, helper: HelperProcess) -> None:
        """Say how the device's clock stands to this computer's; see `ClockMeasured`."""
        measured = []
        for _ in range(_CLOCK_QUESTIONS):
            asked = now_ns()
            there = helper.call(Ping(), Pong).t
            answered = now_ns()
            measured.append(((answered - asked + 1) // 2, there - (asked + answered) // 2))
        uncertainty, offset = min(measured)
        self._log.host(ClockMeasured(t=now_ns(), offset_ns=offset, uncertainty_ns=uncertainty))

    def move(self, model: str, path: str) -> None:
        """From the next restart on the model is loaded from another folder of the device."""
        self._loads[model] = self._loads[model].model_copy(update={"path": path})

    def restart(self) -> None:
        """End what is left of the helper, start another, and load the same models."""
        self.close()
        self.start()
        for load in self._loads.values():
            self._running.call(load, Loaded, seconds=_LOAD_SECONDS)

    def close(self) -> None:
        """End the helper, at once if it does not do so in order."""
        if self._helper is not None:
            self._helper.shutdown()

    def kill(self) -> None:
        """From any thread: end the helper at once."""
        if self._helper is not None:
            self._helper.kill()

    def end_soon(self) -> None:
        """From any thread: let the helper end, by force within half a second, and wait for that elsewhere."""
        helper = self._helper
        if helper is not None:
            threading.Thread(
                target=helper.shutdown, args=(_LEAVE_SECONDS,), name="ending the helper", daemon=True
            ).start()

    def load(self, load: Load) -> Loaded:
        """Load a model under its name."""
        loaded = self._running.call(load, Loaded, seconds=_LOAD_SECONDS)
        self._loads[load.model] = load
        return loaded

    def self_test(self, model: str, audio: str, language: str) -> SelfTested:
        """Measure g of the margin guard; the loaded model uses it from then on, also after a restart."""
        tested = self._running.call(SelfTest(model=model, audio=audio, language=language), SelfTested)
        self._loads[model] = self._loads[model].model_copy(update={"logit_gap": tested.logit_gap})
        return tested

    def measure_calls(
        self, model: str, widths: Sequence[int], context: int, threads: int, repeats: int
    ) -> MeasuredCalls:
        """Time target calls by width."""
        op = MeasureCalls(
            model=model, widths=tuple(widths), context=context, threads=threads, repeats=repeats
        )
        return self._running.call(op, MeasuredCalls)

    def measure_drafter(
        self, model: str, widths: Sequence[int], context: int, threads: int, repeats: int, seconds: float
    ) -> MeasuredDrafter:
        """Time drafter calls by width in a window of `seconds` of audio."""
        op = MeasureDrafter(
            model=model,
            widths=tuple(widths),
            context=context,
            seconds=seconds,
            threads=threads,
            repeats=repeats,
        )
        return self._running.call(op, MeasuredDrafter)

    def measure_encoder(self, model: str, seconds: float, threads: int, repeats: int) -> MeasuredEncoder:
        """Time the encoder of a target or drafter on a window of `seconds` of audio."""
        op = MeasureEncoder(model=model, seconds=seconds, threads=threads, repeats=repeats)
        return self._running.call(op, MeasuredEncoder)

    def measure_interference(
        self, target: str, drafter: str, k: int, context: int, repeats: int
    ) -> MeasuredInterference:
        """Time target calls and drafter steps, alone and both at once."""
        op = MeasureInterference(target=target, drafter=drafter, k=k, context=context, repeats=repeats)
        return self._running.call(op, MeasuredInterference)

    def measure_turns(
        self,
        target: str,
        drafter: str,
        turns: Sequence[tuple[int, int]],
        context: int,
        seconds: float,
        repeats: int,
    ) -> MeasuredTurns:
        """Time target calls and the drafter's steps behind them: `turns` are the width of each call and of
        the first step behind it.
        """
        op = MeasureTurns(
            target=target,
            drafter=drafter,
            widths=tuple(width for width, _ in turns),
            step_widths=tuple(width for _, width in turns),
            context=context,
            seconds=seconds,
            repeats=repeats,
        )
        return self._running.call(op, MeasuredTurns)

    def prepare(self, op: Prepare, window: str, pcm: NDArray[np.int16]) -> Prepared:
        """Give the helper the audio of a window (int16 [samples], 16 kHz mono) and wait for the target's
        state.

        `op.window` is the name of this preparation; `window` the window that it prepares.
        """
        return self.prepared(self.begin_preparing(op, window, pcm))

    def begin_preparing(self, op: Prepare, window: str, pcm: NDArray[np.int16]) -> Pending:
        """As `prepare`, without waiting; `prepared` does that."""
        helper = self._running
        self._log.host(PrepareSent(t=now_ns(), window=window, preparation=op.window, beside=op.beside))
        pending = helper.send(op)
        samples = np.ascontiguousarray(pcm, dtype="<i2")
        for first in range(0, max(len(samples), 1), SAMPLE_RATE):
            block = samples[first : first + SAMPLE_RATE]
            encoded = base64.b64encode(block.tobytes()).decode("ascii")
            helper.post(Append(window=op.window, pcm=encoded, last=first + SAMPLE_RATE >= len(samples)))
        return pending

    def prepared(self, pending: Pending) -> Prepared:
        """Wait for a preparation that was begun."""
        return self._running.wait(pending, Prepared)

    def request(
        self,
        op: Request,
        sent: RequestSent,
        cancel: CancelToken,
        meanwhile: Callable[[], None] | None = None,
    ) -> Result:
        """Decode a prepared window; `meanwhile` is called once while it is decoded.

        Raises:
            Cancelled: the end was asked for; the helper has ended the request.
        """
        cancel.check()
        helper = self._running
        self._log.host(sent)
        cancel.check()  # asked for while that was told: a short decode would be over before it is cancelled
        pending = helper.send(op)
        by_force = threading.Timer(_CANCEL_SECONDS, helper.kill)
        by_force.daemon = True

        first_call = threading.Lock()

        def end_request() -> None:
            if first_call.acquire(blocking=False):
                by_force.start()
                # A helper that reads nothing would keep whoever writes to it waiting.
                threading.Thread(
                    target=helper.cancel, args=(op.request,), name="ending a request", daemon=True
                ).start()

        try:
            with cancel.calling(end_request):
                if meanwhile is not None:
                    meanwhile()
                result = helper.wait(pending, Result)
        except HelperDied as died:
            if cancel():
                raise Cancelled from died
            raise
        finally:
            by_force.cancel()
        if result.stop == "cancelled":
            raise Cancelled
        return result

    def trace(self, op: Trace) -> Traced:
        """Record a prepared window for replay."""
        return self._running.call(op, Traced)

    def release(self, preparation: str) -> None:
        """Let the helper forget a preparation."""
        self._running.call(Release(window=preparation), Released, seconds=_RELEASE_SECONDS)

    @property
    def _running(self) -> HelperProcess:
        if self._helper is None:
            raise RuntimeError("the engine has not been started")
        return self._helper
