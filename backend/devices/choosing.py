"""The device that a name means."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.phone import Phone
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed, UserError, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

THIS_COMPUTER = "this-computer"
ANY_PHONE = "phone"

_HOW = "plug one in with USB debugging turned on, or see `as2d pair --help`"


def means_this_computer(name: str | None) -> bool:
    """Whether no phone is meant, so that adb need not be asked."""
    return name is None or name.casefold() == THIS_COMPUTER


def choose_device(
    name: str | None,
    cancel: CancelToken | None = None,
    *,
    server: AdbServer | None = None,
    remembered: RememberedDevices | None = None,
) -> Phone | None:
    """The phone that `name` means, ready to be used; None means this computer.

    No name and 'this-computer' mean this computer, for which adb is not asked; 'phone' means the only phone
    that is ready; everything else is as in `choose_phone`.

    Raises:
        UserError: as `choose_phone`, or the adb server cannot be reached.
        Cancelled: cancelled meanwhile.
    """
    if name is None or means_this_computer(name):
        return None
    phones = list_phones(server or AdbServer(), cancel, remembered)
    return choose_phone(None if name.casefold() == ANY_PHONE else name, phones, remembered=remembered)


def choose_phone(
    name: str | None, phones: Sequence[Phone], *, remembered: RememberedDevices | None = None
) -> Phone:
    """The phone among `phones` that `name` means, ready to be used; no name: the only one that is ready.

    A name is a nickname, a serial number, adb's serial, an address, or a model that only one has.

    Raises:
        WrongUse: several are meant, or there is no phone of that name.
        HelperFailed: it is not connected or not ready, or no phone is; the sentence says what to do.
    """
    found = find_phone(name, phones, remembered) if name is not None else _only_ready(phones)
    if not found.ready:
        raise HelperFailed(f"The phone {found.label} {found.sentence}.")
    return found


def find_phone(name: str, phones: Sequence[Phone], remembered: RememberedDevices | None = None) -> Phone:
    """The phone that `name` means, in any state; raises as `choose_phone`."""
    wanted = " ".join(name.split()).casefold()
    for matches in (_by_nickname, _by_serial, _by_model):
        found = [phone for phone in phones if matches(phone, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise WrongUse(f"'{name}' means {_listed(found)}; name one by its serial number.")
    raise _not_found(name, phones, remembered)


def _only_ready(phones: Sequence[Phone]) -> Phone:
    ready = [phone for phone in phones if phone.ready]
    if len(ready) == 1:
        return ready[0]
    if ready:
        raise WrongUse(f"There are {len(ready)} phones: {_listed(ready)}; name one with --device.")
    if len(phones) == 1:
        raise HelperFailed(f"The phone {phones[0].label} {phones[0].sentence}.")
    if phones:
        states = ", ".join(f"{phone.label} is {phone.state}" for phone in phones)
        raise HelperFailed(f"No phone is ready: {states}; `as2d devices` says what to do.")
    raise HelperFailed(f"No phone is connected; {_HOW}.")


def _by_nickname(phone: Phone, wanted: str) -> bool:
    return phone.nickname is not None and phone.nickname.casefold() == wanted


def _by_serial(phone: Phone, wanted: str) -> bool:
    names = {phone.id, *(name for way in phone.transports for name in (way.serial, way.target))}
    names |= {way.place.rpartition(":")[0] for way in phone.transports if way.place == way.serial}
    return wanted in {name.casefold() for name in names if name}


def _by_model(phone: Phone, wanted: str) -> bool:
    def plain(text: str) -> str:
        return " ".join(text.replace("_", " ").split()).casefold()

    return plain(wanted) in {
        plain(model) for model in (phone.model, phone.model_code, phone.full_model) if model
    }


def _listed(phones: Sequence[Phone]) -> str:
    names = [phone.label for phone in phones]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _not_found(name: str, phones: Sequence[Phone], remembered: RememberedDevices | None) -> UserError:
    try:
        file = (remembered or RememberedDevices()).read()
    except UserError:
        known = False
    else:
        wanted = name.casefold()
        known = any(
            wanted in (key.casefold(), (phone.nickname or "").casefold(), (phone.model or "").casefold())
            for key, phone in file.phones.items()
        )
    there = f"connected: {_listed(phones)}" if phones else "no phone is connected"
    if known:
        return HelperFailed(
            f"The phone '{name}' is not connected ({there}); plug it in, or see `as2d connect`."
        )
    return WrongUse(f"There is no phone '{name}' ({there}); `as2d devices` lists them, otherwise {_HOW}.")
