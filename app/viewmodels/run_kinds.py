"""What kind of run a recorded one is, in the window's words. Knows no Qt."""

from __future__ import annotations

from as2d.app.translation import later, tr

_KINDS = {
    "studio": later("Transcription"),
    "transcribe": later("Transcription"),
    "demo": later("Transcription"),
    "compare": later("Comparison"),
    "bench": later("Benchmark"),
    "bench calls": later("Benchmark"),
    "long-run": later("Long run"),
}


def kind_words(command: str) -> str:
    """The kind of a run, by the command that made it; one that is not known is called as its command."""
    return tr(_KINDS[command]) if command in _KINDS else command
