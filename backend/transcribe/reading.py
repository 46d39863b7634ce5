"""What the stream says while a recording is read: opened, cut into windows, done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from as2d.backend.audio import AudioWindow, Recording, open_recording
from as2d.backend.errors import UserError
from as2d.backend.protocol import host_events
from as2d.backend.protocol.message import now_ns
from as2d.backend.transcribe.queue import QueuedRecording
from as2d.backend.transcribe.run_log import RunLog


@dataclass(frozen=True)
class SpokenWindow:
    """A window with speech, and its name in the stream."""

    name: str
    window: AudioWindow


def log_opened(log: RunLog, name: str, recording: Recording) -> None:
    """Say that the recording of that name in the stream is being decoded to samples."""
    info = recording.info
    log.host(
        host_events.RecordingOpened(
            t=now_ns(),
            recording=name,
            container=info.container,
            codec=info.codec,
            sample_rate=info.sample_rate,
            channels=info.channels,
            duration_s=info.duration_s,
            decoder=info.decoder,
        )
    )


def log_window(log: RunLog, name: str, window: AudioWindow) -> str:
    """Say that a window was cut from the recording `name`; the window's name in the stream."""
    cut = f"{name}.w{window.index + 1}"
    log.host(
        host_events.WindowCut(
            t=now_ns(),
            recording=name,
            window=cut,
            index=window.index,
            start_s=window.start_s,
            end_s=window.end_s,
            speech=window.speech,
        )
    )
    return cut


def log_done(log: RunLog, name: str, recording: Recording) -> None:
    """Say that all windows of a recording are decoded."""
    log.host(host_events.RecordingDone(t=now_ns(), recording=name, duration_s=recording.position_s))


def log_failed(log: RunLog, name: str, error: UserError) -> None:
    """Say that a recording is given up."""
    log.host(
        host_events.RecordingFailed(
            t=now_ns(), recording=name, message=error.message, exit_code=error.exit_code
        )
    )


def speech_windows(log: RunLog, item: QueuedRecording) -> Iterator[tuple[str, AudioWindow]]:
    """The windows with speech of a recording, with their names in the stream; `log` is told of all of them.

    Raises:
        InputRefused: the recording cannot be read.
        Cancelled: the recording was cancelled.
    """
    with open_recording(item.path) as recording:
        log_opened(log, item.name, recording)
        for spoken in spoken_windows(log, item, recording):
            yield spoken.name, spoken.window
        item.cancel.check()
        log_done(log, item.name, recording)


def spoken_windows(
    log: RunLog,
    item: QueuedRecording,
    recording: Recording,
    progress: Callable[[float], None] | None = None,
) -> Iterator[SpokenWindow]:
    """The windows with speech of an open recording; `log` is told of all of them. As `speech_windows`."""
    for window in recording.windows(progress, item.cancel):
        name = log_window(log, item.name, window)
        if window.speech:
            yield SpokenWindow(name, window)
