"""Help leads to where the options are."""

from __future__ import annotations

from typer.testing import CliRunner

from as2d.backend.cli.main import app


def test_the_help_of_bench_leads_to_that_of_its_default() -> None:
    shown = CliRunner().invoke(app, ["bench", "--help"])
    assert shown.exit_code == 0
    assert "as2d bench decode --help" in shown.output
