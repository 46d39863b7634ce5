"""The text of each token of a commit, which carries the text of all of them in one piece."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.protocol.decode_events import Publish


class TokenTexts:
    """Learns what tokens spell from what drafters published, and splits the text of commits by it.

    Where two neighbouring tokens are unknown, or a character is spread over several tokens, the text goes
    to the last of them.
    """

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def learn(self, event: Publish) -> None:
        """Take what a drafter published."""
        for token, text in zip(event.tokens, event.texts, strict=True):
            if "\ufffd" not in text:
                self._texts[token] = text

    def text(self, token: int) -> str | None:
        """What a token spells, where that is known."""
        return self._texts.get(token)

    def split(self, tokens: Sequence[int], text: str) -> list[str]:
        """One text a token; joined they are `text`."""
        parts = [""] * len(tokens)
        rest, end = text, len(tokens)
        first = 0
        while first < end and rest:
            known = self._texts.get(tokens[first])
            if known is None or not rest.startswith(known):
                break
            parts[first] = known
            rest = rest[len(known) :]
            first += 1
        while end > first and rest:
            known = self._texts.get(tokens[end - 1])
            if known is None or (known and not rest.endswith(known)):
                break
            parts[end - 1] = known
            rest = rest[: len(rest) - len(known)]
            end -= 1
        if rest and end > first:
            parts[end - 1] = rest
        elif rest:
            parts[-1] += rest
        if end - first == 1 and rest and len(tokens) > 0:
            self._texts.setdefault(tokens[first], rest)
        return parts
