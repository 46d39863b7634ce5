"""Help leads to where the options are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from as2d.backend.cli.commands import COMMANDS
from as2d.backend.cli.main import app
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.errors import WrongUse


def commands_of(name: str) -> list[Any]:
    """A command, or those of a group."""
    whole: Any = get_command(app)
    command = whole.get_command(None, name)
    return list(getattr(command, "commands", {}).values()) or [command]


def test_the_help_of_bench_leads_to_that_of_its_default() -> None:
    shown = CliRunner().invoke(app, ["bench", "--help"])
    assert shown.exit_code == 0
    assert "as2d bench decode --help" in shown.output


def test_arguments_are_written_in_one_way_and_defaults_are_values() -> None:
    for name in COMMANDS:
        for one in commands_of(name):
            for param in one.params:
                if param.param_type_name == "argument":
                    assert param.metavar is not None, (name, param.name)
                    assert "…" not in param.metavar, (name, param.metavar)
                assert "the helper's" not in (getattr(param, "help", None) or ""), (name, param.name)


def test_the_defaults_that_the_help_tells_are_those_of_the_helper(repository: Path) -> None:
    source = (repository / "native/core/method.hpp").read_text(encoding="utf-8")
    confidence = re.search(r"float confidence = ([\d.]+)F;", source)
    patience = re.search(r"int patience = (\d+);", source)
    assert confidence is not None
    assert patience is not None
    decode = next(one for one in commands_of("bench") if one.name == "decode")
    helps = {param.name: param.help for param in decode.params}
    assert helps["confidence"].endswith(f"; default: {confidence[1]}.")
    assert helps["patience"].endswith(f"; default: {patience[1]}.")
    (sweep,) = commands_of("sweep")
    helps = {param.name: param.help for param in sweep.params}
    assert helps["confidences"].endswith(f"; default: {confidence[1]}.")
    assert helps["patiences"].endswith(f"; default: {patience[1]}.")


def test_the_defaults_that_the_help_of_compare_tells_are_those_of_a_plan() -> None:
    (compare,) = commands_of("compare")
    plan = ComparePlan(methods=("as2d",), recordings=("a.wav",))
    helps = {param.name: param.help for param in compare.params}
    for name in ("name", "repeats", "warm_up"):
        assert helps[name].endswith(f"; default: {getattr(plan, name)}."), helps[name]
    for name in ("targets", "drafters", "budgets", "devices"):
        assert helps[name].endswith(f"; default: {', '.join(map(str, getattr(plan, name)))}."), helps[name]
    everything = ("split", "language", "limit")
    assert [getattr(plan, name) for name in everything] == [None, None, None]
    assert all("; default: all" in helps[name] for name in everything)


def test_the_help_lists_every_command_and_an_unknown_one_is_guessed() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    assert all(f" {name} " in shown.output for name in COMMANDS)
    assert all(CliRunner().invoke(app, [name, "--help"]).exit_code == 0 for name in COMMANDS)
    assert "'transcribe'" in CliRunner().invoke(app, ["transscribe"]).output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["transcribe", "a.wav", "--task", "xyz"],
            "--task: 'xyz' is not one of 'transcribe', 'translate'; "
            "`as2d transcribe --help` says what it takes.",
        ),
        (
            ["bench", "a.jsonl", "--split", "xyz"],
            "--split: 'xyz' is not one of 'dev', 'test'; `as2d bench decode --help` says what it takes.",
        ),
        (
            ["transcribe", "a.wav", "--budget", "99"],
            "--budget must be at most 31; `as2d transcribe --help` says what it takes.",
        ),
        (
            ["transcribe", "a.wav", "--threads", "two"],
            "--threads must be a whole number; `as2d transcribe --help` says what it takes.",
        ),
    ],
)
def test_a_value_that_an_option_does_not_take_is_told_in_a_sentence(
    arguments: list[str], sentence: str
) -> None:
    with pytest.raises(WrongUse) as refused:
        app(arguments, standalone_mode=False)
    assert refused.value.message == sentence
    assert refused.value.exit_code == 2
