"""Transports to phones: one phone that is reached in several ways is one, two of the same model are two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from as2d.backend.devices.adb.properties import Properties
from as2d.backend.devices.adb.rows import Row
from as2d.backend.devices.adb.states import meaning_of
from as2d.backend.devices.phone import Phone, PhoneState, Transport, TransportKind
from as2d.backend.devices.remembered import RememberedPhone

SILENT = (
    "is listed as connected and does not answer; `as2d reconnect` tries it anew, and plugging it in again "
    "helps if not"
)


def adb_target(row: Row, rows: Sequence[Row]) -> str:
    """What adb is asked for to reach this transport: its serial, or its USB place where two share the
    serial.
    """
    alone = Counter(other.serial for other in rows)[row.serial] == 1
    return row.serial if alone or row.place is None else row.place


def merge(
    rows: Sequence[Row],
    properties_of: Callable[[Row], Properties | None],
    silent: Callable[[Row], bool],
    remembered: Mapping[str, RememberedPhone],
) -> list[Phone]:
    """The phones behind `rows`, those that are ready first, then by name.

    `silent` tells the transports whose phone was asked for its properties and did not answer; what is
    `remembered` by serial number names phones, and those at a known address that cannot be asked.
    """
    addresses = {address: key for key, phone in remembered.items() for address in phone.addresses}
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(_key(row, groups, properties_of, addresses), []).append(row)
    phones = [
        _phone(key, group, rows, properties_of, silent, remembered.get(key, RememberedPhone()))
        for key, group in groups.items()
    ]
    return sorted(phones, key=lambda phone: (not phone.ready, phone.name.lower(), phone.id))


def _key(
    row: Row,
    groups: Mapping[str, Sequence[Row]],
    properties_of: Callable[[Row], Properties | None],
    addresses: Mapping[str, str],
) -> str:
    properties = properties_of(row)
    serialno = (properties.serialno if properties is not None else None) or row.serialno
    key = serialno or addresses.get(row.serial) or _nameless(row)
    if row.kind is TransportKind.USB and any(
        other.kind is TransportKind.USB for other in groups.get(key, ())
    ):
        # Two cables lead to two phones, whatever number their maker gave both.
        return f"{key} at {row.place or row.number}"
    return key


def _nameless(row: Row) -> str:
    if row.kind is TransportKind.USB and row.place is not None:
        return row.place
    return row.serial


def _phone(
    key: str,
    group: Sequence[Row],
    rows: Sequence[Row],
    properties_of: Callable[[Row], Properties | None],
    silent: Callable[[Row], bool],
    remembered: RememberedPhone,
) -> Phone:
    def order(row: Row) -> tuple[bool, bool, int]:
        return (row.state is not PhoneState.READY, silent(row), row.kind.rank)

    ordered = sorted(group, key=order)
    first = ordered[0]
    known = next((found for row in ordered if (found := properties_of(row)) is not None), Properties())
    listed_model = next((row.model for row in ordered if row.model), None)
    place = first.place or first.serial
    state = PhoneState.OFFLINE if silent(first) else first.state
    return Phone(
        id=key,
        state=state,
        sentence=SILENT if silent(first) else meaning_of(state, first.words, first.kind, place),
        transports=tuple(_transport(row, rows, silent(row)) for row in ordered),
        nickname=remembered.nickname,
        model=known.model or remembered.model or listed_model,
        model_code=known.model_code or listed_model,
        maker=known.maker,
        android=known.android,
    )


def _transport(row: Row, rows: Sequence[Row], silent: bool) -> Transport:
    return Transport(
        serial=row.serial,
        target=adb_target(row, rows),
        kind=row.kind,
        state=PhoneState.OFFLINE if silent else row.state,
        place=row.place or row.serial,
        number=row.number,
    )
