"""`as2d phone`: what a phone is, what of ours is on it, and taking that away."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.console import emit, say, table
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.devices.adb.cleaning import Contents
from as2d.backend.devices.adb.placing import LEFTOVER_DAYS
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.jobs.cleaning import clean_everything
from as2d.backend.models.files import megabytes
from as2d.backend.words import counted

phone_app = typer.Typer(
    no_args_is_help=True, help="A phone: what it is, what AS²D has put on it, take that away."
)

_SHORT_DIGEST = 16


@phone_app.command()
def status(device: PhoneOption = None, adb_server: AdbServerOption = None) -> None:
    """Show what of AS²D is on a phone, with leftovers of pushes and runs that were cut off."""
    target = chosen_phone(device, adb_server).target
    contents = PhoneStore(target).contents()
    rows = _rows(contents)
    if rows:
        emit(table(("what", "name", "size"), rows, right=(2,)))
    else:
        say(f"Nothing of AS²D is on the phone {target.name}.")
    if contents.free is not None:
        say(f"Free on the phone {target.name}: {megabytes(contents.free)}.")


@phone_app.command()
def clean(
    jobs: Annotated[
        bool, typer.Option("--jobs", help="Also detached jobs, and what they did since they were sent.")
    ] = False,
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """End AS²D's processes on a phone and delete everything that it put there."""
    target = chosen_phone(device, adb_server).target
    cleaned = clean_everything(target, jobs=jobs)
    for pid in cleaned.ended:
        say(f"Ended the process {pid} on the phone {target.name}.")
    deleted = f" any more; {megabytes(cleaned.size)} were deleted" if cleaned.size else ""
    say(f"Nothing of AS²D is on the phone {target.name}{deleted}.")


def _rows(contents: Contents) -> list[tuple[str, str, str]]:
    rows = [
        ("model", model.name or f"unreadable ({model.digest[:_SHORT_DIGEST]})", megabytes(model.size))
        for model in contents.models
    ]
    if contents.programs_size:
        rows.append(("helper program", "", megabytes(contents.programs_size)))
    if contents.unused_size:
        rows.append(("files of no model", "audio and files of older models", megabytes(contents.unused_size)))
    if contents.incoming_files:
        files = counted(contents.incoming_files, "file")
        what = f"{files}; the next push goes on, and deletes those older than {LEFTOVER_DAYS} days"
        rows.append(("cut-off pushes", what, megabytes(contents.incoming_size)))
    rows += [("detached job", job, "") for job in contents.jobs]
    rows += [("running process", str(pid), "") for pid in contents.running]
    return rows
