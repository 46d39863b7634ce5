"""A phone as it is found: its name, its state, and the ways that lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PhoneState(StrEnum):
    """What adb says of a phone."""

    READY = "ready"
    UNAUTHORIZED = "unauthorized"
    AUTHORIZING = "authorizing"
    CONNECTING = "connecting"
    OFFLINE = "offline"
    NO_PERMISSIONS = "no permissions"
    RECOVERY = "recovery"
    SIDELOAD = "sideload"
    RESCUE = "rescue"
    BOOTLOADER = "bootloader"
    HOST = "host"
    DETACHED = "detached"
    UNKNOWN = "unknown"

    @property
    def passes(self) -> bool:
        """Whether adb is at work and the state changes within moments."""
        return self in (PhoneState.AUTHORIZING, PhoneState.CONNECTING)


class TransportKind(StrEnum):
    """How a transport reaches a phone; the first is the best."""

    USB = "usb"
    WIFI = "wifi"
    TCP = "tcp"
    EMULATOR = "emulator"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(TransportKind).index(self)


@dataclass(frozen=True)
class Transport:
    """One way to a phone. `serial` is adb's name for it; `target` what adb is asked for, never ambiguous.

    `place` is where it is: the USB place, or host and port; `number` is adb's own, None from old servers.
    """

    serial: str
    target: str
    kind: TransportKind
    state: PhoneState
    place: str
    number: int | None = None


@dataclass(frozen=True)
class Phone:
    """One phone, with every transport that leads to it, the best first.

    `id` is `ro.serialno` where it is known, else the best transport's serial. `state` is the best
    transport's; `sentence` says what it means and what to do, and is empty for a phone that is ready.
    `model` is the name that it is sold under, `model_code` its maker's own, `ro.product.model`.
    """

    id: str
    state: PhoneState
    sentence: str
    transports: tuple[Transport, ...]
    nickname: str | None = None
    model: str | None = None
    model_code: str | None = None
    maker: str | None = None
    android: str | None = None

    @property
    def ready(self) -> bool:
        """Whether it can be used now."""
        return self.state is PhoneState.READY

    @property
    def best(self) -> Transport:
        """The transport to use."""
        return self.transports[0]

    @property
    def name(self) -> str:
        """The nickname, else the model, else the serial number."""
        return self.nickname or self.model or self.id

    @property
    def label(self) -> str:
        """The name for sentences; tells phones of the same model apart."""
        return self.name if self.name == self.id else f"{self.name} ({self.id})"

    @property
    def full_model(self) -> str | None:
        """The model behind its maker's name, unless that begins it anyway."""
        if self.model is None or self.maker is None or self.model.lower().startswith(self.maker.lower()):
            return self.model
        return f"{self.maker} {self.model}"
