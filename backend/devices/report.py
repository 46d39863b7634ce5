"""All devices as one JSON object: this computer and the phones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from as2d.backend.devices.capabilities import greet_helper
from as2d.backend.devices.phone import Phone
from as2d.backend.devices.this_computer import default_threads, this_computer
from as2d.backend.errors import UserError


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ComputerReport(_Report):
    """This computer. `problem` says why it cannot decode; `helper` and `mnn` are null then."""

    name: Literal["this-computer"] = "this-computer"
    state: Literal["ready", "no helper"]
    problem: str | None
    system: str
    arch: str
    cpu: str
    cores: int
    threads: int
    memory_bytes: int | None
    free_memory_bytes: int | None
    helper: str | None
    mnn: str | None


class TransportReport(_Report):
    """One way to a phone: `kind` is usb, wifi (wireless debugging, found by itself), tcp or emulator."""

    serial: str
    kind: str
    state: str
    place: str


class PhoneReport(_Report):
    """A phone. `id` is its own serial number where that is known; `todo` is null when it is ready."""

    id: str
    name: str
    nickname: str | None
    model: str | None
    model_code: str | None
    maker: str | None
    android: str | None
    state: str
    ready: bool
    todo: str | None
    transports: tuple[TransportReport, ...]

    @classmethod
    def of(cls, phone: Phone) -> Self:
        """The report of a phone."""
        return cls(
            id=phone.id,
            name=phone.name,
            nickname=phone.nickname,
            model=phone.model,
            model_code=phone.model_code,
            maker=phone.maker,
            android=phone.android,
            state=phone.state.value,
            ready=phone.ready,
            todo=phone.sentence or None,
            transports=tuple(
                TransportReport(
                    serial=way.serial, kind=way.kind.value, state=way.state.value, place=way.place
                )
                for way in phone.transports
            ),
        )


class DevicesReport(_Report):
    """All devices. `problem` says why phones may be missing; null if none is."""

    computer: ComputerReport
    phones: tuple[PhoneReport, ...]
    problem: str | None


def report_computer() -> tuple[ComputerReport, UserError | None]:
    """This computer, and what keeps it from decoding."""
    computer = this_computer()
    problem: UserError | None = None
    helper = mnn = None
    try:
        hello = greet_helper()
        helper, mnn = hello.build, hello.mnn
    except UserError as error:
        problem = error
    report = ComputerReport(
        state="ready" if problem is None else "no helper",
        problem=None if problem is None else problem.message,
        system=computer.system,
        arch=computer.arch,
        cpu=computer.cpu,
        cores=computer.cores,
        threads=default_threads(),
        memory_bytes=computer.memory_bytes,
        free_memory_bytes=computer.free_memory_bytes,
        helper=helper,
        mnn=mnn,
    )
    return report, problem


def report_devices(
    computer: ComputerReport, phones: Sequence[Phone], problem: str | None = None
) -> DevicesReport:
    """The report of all devices."""
    return DevicesReport(
        computer=computer, phones=tuple(PhoneReport.of(phone) for phone in phones), problem=problem
    )
