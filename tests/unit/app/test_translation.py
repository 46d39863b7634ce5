"""Every text of the window is translated, with the same values in it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from as2d.app.translation import LANGUAGES, SOURCE_LANGUAGE, closest_language, tr, tr_count, use_language

FUNCTIONS = ("tr", "tr_count", "later")


def texts_of(source: str) -> Iterator[str]:
    """The texts that a module gives to `tr` and `tr_count`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            arguments = node.args[1:3] if node.func.id == "tr_count" else node.args[:1]
            for argument in arguments:
                if isinstance(argument, ast.Subscript):  # a table whose texts are marked by `later`
                    continue
                assert isinstance(argument, ast.Constant), (
                    f"line {node.lineno}: the text must stand in the call"
                )
                assert isinstance(argument.value, str)
                yield argument.value


def used_texts(repository: Path) -> set[str]:
    sources = [path for path in repository.glob("app/**/*.py") if path.name != "translation.py"]
    assert len(sources) > 30
    return {text for path in sources for text in texts_of(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != SOURCE_LANGUAGE])
def test_a_catalogue_has_exactly_the_texts_of_the_window(repository: Path, language: str) -> None:
    path = repository / "resources" / "i18n" / f"{language}.json"
    catalogue = json.loads(path.read_text(encoding="utf-8"))
    used = used_texts(repository)
    assert sorted(used - catalogue.keys()) == []
    assert sorted(catalogue.keys() - used) == []
    for text, translated in catalogue.items():
        assert translated
        assert set(re.findall(r"{\w+}", translated)) == set(re.findall(r"{\w+}", text)), text


def test_chinese_words_have_no_blanks_between_them(repository: Path) -> None:
    catalogue = json.loads((repository / "resources" / "i18n" / "zh_CN.json").read_text(encoding="utf-8"))
    blank = re.compile(r"[\u4e00-\u9fff)）] +[\u4e00-\u9fff…（]")
    assert {text: own for text, own in catalogue.items() if blank.search(own)} == {}


def test_texts_and_counts_take_their_values() -> None:
    use_language(SOURCE_LANGUAGE)
    assert tr("{place} of {n}", place=2, n=5) == "2 of 5"
    assert tr_count(1, "{n} call", "{n} calls") == "1 call"
    assert tr_count(0, "{n} call", "{n} calls") == "0 calls"


@pytest.mark.parametrize(
    ("system", "language"),
    [(["zh-Hans-CN"], "zh_CN"), (["zh-TW"], "en"), (["de-DE", "zh-CN"], "zh_CN"), (["fr"], "en"), ([], "en")],
)
def test_the_language_of_the_system_is_used_where_there_is_one(system: list[str], language: str) -> None:
    assert closest_language(system) == language
