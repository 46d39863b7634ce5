"""`as2d phone cpus`: which processors of a phone the target and the drafter run on."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.console import emit, say, table
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.devices.adb.phone_device import read_facts
from as2d.backend.devices.cpu_choice import cpus_text, keep_cpus, parse_cpus
from as2d.backend.devices.placement import Cluster, placement
from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices
from as2d.backend.errors import HelperFailed
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.words import counted

_MEGAHERTZ = 1000


def cpus(
    target: Annotated[
        str | None,
        typer.Option(
            metavar="CPUS", help="For the target's threads, such as 4-7 or 4,6,7; default: by the clocks."
        ),
    ] = None,
    drafter: Annotated[
        str | None,
        typer.Option(
            metavar="CPUS", help="For the drafter's thread beside the target; default: by the clocks."
        ),
    ] = None,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Forget what was chosen; choose by the processors' clocks.")
    ] = False,
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Show which processors target and drafter get on a phone, or choose them; the choice is kept."""
    chosen = chosen_phone(
        device, adb_server, "This command is about phones; on this computer the system places all threads"
    )
    phone = chosen.phone
    clusters = read_facts(chosen.target, CancelToken()).clusters
    if not clusters:
        raise HelperFailed(f"The phone {phone.label} does not tell which processors it has.")
    known = {cpu for cluster in clusters for cpu in cluster.cpus}
    remembered = RememberedDevices()
    kept = remembered.phone(phone.id).cpus or CpuPlacement()
    if automatic:
        kept = CpuPlacement()
    if target is not None:
        kept = kept.model_copy(update={"target": parse_cpus(target, known)})
    if drafter is not None:
        kept = kept.model_copy(update={"drafter": parse_cpus(drafter, known)})
    if automatic or target is not None or drafter is not None:
        keep_cpus(phone.id, kept, remembered)
    placed = placement(clusters, target_cpus=kept.target, drafter_cpus=kept.drafter)
    assert placed is not None
    head = ("processors", "core", "fastest clock")
    emit(table(head, [_row(cluster) for cluster in clusters], right=(2,)))
    say(
        f"The target runs on {cpus_text(placed.target_cpus)} with {counted(placed.threads, 'thread')}, "
        "the drafter on "
        f"{cpus_text(placed.drafter_cpus)} ({placed.reason})."
    )


def _row(cluster: Cluster) -> list[str]:
    clock = f"{cluster.max_khz / _MEGAHERTZ:.0f} MHz" if cluster.max_khz is not None else "not told"
    return [cpus_text(cluster.cpus), cluster.core or "not told", clock]
