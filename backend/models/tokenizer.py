"""Tokenizer files: the missing merge, and the special tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from as2d.backend.models.manifest import SpecialTokens


class TokenizerUnusable(ValueError):
    """The tokenizer file is not the byte-level BPE that Whisper needs."""


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer.json and the special tokens found in it."""

    content: bytes
    special: SpecialTokens
    size: int


def prepare_tokenizer(
    content: bytes, missing_merges: Sequence[tuple[str, str]], language_ids: Sequence[int], multilingual: bool
) -> Tokenizer:
    """The tokenizer with its missing merges in front and Whisper's special tokens looked up.

    A byte-level BPE joins the pair that stands first in its merge list. Without `Ġ t`, ' the' is put
    together from other pieces than the model was trained with, so a text does not encode to the model's own
    tokens.

    Raises:
        TokenizerUnusable: it is not what Whisper needs.
    """
    try:
        root: dict[str, Any] = json.loads(content)
        model: dict[str, Any] = root["model"]
        vocab: dict[str, int] = model["vocab"]
        merges: list[Any] = model["merges"]
        added = {str(token["content"]): int(token["id"]) for token in root["added_tokens"]}
    except (ValueError, KeyError, TypeError) as error:
        raise TokenizerUnusable(f"is not a tokenizer.json ({error!r})") from error
    if model.get("type") != "BPE":
        raise TokenizerUnusable("is not a byte-level BPE")
    present = {_pair(merge) for merge in merges}
    as_text = bool(merges) and isinstance(merges[0], str)
    for left, right in reversed(missing_merges):
        if left + right not in vocab:
            raise TokenizerUnusable(f"has no token for the merge {left} {right}")
        if (left, right) not in present:
            merges.insert(0, f"{left} {right}" if as_text else [left, right])
    special = _special_tokens(added, language_ids if multilingual else [])
    size = 1 + max(max(vocab.values()), max(added.values()))
    return Tokenizer(json.dumps(root, ensure_ascii=False).encode(), special, size)


def _pair(merge: str | Sequence[str]) -> tuple[str, str]:
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right


def _special_tokens(added: dict[str, int], language_ids: Sequence[int]) -> SpecialTokens:
    def token(*names: str) -> int:
        for name in names:
            if f"<|{name}|>" in added:
                return added[f"<|{name}|>"]
        raise TokenizerUnusable(f"has no token <|{names[0]}|>")

    wanted = set(language_ids)
    languages = {text[2:-2]: id_ for text, id_ in added.items() if id_ in wanted}
    if len(languages) != len(wanted):
        raise TokenizerUnusable("does not name every language of the model")
    return SpecialTokens(
        start=token("startoftranscript"),
        end=token("endoftext"),
        transcribe=token("transcribe"),
        translate=token("translate"),
        no_timestamps=token("notimestamps"),
        no_speech=token("nospeech", "nocaptions"),
        languages=languages,
    )
