"""Whether sides wrote the same, and how right what they wrote is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.compare.judging.decoded import Decoded, Output
from as2d.backend.compare.judging.gathered import Gathered, Truth
from as2d.backend.compare.judging.judgement import ErrorRate, TextDifference
from as2d.backend.compare.judging.word_errors import Errors, count_errors
from as2d.backend.export.scripts import join_texts


@dataclass
class SameOutputs:
    """`arm` held against `reference`: tokens that were compared, those that are others, whether each window
    is the same, and the first difference.
    """

    compared: int
    differing: int
    windows: dict[int, bool]
    difference: TextDifference | None

    @property
    def identical(self) -> bool | None:
        return all(self.windows.values()) if self.windows else None


def compare_outputs(gathered: Gathered, arm: Decoded, reference: Decoded) -> SameOutputs:
    """Hold every decode of an arm against the reference's first of the same window; those of other targets by
    their text, as their tokens are others.
    """
    same = SameOutputs(0, 0, {}, None)
    one_target = arm.site.target == reference.site.target
    for number in sorted(arm.windows):
        if number not in reference.windows:
            continue
        kept = gathered.outputs[number].kept
        expected = kept[reference.windows[number].outputs[0]]
        found = [kept[output] for output in arm.windows[number].outputs]
        if one_target:
            for output in found:
                same.compared += max(len(output.tokens), len(expected.tokens))
                same.differing += _differing(output.tokens, expected.tokens)
            other = next((output for output in found if output.tokens != expected.tokens), None)
        else:
            other = next((output for output in found if output.text.split() != expected.text.split()), None)
        same.windows[number] = other is None
        if other is not None and same.difference is None:
            same.difference = _difference(gathered, number, other, expected, one_target=one_target)
    return same


def _difference(
    gathered: Gathered, number: int, found: Output, expected: Output, *, one_target: bool
) -> TextDifference:
    window = gathered.windows[number]
    position = _first_difference(found.tokens, expected.tokens) if one_target else None
    return TextDifference(
        recording=window.recording,
        start_s=window.start_s,
        position=position,
        margin=found.margin(position) if position is not None else None,
        reference_margin=expected.margin(position) if position is not None else None,
        text=found.text,
        reference=expected.text,
    )


def _first_difference(found: Sequence[int], expected: Sequence[int]) -> int:
    pairs = enumerate(zip(found, expected, strict=False))
    shorter = min(len(found), len(expected))
    return next((place for place, (one, two) in pairs if one != two), shorter)


def _differing(found: Sequence[int], expected: Sequence[int]) -> int:
    """Tokens that differ, by position, missing and surplus ones included."""
    if found == expected:
        return 0
    return sum(a != b for a, b in zip(found, expected, strict=False)) + abs(len(found) - len(expected))


class Correctness:
    """Error rates against reference texts; what several sides wrote alike is counted once."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._counted: dict[tuple[object, tuple[int, ...]], Errors | None] = {}

    def of(self, arm: Decoded) -> tuple[ErrorRate | None, ErrorRate | None]:
        """The word and the character error rate of what an arm wrote, over the recordings that it decoded
        whole; null where there is none with a text. Translations have no reference.
        """
        words: list[Errors] = []
        characters: list[Errors] = []
        for key, truth in self._gathered.truths.items():
            if not arm.transcribes or not all(number in arm.windows for number in truth.windows):
                continue
            errors = self._errors(key, truth, arm)
            if errors is not None:
                (characters if errors.by_characters else words).append(errors)
        return _rate(words), _rate(characters)

    def _errors(self, key: object, truth: Truth, arm: Decoded) -> Errors | None:
        outputs = tuple(arm.windows[number].outputs[0] for number in truth.windows)
        if (key, outputs) not in self._counted:
            texts = [
                self._gathered.outputs[number].kept[output].text
                for number, output in zip(truth.windows, outputs, strict=True)
            ]
            language = truth.language or self._gathered.languages[truth.windows[0]]
            self._counted[key, outputs] = count_errors(truth.reference, join_texts(texts), language)
        return self._counted[key, outputs]


def _rate(counted: Sequence[Errors]) -> ErrorRate | None:
    length = sum(part.length for part in counted)
    errors = sum(part.errors for part in counted)
    if not length:
        return None
    return ErrorRate(rate=errors / length, errors=errors, length=length, recordings=len(counted))
