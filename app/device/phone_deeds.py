"""What the commands about phones do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox

from as2d.app.device.dialogs import BatteryDialog, CpusDialog, NicknameDialog
from as2d.app.device.pairing_dialog import PairingDialog
from as2d.app.operations.operation import Operation
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.device_facts import state_sentence
from as2d.app.viewmodels.sizes import size_text
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.app.device.deeds import DeviceDeeds
    from as2d.backend.devices.phone_service import Tried


class PhoneDeeds:
    """All act on the phone that the Device tab shows, by the backend's `PhoneService`."""

    def __init__(self, deeds: DeviceDeeds) -> None:
        self._deeds = deeds

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "phone.add": self._add,
            "phone.reconnect": self._reconnect,
            "phone.disconnect": self._disconnect,
            "phone.nickname": self._nickname,
            "phone.push": self._push,
            "phone.clean": self._clean,
            "phone.cpus": self._cpus,
            "phone.battery": self._battery,
            "phone.collect": self.collect,
        }

    @property
    def _key(self) -> str:
        return self._deeds.key or ""

    @property
    def _label(self) -> str:
        phone = self._deeds.window.device.phone_of(self._key)
        return phone.name if phone is not None else self._key

    def _add(self) -> None:
        window = self._deeds.window
        if not window.settings.current.look_for_phones:
            window.settings.change(look_for_phones=True)
        window.phones.watch(True)
        window.docks.show("device")
        PairingDialog(window.studio.operations, window.device.choose, window).open()

    def _reconnect(self) -> None:
        key, label = self._key, self._label

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            return PhoneService().reconnect(key, operation.cancel)

        def done(result: object) -> None:
            tried: list[Tried] = result  # type: ignore[assignment]
            if any(one.phone is not None and one.phone.ready for one in tried):
                self._deeds.window.status.show_idle(tr("{phone} is ready.", phone=label))
                return
            one = next((one.phone for one in tried if one.phone is not None), None)
            told = (
                state_sentence(one)
                if one is not None
                else tr("{phone} is not connected any more; connect it again.", phone=label)
            )
            self._deeds.window.say("error", told)

        self._deeds.work(tr("Reconnecting {phone}", phone=label), work, done, key)

    def _disconnect(self) -> None:
        key, label = self._key, self._label

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            return PhoneService().disconnect(key, operation.cancel)

        self._deeds.work(tr("Disconnecting {phone}", phone=label), work, lambda _serials: None, key)

    def _nickname(self) -> None:
        from as2d.backend.devices.remembered import RememberedDevices

        window, key = self._deeds.window, self._key
        phone = window.device.phone_of(key)
        dialog = NicknameDialog(self._label, phone.nickname if phone is not None else None, window)

        def keep() -> None:
            RememberedDevices().set_nickname(key, dialog.name.text().strip() or None)
            # The list of phones tells names when it is made anew.
            window.phones.watch(False)
            window.phones.watch(True)

        dialog.on_accept(keep)
        dialog.open()

    def _push(self) -> None:
        window, key = self._deeds.window, self._key
        decode = window.settings.current.decode
        models = [decode.target, *([decode.drafter] if decode.drafter is not None else [])]

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            service = PhoneService()
            service.push(key, models, operation.report, operation.cancel)
            return service.contents(key, operation.cancel)

        def done(contents: object) -> None:
            window.knowledge.learn(key, contents=contents)
            window.status.show_idle(tr("Everything that decoding needs is on the phone."))

        self._deeds.work(tr("Pushing"), work, done, key)

    def _clean(self) -> None:
        window, key = self._deeds.window, self._key
        contents = window.knowledge.of(key).contents
        text = tr("Delete everything of AS²D on the phone {phone}?", phone=self._label)
        more = []
        if contents is not None and contents.size:
            more.append(
                tr("{size} are deleted; the next run pushes them again.", size=size_text(contents.size))
            )
        jobs = contents.jobs if contents is not None else ()
        if jobs:
            more.append(
                tr_count(
                    len(jobs),
                    "{n} job that was not collected is lost with what it has done.",
                    "{n} jobs that were not collected are lost with what they have done.",
                )
            )
        box = QMessageBox(QMessageBox.Icon.Warning, tr("Clean the phone"), text, parent=window)
        box.setInformativeText("\n".join(more))
        delete = box.addButton(tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.buttonClicked.connect(
            lambda button: self._clean_now(key, jobs=bool(jobs)) if button is delete else None
        )
        box.finished.connect(box.deleteLater)
        box.open()

    def _clean_now(self, key: str, *, jobs: bool) -> None:
        window = self._deeds.window

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            service = PhoneService()
            service.clean(key, operation.cancel, jobs=jobs)
            return service.contents(key, operation.cancel)

        def done(contents: object) -> None:
            left = () if jobs else window.knowledge.of(key).jobs
            window.knowledge.learn(key, contents=contents, jobs=left)

        self._deeds.work(tr("Cleaning"), work, done, key, alone=True)

    def _cpus(self) -> None:
        from as2d.backend.devices.cpu_choice import cpus_text, keep_cpus, parse_cpus
        from as2d.backend.devices.placement import placement
        from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices

        window, key = self._deeds.window, self._key
        facts = window.knowledge.of(key).facts
        automatic = placement(facts.clusters) if facts is not None else None
        if facts is None or automatic is None:
            window.say("note", tr("The phone does not tell which processors it has."))
            return
        try:
            now = RememberedDevices().phone(key).cpus or CpuPlacement()
        except UserError as error:
            window.say("error", error.message)
            return
        clusters = [
            tr("{cpus}: {core}", cpus=cpus_text(cluster.cpus), core=cluster.core or tr("core"))
            for cluster in facts.clusters
        ]
        dialog = CpusDialog(
            clusters,
            (cpus_text(automatic.target_cpus), cpus_text(automatic.drafter_cpus)),
            (cpus_text(now.target or ()), cpus_text(now.drafter or ())),
            window,
        )
        known = {cpu for cluster in facts.clusters for cpu in cluster.cpus}

        def keep() -> None:
            target, drafter = dialog.target.text().strip(), dialog.drafter.text().strip()
            chosen = CpuPlacement(
                target=parse_cpus(target, known) if target else None,
                drafter=parse_cpus(drafter, known) if drafter else None,
            )
            keep_cpus(key, chosen)
            window.knowledge.look_at_files(key)

        dialog.on_accept(keep)
        dialog.open()

    def _battery(self) -> None:
        from as2d.backend.devices.battery_memory import keep_current
        from as2d.backend.energy.calibration import given_calibration

        window, key = self._deeds.window, self._key
        current = window.knowledge.of(key).current
        given = current if current is not None and current.confidence == "given" else None
        dialog = BatteryDialog(
            given.unit if given is not None else None,
            given.discharging_sign if given is not None else None,
            window,
        )

        def keep() -> None:
            unit = dialog.unit.currentData()
            keep_current(
                key, given_calibration(unit, dialog.sign.currentData()) if unit is not None else None
            )
            window.knowledge.look_at_files(key)

        dialog.on_accept(keep)
        dialog.open()

    def collect(self, name: str | None = None) -> None:
        """Fetch what a job has done, by default the first, and show it as a run; one that goes on is asked
        about first.
        """
        window, key = self._deeds.window, self._key
        jobs = window.knowledge.of(key).jobs
        job = next((job for job in jobs if name in (None, job.job)), None)
        if job is None:
            return
        if job.state is None or not job.state.running:
            self._collect_now(key, job.job)
            return
        text = tr(
            "The phone has done {done} of {n} windows and goes on.", done=job.state.results, n=job.windows
        )
        box = QMessageBox(QMessageBox.Icon.Question, tr("Collect"), text, parent=window)
        box.setInformativeText(tr("Collecting now ends the job and takes what there is."))
        stop = box.addButton(tr("End it and collect"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(tr("Let it go on"), QMessageBox.ButtonRole.RejectRole))
        box.buttonClicked.connect(lambda button: self._collect_now(key, job.job) if button is stop else None)
        box.finished.connect(box.deleteLater)
        box.open()

    def _collect_now(self, key: str, name: str) -> None:
        window = self._deeds.window

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService
            from as2d.backend.jobs.collecting import collect
            from as2d.backend.jobs.job import JobStore

            device = PhoneService().device(key, operation.cancel)
            return collect(JobStore().find(name), device, (), operation.cancel)

        def done(result: object) -> None:
            window.follower.list_runs()
            window.knowledge.look(key)
            folder: Path = result.run_folder  # type: ignore[attr-defined]
            for failure in result.failures:  # type: ignore[attr-defined]
                window.say("error", failure)
            window.studio.open_run(folder)

        self._deeds.work(tr("Collecting"), work, done, key)
