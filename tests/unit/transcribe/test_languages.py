"""Languages are known by code and by name."""

from __future__ import annotations

from as2d.backend.models.manifest import Declares
from as2d.backend.transcribe.drafting import no_drafting
from as2d.backend.transcribe.languages import language_code, language_name


def test_names_and_codes() -> None:
    assert [language_code(text) for text in ("English", "EN", "estonian", "haw", "Klingon")] == [
        "en", "en", "et", "haw", "Klingon",
    ]  # fmt: skip
    assert (language_name("et"), language_name("xx")) == ("Estonian", "xx")


def test_what_a_drafter_does_not_draft_is_said_in_words() -> None:
    declares = Declares(languages=["en"], tasks=["transcribe"])
    assert no_drafting("tiny", declares, [("en", "transcribe")]) is None
    assert no_drafting("tiny", declares, [("et", "transcribe"), ("en", "translate")]) == (
        "No drafting: tiny drafts English transcription only, so this was decoded by target-only."
    )
    assert no_drafting("tiny", declares, [("et", "transcribe"), ("en", "transcribe")]) == (
        "No drafting in 1 of 2 windows: tiny drafts English transcription only, "
        "so these were decoded by target-only."
    )
