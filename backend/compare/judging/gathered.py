"""What was read of all runs, with windows that are the same in several of them brought together."""

from __future__ import annotations

from dataclasses import dataclass, field

from as2d.backend.compare.judging.decoded import Decoded, Outputs
from as2d.backend.compare.judging.judgement import JudgedWindow
from as2d.backend.compare.judging.reading import Collected
from as2d.backend.compare.judging.recordings import RecordingId, names_of

RecordingKey = tuple[str | None, str]
"""A recording in all runs: its corpus and its name."""


@dataclass
class Truth:
    """A recording whose text is known: its numbered windows in order, the text, and its language."""

    reference: str
    language: str | None
    windows: list[int] = field(default_factory=list)


@dataclass
class Gathered:
    """The windows of a comparison, their outputs and languages, in one order; the ways to decode them; and
    the recordings that were decoded whole and whose text is known.
    """

    windows: list[JudgedWindow]
    outputs: list[Outputs]
    languages: list[str]
    arms: list[Decoded]
    truths: dict[RecordingKey, Truth]


def gather(collected: Collected) -> Gathered:
    """Bring together what was read."""
    names = names_of(collected.recordings)
    numbers: dict[JudgedWindow, int] = {}
    merged: dict[int, int] = {}
    found = Gathered([], [], [], list(collected.arms.values()), {})
    renumbered: dict[int, list[int]] = {}
    for (family, recording, start_s, end_s), raw in collected.windows.items():
        window = JudgedWindow(
            corpus=collected.recordings[family, recording].corpus,
            recording=names[family, recording],
            start_s=start_s,
            end_s=end_s,
        )
        number = numbers.setdefault(window, len(found.windows))
        if number == len(found.windows):
            found.windows.append(window)
            found.outputs.append(Outputs())
            found.languages.append(collected.languages[raw])
        merged[raw] = number
        renumbered[raw] = [
            found.outputs[number].keep(output.tokens, output.text, output.margins)
            for output in collected.outputs[raw].kept
        ]
    for arm in found.arms:
        for raw, sums in arm.windows.items():
            for place, output in enumerate(sums.outputs):
                sums.outputs[place] = renumbered[raw][output]
        arm.windows = {merged[raw]: sums for raw, sums in arm.windows.items()}
    _add_truths(collected, names, found)
    return found


def _add_truths(collected: Collected, names: dict[RecordingId, str], found: Gathered) -> None:
    truths: dict[RecordingKey, Truth] = {}
    for recording, heard in collected.recordings.items():
        if heard.reference and recording in collected.finished:
            key = heard.corpus, names[recording]
            truths.setdefault(key, Truth(heard.reference, heard.language))
    for number, window in enumerate(found.windows):
        truth = truths.get((window.corpus, window.recording))
        if truth is not None:
            truth.windows.append(number)
    for key, truth in truths.items():
        if truth.windows:
            truth.windows.sort(key=lambda number: found.windows[number].start_s)
            found.truths[key] = truth
