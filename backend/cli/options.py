"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.corpus import Split
from as2d.backend.bench.tables import TableFormat
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.export.formats import Format

AdbServerOption = Annotated[
    str | None,
    typer.Option(
        "--adb-server",
        metavar="HOST:PORT",
        help="Use the adb server there, which then is not started from here; default: AS2D_ADB_SERVER, "
        "else this computer's.",
    ),
]

TargetOption = Annotated[str, typer.Option(help="Target: a model's name or folder.")]
DrafterOption = Annotated[str, typer.Option(help="Drafter: a model's name or folder.")]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace the file that --output names if it is there already.")
]
FormatOption = Annotated[TableFormat, typer.Option("--format", help="Form of the table.")]

TextFormatOption = Annotated[Format, typer.Option("--format", help="Format of the transcripts.")]
OutputDirOption = Annotated[
    Path | None, typer.Option(help="Write a file for each recording here instead of standard output.")
]
OverwriteTextsOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace transcripts of earlier commands in --output-dir.")
]

SplitOption = Annotated[Split | None, typer.Option(help="Which part of a manifest; default: all of it.")]
CorpusLanguageOption = Annotated[
    str | None,
    typer.Option(
        help="Only a manifest's recordings in this language, the language of files; default: all, each in "
        "its own."
    ),
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="At most so many recordings; default: all.")]

MethodsOption = Annotated[
    str,
    typer.Option(
        help="Methods, comma-separated; as2d:8 means as2d with K = 8; sd alone means K = 5, 6, 7 and 8 and "
        "their mean."
    ),
]
BudgetsOption = Annotated[
    str | None,
    typer.Option(
        help="Budgets (candidates) of the methods without a K of their own, comma-separated; default: 4."
    ),
]
AdmissionsOption = Annotated[str, typer.Option(help="root, text, or both with a comma.")]
ConditionsOption = Annotated[str, typer.Option(help="request-start, pre-drafted, or both with a comma.")]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Probability below which specasr ends a draft; default: 0.6."),
]
PatienceOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=1000,
        help="as2d-resync restarts after so many calls in a row without an accepted candidate; 0: after any "
        "rejection; default: 5.",
    ),
]
DrafterThreadsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_THREADS,
        help="Threads of the drafter while the target waits for it; default: those of the target.",
    ),
]
DrafterSharedThreadsOption = Annotated[
    int, typer.Option(min=1, max=MOST_THREADS, help="Threads of the drafter beside the target.")
]
