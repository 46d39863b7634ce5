"""The helper's byte-level BPE against the `tokenizers` package, with the installed models' tokenizers."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from as2d.backend.models import ModelStore
from as2d.backend.paths import models_dir

MODELS = ("whisper-base", "whisper-tiny.en")
LAST_CODE_POINT = 0x10FFFF
FRAGMENTS = (
    *("the", " the", " hello", "craft", "'s", "'re", "'r", "'v", "'ll", " don't", "'", "!", "...", " -"),
    *("  ", "\n", "\t", "\u00a0", "\u3000", "\u2028", "123", " 4", "½", "Ⅷ", "é", "É", "ß", "<|endoftext|>"),
    *(
        "नमस्ते",
        "ไทย",
        "한국어",
        "我们",
        "你好",
        "，",
        "。",
        "カタカナ",
        "あ",
        "🙂",
        "👩\u200d👧",
        "\u200d",
        "ا",
        "אב",
    ),
    *("\u0301", "\ufeff", "\x00"),
)


class NativeTokenizer:
    """One run of the program; a question is a line, so is the answer."""

    def __init__(self, program: Path, tokenizer: Path) -> None:
        self._process = subprocess.Popen(
            [program, tokenizer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._questions = self._process.stdin
        self._answers = self._process.stdout

    def ask(self, command: str, texts: Sequence[bytes]) -> list[str]:
        def write() -> None:
            self._questions.writelines(f"{command} {text.hex()}\n" for text in texts)
            self._questions.flush()

        # Both pipes are bounded: questions are written while answers are read.
        writer = threading.Thread(target=write)
        writer.start()
        answers = [self._answers.readline().strip() for _ in texts]
        writer.join()
        return answers

    def encode_all(self, texts: Sequence[bytes]) -> list[list[int]]:
        return [[int(token) for token in answer.split()] for answer in self.ask("encode", texts)]

    def encode(self, text: str) -> list[int]:
        return self.encode_all([text.encode()])[0]

    def stable_prefixes(self, texts: Sequence[bytes]) -> list[int]:
        return [int(answer) for answer in self.ask("stable", texts)]

    def stable_prefix(self, text: bytes) -> int:
        return self.stable_prefixes([text])[0]

    def close(self) -> int:
        self._questions.close()
        self._answers.close()
        return self._process.wait(timeout=30)


class Pair:
    """The same tokenizer twice: ours and the package's."""

    def __init__(self, ours: NativeTokenizer, theirs: Tokenizer) -> None:
        self.ours = ours
        self.theirs = theirs
        # Text is text: what looks like a special token is not one.
        self.theirs.encode_special_tokens = True

    def differing(self, texts: Sequence[str]) -> list[str]:
        expected = self.theirs.encode_batch_fast(list(texts), add_special_tokens=False)
        found = self.ours.encode_all([text.encode() for text in texts])
        return [t for t, e, f in zip(texts, expected, found, strict=True) if e.ids != f]


@contextmanager
def both(model_name: str, repository: Path) -> Iterator[Pair]:
    model = ModelStore(models_dir()).ensure(model_name)
    path = model.path / model.manifest.files["tokenizer"].path
    ours = NativeTokenizer(repository / "build" / "native" / "as2d-tokenize", path)
    yield Pair(ours, Tokenizer.from_file(str(path)))
    assert ours.close() == 0


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest, repository: Path) -> Iterator[Pair]:
    with both(request.param, repository) as opened:
        yield opened


def texts_of(manifest: Path) -> list[str]:
    """Every text in a manifest of recordings."""
    texts: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                collect(item)

    for line in manifest.read_text(encoding="utf-8").splitlines():
        collect(json.loads(line))
    return texts


def random_texts(count: int, seed: int) -> list[str]:
    """Words, marks and spaces of many scripts, mixed; and arbitrary characters."""
    source = random.Random(seed)

    def character() -> str:
        low, high = source.choice([(0, 0x7F), (0x80, 0x3FF), (0x400, 0xD7FF), (0xE000, LAST_CODE_POINT)])
        return chr(source.randint(low, high))

    texts = []
    for _ in range(count):
        kind = source.random()
        if kind < 0.5:
            texts.append("".join(source.choice(FRAGMENTS) for _ in range(source.randint(0, 20))))
        elif kind < 0.75:
            texts.append("".join(character() for _ in range(source.randint(0, 30))))
        else:
            few = " \t\n\u00a0'strvemld1a!"
            texts.append("".join(source.choice(few) for _ in range(source.randint(0, 25))))
    return texts


def test_the_texts_of_the_small_set(pair: Pair, repository: Path) -> None:
    texts = texts_of(repository / "tests" / "data" / "speech" / "manifest.jsonl")
    assert len(texts) > 20
    assert pair.differing(texts) == []


@pytest.mark.shared_data
def test_every_text_of_the_large_set(pair: Pair, shared_data: Path) -> None:
    texts = [text for name in ("speech", "train") for text in texts_of(shared_data / name / "manifest.jsonl")]
    assert len(texts) > 1000
    assert pair.differing(texts) == []


def test_random_texts(pair: Pair) -> None:
    assert pair.differing(random_texts(10000, seed=5)) == []


def test_every_character_in_context(repository: Path) -> None:
    # Every plane with letters, numbers or spaces, and some of the planes without.
    points = [*range(0xD800), *range(0xE000, 0x32400), *range(0x323B0, LAST_CODE_POINT + 1, 997)]
    texts = ["".join(f"a{chr(c)}1{chr(c)}" for c in points[n : n + 64]) for n in range(0, len(points), 64)]
    with both(MODELS[1], repository) as opened:
        assert opened.differing(texts) == []


@settings(max_examples=100, deadline=None)
@given(text=st.text())
def test_any_text(pair: Pair, text: str) -> None:
    assert pair.differing([text]) == []
    assert pair.ours.ask("round", [text.encode()]) == ["1"]


def test_special_tokens_are_never_made_from_text(pair: Pair) -> None:
    special = set(pair.theirs.get_added_tokens_decoder())
    for token in pair.theirs.get_added_tokens_decoder().values():
        assert not special & set(pair.ours.encode(f"a {token.content}b"))


def test_bytes_that_are_no_utf8_are_tokens_too(pair: Pair) -> None:
    source = random.Random(7)
    texts = [source.randbytes(source.randint(1, 40)) for _ in range(300)]
    for text, tokens in zip(texts, pair.ours.encode_all(texts), strict=True):
        assert 1 <= len(tokens) <= len(text)


def test_stable_prefixes_hold_whatever_follows(pair: Pair) -> None:
    source = random.Random(11)
    texts = [text.encode() for text in random_texts(5000, seed=13) if text]
    cuts = [source.randint(0, len(text)) for text in texts]
    stable = pair.ours.stable_prefixes([text[:cut] for text, cut in zip(texts, cuts, strict=True)])
    assert all(0 <= end <= cut for end, cut in zip(stable, cuts, strict=True))
    whole = pair.ours.encode_all(texts)
    first = pair.ours.encode_all([text[:end] for text, end in zip(texts, stable, strict=True)])
    # Encoding goes on from there alone: that is how a draft is published piece by piece.
    rest = pair.ours.encode_all([text[end:] for text, end in zip(texts, stable, strict=True)])
    for all_tokens, before, behind in zip(whole, first, rest, strict=True):
        assert before + behind == all_tokens


def test_text_published_piece_by_piece_is_the_whole_text(pair: Pair) -> None:
    source = random.Random(17)
    for text in random_texts(100, seed=19):
        data = text.encode()
        pieces = []
        done = at = 0
        while at < len(data):
            at = min(len(data), at + source.randint(1, 6))
            stable = pair.ours.stable_prefix(data[done:at])
            pieces.append(data[done : done + stable])
            done += stable
        pieces.append(data[done:])
        tokens = [token for piece in pair.ours.encode_all(pieces) for token in piece]
        assert tokens == pair.ours.encode(text)


def test_words_are_published_one_word_behind(pair: Pair) -> None:
    assert pair.ours.stable_prefix(b" the quick bro") == len(b" the quick")
    assert pair.ours.stable_prefix(b" the quick.") == len(b" the quick")
    assert pair.ours.stable_prefix(b" it's") == len(b" it's")
    assert pair.ours.stable_prefix(b" it'") == len(b" it")


def test_chinese_is_published_within_its_sentence(pair: Pair) -> None:
    sentence = "今天天气很好我们一起去公园散步吧"
    starts = [sentence[:n].encode() for n in range(1, len(sentence) + 1)]
    held_back = [len(s) - stable for s, stable in zip(starts, pair.ours.stable_prefixes(starts), strict=True)]
    assert max(held_back) < 6 * 3  # at most a few characters, not the whole run of letters
