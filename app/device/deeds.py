"""What the commands about devices do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from as2d.app.device import phone_deeds
from as2d.app.device.knowledge import Key
from as2d.app.operations.operation import Operation
from as2d.app.sentences import in_window
from as2d.app.translation import tr, tr_count
from as2d.backend.devices.phone import TransportKind

if TYPE_CHECKING:
    from as2d.app.device.measuring import BudgetChosen, Calibrated
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.calibration.plan import CalibrationPlan

BUDGET_REPEATS = 3


class DeviceDeeds(QObject):
    """All act on the device that the tab shows. `plan` measures less in tests; None: everything."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self.window = window
        self.plan: CalibrationPlan | None = None
        self.budget_repeats = BUDGET_REPEATS
        self.phone = phone_deeds.PhoneDeeds(self)

    @property
    def key(self) -> Key:
        """The device that is shown."""
        return self.window.device.current

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "device.use": self._use,
            "device.measure": self._measure,
            "device.budget": self._budget,
            "device.sensors": self._sensors,
            "device.refresh": self._refresh,
            "device.copy": self._copy,
            "device.stop": lambda: self.window.works.cancel(self.key),
            **self.phone.table(),
        }

    def follow(self) -> None:
        """What can be done depends on the device, and on what is being done."""
        window, key = self.window, self.key
        phone = window.device.phone_of(key)
        known, busy = window.knowledge.of(key), window.works.of(key) is not None
        ready = key is None or (phone is not None and phone.ready)
        quiet = ready and not busy and not window.decoding
        is_phone = key is not None
        network = (TransportKind.WIFI, TransportKind.TCP)
        for name, enabled in {
            "device.use": window.settings.current.decode.device != key,
            "device.measure": quiet,
            "device.budget": quiet,
            "device.sensors": ready and not busy,
            "device.refresh": ready,
            "device.copy": window.device.page() is not None,
            "device.stop": busy,
            "phone.reconnect": phone is not None and not busy,
            "phone.disconnect": phone is not None and any(way.kind in network for way in phone.transports),
            "phone.nickname": is_phone,
            "phone.push": is_phone and ready and not busy,
            "phone.clean": is_phone and quiet,
            "phone.cpus": is_phone and known.facts is not None,
            "phone.battery": is_phone,
            "phone.collect": is_phone and ready and bool(known.jobs) and not busy,
        }.items():
            window.registry.enable(name, enabled)

    def why_no_run(self) -> str | None:
        """Why no run may begin now on the device that decodes: it would spoil what is measured there."""
        key = self.window.settings.current.decode.device
        work = self.window.works.of(key)
        if work is None or not work.alone:
            return None
        return tr(
            "{device} is busy ({what}); run when that has ended, or cancel it in the Device tab.",
            device=self.window.device.name_of(key),
            what=work.title,
        )

    def work(
        self,
        title: str,
        work: Callable[[Operation], object],
        done: Callable[[object], None],
        key: Key,
        *,
        alone: bool = False,
    ) -> None:
        """Do long work at a device, `alone`: while no run goes on there; its failure is told, its cancel is
        noted.
        """
        operation = self.window.works.begin(key, title, work, done, alone=alone)
        if operation is not None:
            operation.failed.connect(lambda error: self.window.say("error", error.message))
            operation.cancelled.connect(
                lambda: self.window.log.say("note", tr("{what}: cancelled", what=title))
            )

    def _use(self) -> None:
        self.window.settings.change_decode(device=self.key)
        self.window.top_bar.show_settings()
        self.window.top_bar.changed.emit()

    def _measure(self) -> None:
        key, decode, plan = self.key, self.window.settings.current.decode, self.plan

        def work(operation: Operation) -> object:
            from as2d.app.device.measuring import measure_calls
            from as2d.backend.calibration.plan import CalibrationPlan

            return measure_calls(operation, key, decode, plan or CalibrationPlan())

        def done(result: object) -> None:
            calibrated: Calibrated = result  # type: ignore[assignment]
            self.window.knowledge.look_at_files(key)
            if calibrated.kept is None:
                text = tr_count(
                    calibrated.profile.repeats,
                    "What was measured before stays: it has {n} repeat.",
                    "What was measured before stays: it has {n} repeats.",
                )
                self.window.say("note", text)

        self.work(tr("Measuring"), work, done, key, alone=True)

    def _budget(self) -> None:
        key, decode, repeats = self.key, self.window.settings.current.decode, self.budget_repeats
        paths = self.window.studio.recordings.files()

        def work(operation: Operation) -> object:
            from as2d.app.device.measuring import choose_budget

            return choose_budget(operation, key, decode, paths, repeats)

        def done(result: object) -> None:
            chosen: BudgetChosen = result  # type: ignore[assignment]
            self.window.knowledge.look_at_files(key)
            self.window.follower.list_runs()
            for error in chosen.refused:
                self.window.log.say("error", in_window(error.message))

        self.work(tr("Choosing the budget"), work, done, key, alone=True)

    def _sensors(self) -> None:
        key = self.key

        def work(operation: Operation) -> object:
            from as2d.backend.devices.available import open_device
            from as2d.backend.devices.sensors import look_at_sensors

            return look_at_sensors(open_device(key, operation.cancel), operation.report, operation.cancel)

        self.work(
            tr("Reading the sensors"), work, lambda seen: self.window.knowledge.learn(key, seen=seen), key
        )

    def _refresh(self) -> None:
        self.window.knowledge.look(self.key)

    def _copy(self) -> None:
        page = self.window.device.page()
        if page is not None:
            QGuiApplication.clipboard().setText(page.as_text())
            self.window.status.show_idle(tr("What is known of the device was copied."))
