"""Brings what a run says of its device to the chip in the top bar and to the Device tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from as2d.app.device.knowledge import Key
from as2d.app.translation import tr
from as2d.app.viewmodels.device_facts import state_sentence, state_word
from as2d.app.viewmodels.device_sensors import LiveState, chip_text, watts_now

if TYPE_CHECKING:
    from as2d.app.viewmodels.run import RunViewModel
    from as2d.app.viewmodels.sustained import LongRunModel
    from as2d.app.window.main_window import StudioWindow


class DeviceLive(QObject):
    """Follows the run, the phones and what is known of them."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self._seen: tuple[object, ...] = ()
        self._paused = False
        self._told = ""
        self._ran_on: list[Key] = []
        window.studio.updated.connect(self.follow)
        window.studio.running_changed.connect(lambda _running: self.follow())
        window.long_runs.updated.connect(self.follow)
        window.comparisons.running_changed.connect(lambda _running: self.follow())
        window.phones.changed.connect(self.follow)
        window.knowledge.changed.connect(lambda _key: self.follow())
        window.top_bar.changed.connect(self.follow)

    def follow(self) -> None:
        """Bring chip and tab up to date."""
        window = self._window
        live = window.studio.live or window.long_runs.live
        key: Key = window.settings.current.decode.device
        running_on = live.device if live is not None else key
        seen = (
            live.telemetry if live is not None else None,
            live.reading if live is not None else None,
            live.paused if live is not None else None,
            live is not None,
            window.comparisons.running,
            window.phones.now,
            window.knowledge.of(running_on).reading,
            key,
        )
        if all(one is other for one, other in zip(seen[:-1], self._seen[:-1], strict=False)) and (
            self._seen and seen[-1] == self._seen[-1]
        ):
            return
        self._seen = seen
        self._tell_pause(live)
        state = LiveState(reading=window.knowledge.of(running_on).reading)
        if live is not None:
            watts = watts_now(live.timeline.sensors)
            state = LiveState(live.telemetry, live.reading or state.reading, watts)
            window.device.show_live(running_on, state, live=live.telemetry is not None)
            self._ran_on = [running_on]
        else:
            for ran_on in self._ran_on:
                before = LiveState(reading=window.knowledge.of(ran_on).reading)
                window.device.show_live(ran_on, before, live=False)
            self._ran_on = []
        self._show_chip(running_on, live, state)

    def _show_chip(self, key: Key, live: RunViewModel | LongRunModel | None, state: LiveState) -> None:
        chip = self._window.top_bar.chip
        phone = self._window.device.phone_of(key)
        if key is None and not chip_text(state):
            chip.hide()
        elif live is not None and live.paused:
            chip.show_state(tr("paused, away"), "bad", state, self._pause_sentence(live))
        elif live is not None:
            chip.show_state(tr("decoding"), "busy", state, "")
        elif self._window.comparisons.running:
            chip.show_state(tr("comparing"), "busy", state, "")
        elif key is None or (phone is not None and phone.ready):
            chip.show_state(tr("ready"), "good", state, "")
        else:
            sentence = (
                state_sentence(phone)
                if phone is not None
                else tr("It is not connected; plug it in, or choose another device.")
            )
            chip.show_state(state_word(phone), "bad", state, sentence)

    def _tell_pause(self, live: RunViewModel | LongRunModel | None) -> None:
        """Say once that the run waits, and once that it goes on."""
        paused = live is not None and live.paused
        if paused == self._paused:
            return
        self._paused = paused
        if live is not None and paused:
            self._told = self._pause_sentence(live)
            self._window.say("note", self._told)
            return
        self._window.message_bar.take_back(self._told)
        if live is not None:
            self._window.log.say("note", tr("The device is back; the run goes on."))

    def _pause_sentence(self, live: RunViewModel | LongRunModel) -> str:
        return tr(
            "The run is paused: {device} is away. Connect it again and the run goes on by itself.",
            device=self._window.device.name_of(live.device),
        )
