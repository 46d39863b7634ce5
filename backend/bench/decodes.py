"""One decode of a window by an arm, whether it was measured or replayed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from as2d.backend.metrics.anatomy import RequestAnatomy
from as2d.backend.metrics.measures import decode_seconds, response_seconds
from as2d.backend.metrics.pooled import Pooled, pool
from as2d.backend.metrics.speeds import median_speed
from as2d.backend.metrics.states import RequestState
from as2d.backend.protocol.decode_events import Counters

_UNSTEADY = 1.5


@dataclass(frozen=True)
class Decode:
    """One decode; times in seconds. `differing`: tokens that are not target-only's; null: not compared.
    `anatomy` null: its calls are not known.
    """

    window: str
    repeat: int
    counters: Counters
    decode_s: float
    response_s: float
    differing: int | None
    anatomy: RequestAnatomy | None = None


def decodes_of(requests: Iterable[RequestState], alone: Iterable[RequestState] | None) -> list[Decode]:
    """The finished requests of a recorded benchmark as decodes, each window's tokens held against those of
    its first request among `alone`.
    """
    reference: dict[str, tuple[int, ...]] = {}
    for request in alone or ():
        if request.result is not None:
            reference.setdefault(request.preparation.window, request.result.tokens)
    found = []
    for request in requests:
        if request.result is None:
            continue
        window, result = request.preparation.window, request.result
        expected = reference.get(window)
        found.append(
            Decode(
                window=window,
                repeat=request.repeat or 0,
                counters=result.counters,
                decode_s=decode_seconds(result),
                response_s=response_seconds(result),
                differing=None if expected is None else _differing(result.tokens, expected),
                anatomy=request.anatomy,
            )
        )
    return found


def unsteady_arms(requests: Iterable[RequestState]) -> list[str]:
    """The arms that took half as long again, or more, for the same window at one time as at another: so much
    no idle device varies.
    """
    times: dict[tuple[str, str], list[float]] = {}
    for request in requests:
        if request.result is not None and request.arm is not None:
            key = request.arm, request.preparation.window
            times.setdefault(key, []).append(decode_seconds(request.result))
    varying = (arm for (arm, _), seconds in times.items() if max(seconds) > _UNSTEADY * min(seconds))
    return list(dict.fromkeys(varying))


class MeasuredDecodes:
    """Decodes by one arm as something to pair with others, window by window."""

    def __init__(self, decodes: Sequence[Decode]) -> None:
        self._decodes = decodes
        times: dict[str, list[float]] = {}
        tokens: dict[str, int] = {}
        for decode in decodes:
            if decode.counters.tokens > 1:
                times.setdefault(decode.window, []).append(decode.decode_s)
                tokens[decode.window] = decode.counters.tokens
        speeds = {window: median_speed(tokens[window] - 1, seconds) for window, seconds in times.items()}
        self.speeds: Mapping[str, float] = {
            window: speed for window, speed in speeds.items() if speed is not None
        }

    def pooled(self, windows: Collection[str] | None = None) -> float | None:
        """As `Measured`."""
        return pool_decodes(d for d in self._decodes if windows is None or d.window in windows).tps


def pool_decodes(decodes: Iterable[Decode]) -> Pooled:
    """Counts and decode times of decodes, pooled."""
    return pool((decode.counters, decode.decode_s) for decode in decodes)


def _differing(found: Sequence[int], expected: Sequence[int]) -> int:
    """Tokens that differ, by position, missing and surplus ones included."""
    return sum(a != b for a, b in zip(found, expected, strict=False)) + abs(len(found) - len(expected))
