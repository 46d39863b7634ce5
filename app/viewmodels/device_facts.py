"""What a device is, as captions with values: this computer, or a phone in any state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.sentences import in_window
from as2d.app.translation import later, tr, tr_count, tr_marked
from as2d.backend.devices.phone import Phone, PhoneState, TransportKind

if TYPE_CHECKING:
    from as2d.backend.devices.facts import PhoneFacts
    from as2d.backend.devices.placement import Cluster
    from as2d.backend.devices.report import ComputerReport

_GIGABYTE = 1e9
NOT_TOLD = later("not told")
_STATES = {
    PhoneState.READY: later("ready"),
    PhoneState.UNAUTHORIZED: later("not accepted yet"),
    PhoneState.AUTHORIZING: later("deciding"),
    PhoneState.CONNECTING: later("connecting"),
    PhoneState.OFFLINE: later("does not answer"),
    PhoneState.NO_PERMISSIONS: later("not permitted"),
    PhoneState.RECOVERY: later("in recovery"),
    PhoneState.SIDELOAD: later("in recovery"),
    PhoneState.RESCUE: later("in rescue mode"),
    PhoneState.BOOTLOADER: later("in the boot loader"),
    PhoneState.HOST: later("a computer"),
    PhoneState.DETACHED: later("detached"),
    PhoneState.UNKNOWN: later("unknown state"),
}
AWAY = later("away")
_WAYS = {
    TransportKind.USB: later("USB"),
    TransportKind.WIFI: later("Wi-Fi"),
    TransportKind.TCP: later("network"),
    TransportKind.EMULATOR: later("emulator"),
}


@dataclass(frozen=True)
class Fact:
    """A caption and its value; `note` says more about it, `told` is False where the device does not say."""

    name: str
    text: str
    note: str = ""
    told: bool = True


def state_word(phone: Phone | None) -> str:
    """The state of a phone in a word or two; None: it is away."""
    return tr_marked(AWAY if phone is None else _STATES[phone.state])


def state_sentence(phone: Phone) -> str:
    """What the state means and what to do, as a sentence; empty for a phone that is ready."""
    if not phone.sentence:
        return ""
    return tr("The phone {phone} {state}.", phone=phone.label, state=in_window(phone.sentence))


def ways_text(phone: Phone) -> str:
    """How a phone is reached."""
    return ", ".join(
        f"{tr_marked(_WAYS[way.kind])} {way.place.removeprefix('usb:')}".strip() for way in phone.transports
    )


def computer_facts(report: ComputerReport) -> list[Fact]:
    """This computer."""
    facts = [
        Fact(tr("Processor"), report.cpu),
        Fact(tr("Cores"), tr_count(report.cores, "{n} core", "{n} cores")),
        Fact(tr("Target threads"), str(report.threads)),
    ]
    if report.memory_bytes is not None and report.free_memory_bytes is not None:
        free, whole = report.free_memory_bytes / _GIGABYTE, report.memory_bytes / _GIGABYTE
        text = tr("{free} GB of {whole} GB free", free=f"{free:.1f}", whole=f"{whole:.1f}")
        facts.append(Fact(tr("Memory"), text))
    facts.append(Fact(tr("System"), f"{report.system}, {report.arch}"))
    if report.helper is not None:
        facts.append(Fact(tr("Helper"), report.helper))
        facts.append(Fact("MNN", report.mnn or ""))
    return facts


def phone_facts(facts: PhoneFacts) -> list[Fact]:
    """A phone: the facts of the paper's table 6."""
    soc = facts.soc
    if soc is not None and facts.soc_number not in (None, soc):
        soc = f"{soc} ({facts.soc_number})"
    process = f"{facts.process_nm} nm" if facts.process_nm is not None else None
    memory = f"{facts.memory_bytes / _GIGABYTE:.1f} GB" if facts.memory_bytes is not None else None
    android = f"{facts.android} (API {facts.api})" if facts.android is not None else None
    model = " ".join(part for part in (facts.maker, facts.model) if part) or None
    rows: Sequence[tuple[str, str | None, str]] = (
        (tr("Model"), model, facts.name or ""),
        (tr("Chip"), soc, ""),
        (tr("Process"), process, facts.process_source or ""),
        *[
            (tr("Cores") if not place else "", text, "")
            for place, text in enumerate(_clusters(facts.clusters))
        ],
        (tr("Memory"), memory, ""),
        (tr("Android"), android, ""),
        (tr("Kernel"), facts.kernel, ""),
        ("GPU", facts.gpu, ""),
        (tr("GPU driver"), facts.gpu_driver, ""),
    )
    return [
        Fact(name, text if text is not None else tr_marked(NOT_TOLD), note, told=text is not None)
        for name, text, note in rows
    ]


def _clusters(clusters: Sequence[Cluster]) -> list[str | None]:
    if not clusters:
        return [None]
    return [
        f"{len(cluster.cpus)} × {cluster.core or tr('core')}"
        + (f"  {cluster.max_khz / 1e6:.2f} GHz" if cluster.max_khz is not None else "")
        for cluster in reversed(clusters)
    ]
