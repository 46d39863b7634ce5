"""Help leads to where the options are."""

from __future__ import annotations

from typer.testing import CliRunner

from as2d.backend.cli.commands import COMMANDS
from as2d.backend.cli.main import app


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
