"""A phone that is none: the real adb server connects to it and finds a file tree, programs and sensors."""

from __future__ import annotations

import contextlib
import signal
import socket
import tempfile
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal

from tests.phone.standin import profile, root_tree, services, user_land
from tests.phone.standin.cable import Cable, CableCut, Direction
from tests.phone.standin.files import write_file
from tests.phone.standin.machine import Machine
from tests.phone.standin.phone_init import FIXTURES
from tests.phone.standin.sensors import Sensors
from tests.phone.standin.transport import Transport

Kind = Literal["device", "recovery", "sideload", "rescue", "bootloader"]


class StandIn:
    """Use it as a context manager; `address` is what `adb connect` takes.

    Args:
        named: a profile's name, or a profile.
        features: adb features instead of the profile's.
        serial: ro.serialno instead of the profile's, for two phones of one model.
        port: where it listens; 0 for a free port.
        disk_bytes: size of the disk below /data; None: as much as this computer has.
        authorized: False until the user accepts this computer (`authorize`).
        terminal_shell: a version-1 shell gets a terminal, so lines end with CR LF, as on old phones.
        kind: what the phone's daemon says it is.
    """

    def __init__(
        self,
        named: str | profile.Profile = "snapdragon",
        *,
        features: Sequence[str] | None = None,
        serial: str | None = None,
        port: int = 0,
        disk_bytes: int | None = None,
        authorized: bool = True,
        terminal_shell: bool = False,
        kind: Kind = "device",
    ) -> None:
        self.profile = profile.load(named) if isinstance(named, str) else named
        self.features = tuple(self.profile.features if features is None else features)
        self.kind = kind
        self.cable = Cable()
        self._terminal_shell = terminal_shell
        self._authorized = authorized
        self._silent = False
        self._lock = threading.RLock()
        self._power = threading.Lock()  # held while the phone starts or ends
        self._transports: list[Transport] = []
        self._listener: socket.socket | None = None
        self._accepting: threading.Thread | None = None
        self._closed = False
        self.properties = {**self.profile.properties, **({"ro.serialno": serial} if serial else {})}
        self._disk_bytes = disk_bytes
        self.port = port
        programs = user_land.ensure()
        self.root = Path(tempfile.mkdtemp(prefix="as2d-stand-in-"))
        self.machine = Machine(self.root, disk_bytes=disk_bytes)
        try:
            root_tree.make(self.root, self.profile, self.properties, programs)
            self.sensors = Sensors(self.root, self.profile)
            for path in self.profile.denied:
                root_tree.deny(self.root, path)
            self._set_boot_id()
            self.machine.start()
            self.machine.boot()
            self.boots = 1  # how often it was started
            self.plug_in()
        except BaseException:
            self.machine.close()
            raise

    @property
    def address(self) -> str:
        """What `adb connect` takes, and the phone's name in adb's list."""
        return f"127.0.0.1:{self.port}"

    @property
    def serial(self) -> str:
        """ro.serialno."""
        return self.properties["ro.serialno"]

    def _set_boot_id(self) -> None:
        write_file(self.root, f"{FIXTURES}/proc/boot_id", f"{uuid.uuid4()}\n")

    # What a connection asks (transport.Daemon).

    def banner(self) -> str:
        """What the phone says of itself."""
        told = "".join(
            f"{name}={self.properties.get(name, '')};"
            for name in ("ro.product.name", "ro.product.model", "ro.product.device")
        )
        return f"{self.kind}::{told}features={','.join(self.features)}"

    def admits(self) -> bool:
        """Whether the user has accepted this computer."""
        return self._authorized

    def answers(self) -> bool:
        """Whether the daemon says anything."""
        return not self._silent

    def open_service(self, name: str) -> socket.socket | None:
        """The host's end of a service's socket."""
        return services.open_service(
            name,
            self.machine,
            self.features,
            environment={"QEMU_CPU": self.profile.emulated_cpu, "QEMU_UNAME": self.profile.kernel},
            terminal_shell=self._terminal_shell,
            reboot=self.reboot,
            drop=self.drop,
        )

    # The cable.

    def plug_in(self) -> None:
        """The adb server can connect (again)."""
        with self._lock:
            if self._listener is None and not self._closed:
                self._listener = socket.create_server(("127.0.0.1", self.port))
                self.port = self._listener.getsockname()[1]
                self._accepting = threading.Thread(
                    target=self._accept, args=(self._listener,), name="stand-in listener", daemon=True
                )
                self._accepting.start()

    def unplug(self) -> None:
        """Every connection is cut and none can be made until `plug_in`."""
        with self._lock:
            listener, self._listener = self._listener, None
            if listener is not None:
                with contextlib.suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)
                listener.close()
        self.drop()

    def drop(self) -> None:
        """Every connection is cut; a new one can be made at once."""
        with self._lock:
            transports, self._transports = self._transports, []
        for transport in transports:
            transport.cut()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            transport = Transport(sock, self)
            with self._lock:
                if self._listener is not listener:
                    sock.close()
                    return
                self._transports = [*(t for t in self._transports if not t.is_over), transport]
            transport.start()

    def unplug_after(self, count: int, *, direction: Direction = "to_phone", service: str = "") -> None:
        """Unplugs when `count` further bytes of the services that start with `service` have passed."""
        self.cable.when(count, self.unplug, direction=direction, service=service)

    def stall_after(self, count: int, *, direction: Direction = "to_phone", service: str = "") -> None:
        """From then on nothing passes, though the connection stays, until `cable.resume`."""
        self.cable.when(count, self.cable.stall, direction=direction, service=service)

    # The user, and the daemon's moods.

    def authorize(self) -> None:
        """The user accepts this computer."""
        self._authorized = True
        with self._lock:
            transports = list(self._transports)
        for transport in transports:
            with contextlib.suppress(CableCut):
                transport.admit()

    def revoke(self) -> None:
        """The user takes the acceptance back; connections drop, and the next one has to ask."""
        self._authorized = False
        self.drop()

    def set_silent(self, silent: bool) -> None:
        """A silent daemon takes connections and says nothing: adb lists the phone as offline."""
        self._silent = silent
        self.drop()

    def fill_disk(self, leave_bytes: int) -> None:
        """Leaves so many bytes free below /data; only for a phone with a disk of its own (`disk_bytes`)."""
        if self._disk_bytes is None:
            raise ValueError("this stand-in has no disk of its own: give it disk_bytes")
        self.machine.fill_disk(leave_bytes)

    def empty_disk(self) -> None:
        """Takes back what `fill_disk` took."""
        self.machine.fill_disk(None)

    def files(self, path: str = "/data/local/tmp") -> dict[str, int]:
        """Size of every file below `path`."""
        return self.machine.files(path)

    def processes(self) -> dict[int, list[str]]:
        """Everything that runs on the phone besides its own first process: pid → command line."""
        return self.machine.processes()

    def kill(self, text: str, number: int = signal.SIGKILL) -> list[int]:
        """Signals every process whose command line contains `text`; returns their pids."""
        return self.machine.kill(text, number)

    def reboot(self) -> None:
        """Everything that runs dies, connections drop, and the phone comes back with another boot id."""
        with self._power:
            if self._closed:
                return
            self.unplug()
            self.machine.halt()
            self._set_boot_id()
            self.machine.boot()
            self.plug_in()
            self.boots += 1

    def close(self) -> None:
        """Ends everything; nothing is left, no process and no file."""
        with self._power:
            if self._closed:
                return
            self._closed = True
            with self._lock:
                transports = list(self._transports)
            self.unplug()
            self.sensors.close()
            self.machine.close()
        for transport in transports:
            transport.join()

    def __enter__(self) -> StandIn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
