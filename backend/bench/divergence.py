"""Where two devices' target-only tokens part, and how close the decision was there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.methods import TARGET_ONLY


@dataclass(frozen=True)
class TargetOnlyDecode:
    """A window's text tokens by target-only.

    `margins[i]` is the difference of the two best logits where token i was chosen; null where no call of its
    own chose it: the first one comes from the prefill. The last margin is that of the end of text.
    """

    tokens: tuple[int, ...]
    margins: tuple[float | None, ...]


@dataclass(frozen=True)
class Divergence:
    """The first position (from 0) at which two decodes of a window differ, with the margin of each there."""

    window: str
    position: int
    margins: tuple[float | None, float | None]


class TargetOnlyDecodes:
    """An observer that keeps the last target-only decode of each window."""

    def __init__(self) -> None:
        self.by_window: dict[str, TargetOnlyDecode] = {}
        self._window_of: dict[str, str] = {}
        self._margins: dict[str, list[float]] = {}

    def __call__(self, event: RecordedEvent) -> None:
        """Take one event."""
        match event:
            case host_events.PrepareSent():
                self._window_of[event.preparation] = event.window
            case decode_events.Call(kind="target-only"):
                self._margins.setdefault(event.request, []).append(event.margins[0])
            case decode_events.Result():
                margins = self._margins.pop(event.request, [])
                if event.method == TARGET_ONLY and event.window in self._window_of:
                    window = self._window_of[event.window]
                    self.by_window[window] = TargetOnlyDecode(event.tokens, (None, *margins))
            case _:
                return


def divergences(here: TargetOnlyDecodes, there: TargetOnlyDecodes) -> Iterator[Divergence]:
    """The windows that both decoded and in which they differ."""
    for window, mine in here.by_window.items():
        other = there.by_window.get(window)
        if other is None or other.tokens == mine.tokens:
            continue
        pairs = enumerate(zip(mine.tokens, other.tokens, strict=False))
        shorter = min(len(mine.tokens), len(other.tokens))
        position = next((number for number, (one, two) in pairs if one != two), shorter)
        yield Divergence(window, position, (_margin(mine, position), _margin(other, position)))


def _margin(decode: TargetOnlyDecode, position: int) -> float | None:
    return decode.margins[position] if position < len(decode.margins) else None
