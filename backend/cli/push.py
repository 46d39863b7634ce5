"""`as2d push`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from as2d.backend.cli.console import ERRORS, emit, say
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.devices.adb.places import ROOT
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.errors import HelperFailed
from as2d.backend.models.files import megabytes
from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.paths import arm64_helper_path, models_dir
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET


def push(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="Models: names or folders; default: the target and the drafter that `as2d transcribe` uses.",
        ),
    ] = None,
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Bring models and the helper program to a phone; `as2d transcribe` also does so by itself.

    Only what is missing there travels, and only what was verified there is used. When this is interrupted or
    the cable is pulled, run it again to go on. `as2d phone clean` takes everything away.
    """
    names = models or [DEFAULT_TARGET, DEFAULT_DRAFTER]
    target = chosen_phone(device, adb_server).target
    installed = _installed(names)
    store = PhoneStore(target)
    missing: HelperFailed | None = None
    try:
        helper = arm64_helper_path()
    except HelperFailed as error:
        missing = error
    else:
        with shown_progress("helper program") as report:
            store.place_helper(helper, report)
        emit(f"helper program\t{report.outcome}\n")
    for model in installed:
        with shown_progress(model.name) as report:
            folder = store.place_model(model, report)
        emit(f"{model.name}\t{report.outcome}\t{folder.removeprefix(ROOT + '/')}\n")
    if missing is not None:
        raise missing


def _installed(names: list[str]) -> list[InstalledModel]:
    announce_installation(names)
    store = ModelStore(models_dir())
    found = []
    for name in names:
        with shown_progress(name) as report:
            found.append(store.ensure(name, report))
    return found


class PushReport:
    """Shows the stages of one thing that is brought: bars with the rate, or one line a stage."""

    def __init__(self, name: str, bars: Progress) -> None:
        self._name = name
        self._bars = bars
        self._task = bars.add_task(name, total=None)
        self._stage = ""
        self._pushes: list[tuple[float, int]] = []
        self._last = (0.0, 0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        pushing = stage.startswith("pushing ")
        if stage != self._stage:
            self._stage = stage
            if self._bars.disable:
                say(
                    f"{self._name}: {stage} …"
                    if self._name not in stage
                    else f"{stage[0].upper()}{stage[1:]} …"
                )
            self._bars.reset(self._task, total=total or None, completed=done)
            if pushing:
                self._pushes.append((now, done))
        if pushing:
            self._last = (now, done)
        self._bars.update(self._task, description=stage, completed=done, total=total or None)

    @property
    def outcome(self) -> str:
        """What was done, with size and rate."""
        if not self._pushes:
            return "was there"
        begin, before = self._pushes[-1]
        end, done = self._last
        kept = f", {megabytes(before)} from before" if before else ""
        rate = f" at {(done - before) / (end - begin) / 1e6:.1f} MB/s" if end > begin else ""
        return f"pushed, {megabytes(done - before)}{rate}{kept}"


@contextmanager
def shown_progress(name: str) -> Iterator[PushReport]:
    """Shows what is reported within this block on standard error."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=ERRORS, transient=True, disable=not ERRORS.is_terminal) as bars:
        yield PushReport(name, bars)
