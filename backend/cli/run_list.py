"""`as2d runs`: list, search, name, tag, delete and bring back recorded runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

import typer

from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.errors import WrongUse
from as2d.backend.paths import runs_dir
from as2d.backend.runs.index import RunRow
from as2d.backend.runs.labels import split_tags
from as2d.backend.runs.store import RunStore
from as2d.backend.words import counted

_MEGABYTE = 1e6
_SHOWN_METHODS = 2
_RUN = "A run's name, a beginning of it, or 'last'."

runs_app = typer.Typer(help="List, search, name, tag and delete the recorded runs.")

RunsArgument = Annotated[list[str], typer.Argument(metavar="RUN", help=_RUN)]


@runs_app.callback(invoke_without_command=True)
def runs(
    context: typer.Context,
    search: Annotated[
        str | None,
        typer.Option(help="Only runs in which all these words are said, or that are named or tagged so."),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the index again from the folders.")
    ] = False,
) -> None:
    """List the recorded runs, the newest first; with --search also what was found in each."""
    if context.invoked_subcommand is not None:
        if search is not None or tag is not None or rebuild:
            raise WrongUse(
                f"--search, --tag and --rebuild do not go with `as2d runs {context.invoked_subcommand}`."
            )
        return
    store = RunStore(runs_dir())
    if rebuild:
        say(f"The index holds {counted(store.rebuild(), 'run')}.")
    found = store.list()
    if not found:
        say(f"There are no runs in {runs_dir()} yet; `as2d transcribe FILE` makes one.")
    excerpts: dict[str, str] = {}
    shown = found
    if search is not None:
        excerpts = store.search(search)
        shown = [row for row in found if row.run in excerpts]
    if tag is not None:
        shown = [row for row in shown if tag.casefold() in row.tags.casefold().split()]
    if shown:
        emit(_list(shown, excerpts))
    elif found:
        say("No run fits.")
    _tell_use(store, found)


@runs_app.command()
def rename(
    run: Annotated[str, typer.Argument(metavar="RUN", help=_RUN)],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; '' takes the name away.")],
) -> None:
    """Give a run a name of your own; what was recorded stays as it is."""
    store = RunStore(runs_dir())
    store.label(store.own(run), lambda labels: labels.named(name))


@runs_app.command()
def tag(
    runs: RunsArgument,
    add: Annotated[list[str] | None, typer.Option(help="A tag to add; several times for several.")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="A tag to take away.")] = None,
) -> None:
    """Add tags to runs, or take them away."""
    if not split_tags([*(add or []), *(remove or [])]):
        raise WrongUse(f"Name a tag with --add or --remove: `as2d runs tag {runs[0]} --add WORD`.")
    store = RunStore(runs_dir())
    names = dict.fromkeys(store.own(run) for run in runs)
    for name in names:
        store.label(name, lambda labels: labels.tagged(add or [], remove or []))


@runs_app.command()
def delete(runs: RunsArgument) -> None:
    """Take runs off the list; `as2d runs restore` brings them back until they are emptied."""
    store = RunStore(runs_dir())
    names = dict.fromkeys(store.own(run) for run in runs)
    for name in names:
        store.set_aside(name)
        say(f"{name} was deleted; `as2d runs restore {name}` brings it back.")


@runs_app.command()
def restore(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN", help="A deleted run's name, or a beginning of it.")
    ],
) -> None:
    """Bring back deleted runs."""
    store = RunStore(runs_dir())
    deleted = store.deleted()
    for name in dict.fromkeys(_deleted_run(deleted, run) for run in runs):
        store.put_back(name)


def _deleted_run(deleted: Collection[str], run: str) -> str:
    """The deleted run of this name, else the only one that begins so."""
    found = [run] if run in deleted else [name for name in deleted if run and name.startswith(run)]
    if not deleted:
        raise WrongUse(f"'{run}' cannot be brought back: there is no deleted run.")
    if len(found) != 1:
        many = f"is the beginning of {len(found)} deleted runs" if found else "is no deleted run"
        raise WrongUse(f"'{run}' {many}; there are: {', '.join(sorted(deleted))}.")
    return found[0]


@runs_app.command()
def empty() -> None:
    """Free the disk of the deleted runs; the window does that whenever it is started."""
    store = RunStore(runs_dir())
    before = sum(store.deleted().values())
    store.empty_aside()
    say(f"{number((before - sum(store.deleted().values())) / _MEGABYTE, 2, 'MB')} were freed.")


def _list(rows: list[RunRow], excerpts: dict[str, str]) -> str:
    lines = [
        [
            row.run,
            row.created,
            row.command if row.origin is None else f"{row.command}, from {row.origin or 'elsewhere'}",
            row.status,
            _few_methods(row.method),
            str(row.tokens),
            number(row.accepted / row.proposed if row.proposed else None, 2),
            number(row.tps, 1),
            number(row.bytes / _MEGABYTE, 2, "MB"),
            row.name or row.title,
            row.tags,
            excerpts.get(row.run, ""),
        ]
        for row in rows
    ]
    head = [
        "run", "made (UTC)", "command", "status", "method", "tokens", "accept.", "tokens/s", "size",
        "recordings", "tags", "found",
    ]  # fmt: skip
    columns = [place for place in range(len(head)) if place < 10 or any(line[place] for line in lines)]
    picked = [[line[place] for place in columns] for line in lines]
    return table([head[place] for place in columns], picked, right=(5, 6, 7, 8))


def _tell_use(store: RunStore, rows: list[RunRow]) -> None:
    """What the runs take of the disk, and what deleted ones still take."""
    deleted = store.deleted()
    if rows:
        used = number(sum(row.bytes for row in rows) / _MEGABYTE, 2, "MB")
        say(f"{counted(len(rows), 'run')}, {used} in {store.root}.")
    if deleted:
        size = number(sum(deleted.values()) / _MEGABYTE, 2, "MB")
        say(
            f"{counted(len(deleted), 'deleted run')} still on the disk, {size}: `as2d runs restore` brings "
            "one back, `as2d runs empty` frees the disk."
        )


def _few_methods(names: str) -> str:
    """The first methods of a run, and how many more there are."""
    methods = names.split(",")
    more = len(methods) - _SHOWN_METHODS
    return ",".join(methods[:_SHOWN_METHODS]) + (f" and {more} more" if more > 0 else "")
