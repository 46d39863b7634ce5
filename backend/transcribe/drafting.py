"""Why nothing was drafted, in words."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.models.manifest import Declares
from as2d.backend.transcribe.languages import language_name
from as2d.backend.words import counted

_MOST_NAMES = 3
_WORDS = {"transcribe": "transcription", "translate": "translation"}


NO_DRAFTER = "No drafting: no drafter was named, so this was decoded by target-only."
"""What to say where a method that drafts was given no drafter."""


def no_drafting(drafter: str, declares: Declares, windows: Sequence[tuple[str, str]]) -> str | None:
    """What to say of those `windows` (language, task) that the drafter does not do; None: it does all."""
    left = [
        (language, task)
        for language, task in windows
        if language not in declares.languages or task not in declares.tasks
    ]
    if not left:
        return None
    names = [language_name(code) for code in declares.languages]
    known = " and ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} languages'"
    does = f"{known} {' and '.join(_WORDS.get(task, task) for task in declares.tasks)}"
    where, what = ("", "this was") if len(left) == len(windows) else (
        f" in {len(left)} of {counted(len(windows), 'window')}", "these were"
    )  # fmt: skip
    return f"No drafting{where}: {drafter} drafts {does} only, so {what} decoded by target-only."
