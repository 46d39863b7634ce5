"""`as2d phone facts`: what a phone is."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.devices.adb.phone_device import read_facts
from as2d.backend.devices.facts import PhoneFacts
from as2d.backend.devices.placement import Cluster
from as2d.backend.transcribe.cancel import CancelToken

_NO_GPU = (
    "The GPU is not used: the helper for phones is one static program, which cannot load the phone's OpenCL; "
    "packaging/android/README.md tells how to build one with the Android NDK."
)


def facts(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Show what a phone is: its chip, processors, memory, Android and GPU, as far as it tells."""
    found = read_facts(chosen_phone(device, adb_server).target, CancelToken())
    if json:
        emit(found.model_dump_json(indent=1) + "\n")
        return
    emit(table(("fact", "value"), facts_rows(found)))
    say(_NO_GPU)


def facts_rows(found: PhoneFacts) -> list[list[str]]:
    """The facts of the paper's table 6, each with its value as text."""
    process = f"{found.process_nm} nm ({found.process_source})" if found.process_nm is not None else None
    soc = found.soc
    if soc is not None and found.soc_number not in (None, soc):
        soc = f"{soc} ({found.soc_number})"
    rows = (
        ("maker", found.maker),
        ("model", found.model),
        ("sold as", found.name),
        ("chip", soc),
        ("process", process),
        ("processors", ", ".join(map(_cluster, found.clusters)) or None),
        ("fastest clock", number(found.peak_khz / 1e6, 2, "GHz") if found.peak_khz is not None else None),
        ("memory", number(found.memory_bytes / 1e9, 1, "GB") if found.memory_bytes is not None else None),
        ("Android", f"{found.android} (API {found.api})" if found.android is not None else None),
        ("build", found.build),
        ("kernel", found.kernel),
        ("GPU", found.gpu),
        ("GPU driver", found.gpu_driver),
    )
    return [[name, value or "not told"] for name, value in rows]


def _cluster(cluster: Cluster) -> str:
    clock = f" at {cluster.max_khz / 1e6:.2f} GHz" if cluster.max_khz is not None else ""
    return f"{len(cluster.cpus)} × {cluster.core or 'core'}{clock}"
