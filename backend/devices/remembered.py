"""What is remembered of phones, by their serial number: devices.json in the data folder."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.paths import data_dir
from as2d.backend.problems import first_problem
from as2d.backend.runs.files import storage_error, write_atomically

FORMAT = 1
LONGEST_NICKNAME = 40
_NAME = "devices.json"
_LOCK_SECONDS = 10.0
_POLL_SECONDS = 0.02
_RESERVED = ("this-computer", "phone", "none")


class CpuPlacement(BaseModel):
    """The CPUs of a phone that the target's and the drafter's threads run on; null: wherever the system
    likes.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    target: tuple[int, ...] | None = None
    drafter: tuple[int, ...] | None = None


class RememberedPhone(BaseModel):
    """What is remembered of one phone. Fields that a later version wrote are kept as they are.

    `addresses` are its last ones in the network, the newest first; `battery` is what calibrating its battery
    current found, in the form of `backend/energy`; `cpus` is the user's own choice.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    nickname: str | None = Field(default=None, min_length=1, max_length=LONGEST_NICKNAME)
    model: str | None = None
    addresses: tuple[str, ...] = ()
    battery: dict[str, JsonValue] | None = None
    cpus: CpuPlacement | None = None


class DevicesFile(BaseModel):
    """devices.json."""

    model_config = ConfigDict(frozen=True, extra="allow")

    format: int = FORMAT
    phones: dict[str, RememberedPhone] = Field(default_factory=dict)


class RememberedDevices:
    """The phones in devices.json. Several programs may read and write it at once."""

    def __init__(self, path: Path | None = None) -> None:
        """Use `path`; by default the file in the data folder."""
        self.path = path or data_dir() / _NAME

    def read(self) -> DevicesFile:
        """Everything that is remembered.

        Raises:
            InputRefused: the file is damaged, cannot be read, or is of a later format.
        """
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return DevicesFile()
        except OSError as error:
            raise InputRefused(
                f"What is remembered of phones, {self.path}, cannot be read ({error.strerror}); correct its "
                "permissions."
            ) from error
        return self._parse(content)

    def phone(self, serialno: str) -> RememberedPhone:
        """What is remembered of a phone; empty for a new one. Raises as `read`."""
        return self.read().phones.get(serialno, RememberedPhone())

    def change(self, serialno: str, change: Callable[[RememberedPhone], RememberedPhone]) -> RememberedPhone:
        """Change what is remembered of one phone, and nothing else; what is remembered now.

        Raises:
            UserError: the file is damaged or cannot be written; it is as it was.
        """
        with self._locked():
            file = self.read()
            before = file.phones.get(serialno, RememberedPhone())
            after = change(before)
            if after != before:
                self._write(file.model_copy(update={"phones": {**file.phones, serialno: after}}))
            return after

    def set_nickname(self, serialno: str, nickname: str | None) -> None:
        """Name a phone; None takes its name away.

        Raises:
            WrongUse: the name is no name, or another phone has it.
            UserError: as `change`.
        """
        name = None if nickname is None else valid_nickname(nickname)
        with self._locked():
            file = self.read()
            for other, phone in file.phones.items():
                taken = (phone.nickname or "").casefold() == name.casefold() if name is not None else False
                if other != serialno and (taken or other == name):
                    raise WrongUse(f"The phone {other} is already called '{name}'; choose another name.")
            named = file.phones.get(serialno, RememberedPhone()).model_copy(update={"nickname": name})
            self._write(file.model_copy(update={"phones": {**file.phones, serialno: named}}))

    def _parse(self, content: bytes) -> DevicesFile:
        advice = "; correct it, or delete it to forget nicknames and calibrations."
        try:
            raw = json.loads(content)
        except ValueError as error:
            raise InputRefused(
                f"What is remembered of phones, {self.path}, is no valid JSON{advice}"
            ) from error
        version = raw.get("format") if isinstance(raw, dict) else None
        if isinstance(version, int) and version > FORMAT:
            raise InputRefused(
                f"What is remembered of phones, {self.path}, was written by a later version of AS²D (format "
                f"{version}, this one knows {FORMAT}); use that version."
            )
        try:
            return DevicesFile.model_validate_json(content)
        except ValidationError as error:
            raise InputRefused(
                f"What is remembered of phones, {self.path}, is damaged ({first_problem(error)}){advice}"
            ) from error

    def _write(self, file: DevicesFile) -> None:
        try:
            write_atomically(self.path, file.model_dump_json(indent=1).encode() + b"\n")
        except OSError as error:
            raise storage_error(error, self.path, "what is remembered of phones") from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(
                self.path.with_name(f".{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644
            )
        except OSError as error:
            raise storage_error(error, self.path, "what is remembered of phones") from error
        try:
            self._wait_for_lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _wait_for_lock(self, descriptor: int) -> None:
        end = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise InputRefused(
                        f"What is remembered of phones, {self.path}, has been in use by another program for "
                        f"{_LOCK_SECONDS:.0f} s; end that program."
                    ) from None
                time.sleep(_POLL_SECONDS)
            else:
                return


def valid_nickname(text: str) -> str:
    """A nickname without the spaces around it.

    Raises:
        WrongUse: it is empty, too long, not printable, or has a meaning of its own.
    """
    name = " ".join(text.split())
    if not 0 < len(name) <= LONGEST_NICKNAME or not name.isprintable() or name.startswith("-"):
        raise WrongUse(
            f"A nickname has 1 to {LONGEST_NICKNAME} printable characters and does not begin with '-', "
            f"unlike '{text}'."
        )
    if name.casefold() in _RESERVED:
        raise WrongUse(f"'{name}' means something else where a device is named; choose another nickname.")
    return name
