"""Word and character errors against real references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from as2d.backend.compare.judging.word_errors import Errors, count_errors


@pytest.fixture
def references(repository: Path) -> dict[str, dict[str, str]]:
    lines = (repository / "tests/data/speech/manifest.jsonl").read_text().splitlines()
    entries = (json.loads(line) for line in lines)
    return {entry["path"]: entry for entry in entries}


def test_spelling_is_no_error_and_words_are(references: dict[str, dict[str, str]]) -> None:
    reference = references["sonnet001.mp3"]["reference"]
    again = count_errors(reference, reference.upper().replace(",", " —"), "en")
    assert again is not None
    assert (again.errors, again.by_characters) == (0, False)
    changed = reference.replace("fairest creatures", "fairest").replace("tender heir", "tender air")
    found = count_errors(reference, changed, "en")
    assert found == Errors(2, again.length, by_characters=False)
    assert count_errors(
        "Mr. Smith won't pay twenty-one dollars", "mister smith will not pay $21", "en"
    ) == Errors(0, 6, by_characters=False)


def test_chinese_is_counted_by_characters_in_either_writing(references: dict[str, dict[str, str]]) -> None:
    entry = references["BAC009S0764W0121.wav"]
    reference = entry["reference"]
    characters = [character for character in reference if character.isalnum()]
    assert count_errors(reference, " ".join(reference) + "。", "zh") == Errors(
        0, len(characters), by_characters=True
    )
    assert count_errors("简体中文，好！", "簡體中文 好", "zh") == Errors(0, 5, by_characters=True)
    assert count_errors(reference, reference[1:], "zh") == Errors(1, len(characters), by_characters=True)
    assert count_errors("我们 go home", "我们 go", "en+zh") == Errors(4, 8, by_characters=True)


def test_other_languages_keep_their_letters() -> None:
    assert count_errors("Grüß Gott, Herr Müller!", "grüß gott herr muller", "de") == Errors(
        1, 4, by_characters=False
    )
    assert count_errors("…", "anything", "en") is None
