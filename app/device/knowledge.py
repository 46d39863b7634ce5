"""What the window knows of each device: asked for in the background, kept until it is asked again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from as2d.app.operations.operation import Operation, Operations
from as2d.app.settings.store import SettingsStore
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.device.phones import Phones
    from as2d.app.viewmodels.device_phone import JobRow
    from as2d.backend.devices.evidence import Measured
    from as2d.backend.devices.facts import PhoneFacts
    from as2d.backend.devices.phone_service import Contents
    from as2d.backend.devices.placement import Placement
    from as2d.backend.devices.report import ComputerReport
    from as2d.backend.devices.sensors import SensorsSeen
    from as2d.backend.energy.calibration import CurrentCalibration
    from as2d.backend.protocol.host_events import PhoneReading

Key = str | None
"""A device: None is this computer, else a phone by its id."""

_PULSE_MS = 15_000


@dataclass(frozen=True)
class Known:
    """Everything known of one device; None: not asked yet, or it does not tell. `problem`: why not."""

    report: ComputerReport | None = None
    facts: PhoneFacts | None = None
    reading: PhoneReading | None = None
    contents: Contents | None = None
    seen: SensorsSeen | None = None
    measured: Measured | None = None
    placed: Placement | None = None
    current: CurrentCalibration | None = None
    jobs: tuple[JobRow, ...] = ()
    problem: str | None = None

    @property
    def threads(self) -> int | None:
        """Threads of a target when nothing was said."""
        if self.report is not None:
            return self.report.threads
        return self.placed.threads if self.placed is not None else None

    @property
    def helper(self) -> str | None:
        """The build of the device's helper, where it was started."""
        if self.seen is not None:
            return self.seen.hello.build
        return self.report.helper if self.report is not None else None


class DeviceKnowledge(QObject):
    """Asks devices what they are. `changed` is emitted with the key of the device that is known better.

    `wanted` is the device that is looked at, `busy` says whether one works and should not be asked.
    """

    changed = Signal(object)

    def __init__(self, settings: SettingsStore, phones: Phones, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._phones = phones
        self._known: dict[Key, Known] = {}
        self._quiet = Operations(self)
        self._asked: set[tuple[str, Key]] = set()
        self._again: dict[tuple[str, Key], Callable[[], None]] = {}
        self.wanted: Callable[[], Key] = lambda: None
        self.busy: Callable[[Key], bool] = lambda _key: False
        self._pulse = QTimer(self)
        self._pulse.setInterval(_PULSE_MS)
        self._pulse.timeout.connect(self._take_pulse)

    def of(self, key: Key) -> Known:
        """What is known of a device."""
        return self._known.get(key, Known())

    @property
    def asking(self) -> bool:
        """Whether an answer is awaited."""
        return bool(self._asked)

    def learn(self, key: Key, **news: object) -> None:
        """Take over what was found out."""
        self._known[key] = replace(self.of(key), **news)  # type: ignore[arg-type]
        self.changed.emit(key)

    def look(self, key: Key) -> None:
        """Ask a device for everything that costs it little."""
        models = self._models()

        def ask(operation: Operation) -> object:
            from as2d.app.device import asking

            if key is None:
                return asking.ask_computer(models, operation.cancel)
            return asking.ask_phone(key, models, operation.cancel)

        self._ask("look", key, tr("Looking at the device"), ask, lambda: self.look(key))

    def look_at_files(self, key: Key) -> None:
        """Read again what was measured, without asking the device."""
        models = self._models()
        known = self.of(key)

        def ask(_operation: Operation) -> object:
            from as2d.app.device import asking

            return asking.ask_files(key, known, models)

        self._ask("files", key, tr("Reading what was measured"), ask, lambda: self.look_at_files(key))

    def watch(self, watched: bool) -> None:
        """Ask phones for battery and temperature from time to time, or no longer."""
        if watched:
            self._pulse.start()
        else:
            self._pulse.stop()

    def cancel(self) -> None:
        """Let all questions end, and ask nothing any more."""
        self._pulse.stop()
        self._quiet.cancel()

    def close(self, seconds: float) -> bool:
        """End asking, waiting for at most so long; whether all ended."""
        self.cancel()
        return self._quiet.close(seconds)

    def _take_pulse(self) -> None:
        for key in {self.wanted(), self._settings.current.decode.device}:
            if key is None or not any(phone.id == key and phone.ready for phone in self._phones.now):
                continue
            if self.busy(key):  # a question would disturb what is measured
                continue

            def ask(operation: Operation, key: str = key) -> object:
                from as2d.app.device import asking

                return asking.ask_reading(key, operation.cancel)

            self._ask("pulse", key, tr("Looking at the device"), ask)

    def _models(self) -> tuple[str, str | None]:
        decode = self._settings.current.decode
        return decode.target, decode.drafter

    def _ask(
        self,
        what: str,
        key: Key,
        title: str,
        ask: Callable[[Operation], object],
        again: Callable[[], None] | None = None,
    ) -> None:
        """Ask. By `again` it is asked once more if somebody wants to know while an answer is awaited: files,
        or the models that are chosen, may have changed since the question.
        """
        if (what, key) in self._asked:
            if again is not None:
                self._again[what, key] = again
            return
        self._asked.add((what, key))
        models = self._models()

        def answered(news: dict[str, object]) -> None:
            if models != self._models():  # of models that are not chosen any more
                news = {name: value for name, value in news.items() if name != "measured"}
                if again is not None and what != "files":
                    self.look_at_files(key)
            self.learn(key, **news)

        def ended() -> None:
            self._asked.discard((what, key))
            once_more = self._again.pop((what, key), None)
            if once_more is not None:
                once_more()

        operation = Operation(title, ask)
        operation.succeeded.connect(answered)
        if what == "look":  # the other questions are asked again by themselves
            operation.failed.connect(lambda error: self.learn(key, problem=error.message))
        operation.ended.connect(ended)
        self._quiet.start(operation)
