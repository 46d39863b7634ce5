"""Prints a comparison."""

from __future__ import annotations

from as2d.backend.bench.tables import TableFormat, render_rows
from as2d.backend.cli.console import emit, say
from as2d.backend.compare.judging.judgement import Judgement
from as2d.backend.compare.reports.markdown import difference_lines, output_lines, verdict
from as2d.backend.compare.reports.rows import corpus_rows, corpus_title, full_row, page_rows


def print_judgement(judgement: Judgement, form: TableFormat) -> None:
    """What must be said before any number, what is not the same, then the table of the sides, then the
    outputs; as a page also by corpus.
    """
    for line in (*judgement.cautions, *difference_lines(judgement), *judgement.notes):
        say(line)
    if form == "md":
        emit(render_rows(page_rows(judgement), form))
        for table in judgement.tables:
            emit(f"\n## Tokens/s by corpus: {corpus_title(judgement, table)}\n\n")
            emit(render_rows(corpus_rows(judgement, table), form))
    else:
        emit(render_rows([full_row(side) for side in judgement.sides], form))
    if len(judgement.names) > 1 or not judgement.identical:
        for line in output_lines(judgement):
            say(line)
    say(verdict(judgement))
