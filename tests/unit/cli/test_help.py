"""Help leads to where the options are."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from as2d.backend.cli.commands import COMMANDS
from as2d.backend.cli.main import app
from as2d.backend.errors import WrongUse


def test_the_help_of_bench_leads_to_that_of_its_default() -> None:
    shown = CliRunner().invoke(app, ["bench", "--help"])
    assert shown.exit_code == 0
    assert "as2d bench decode --help" in shown.output


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
