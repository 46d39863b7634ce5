"""The page of one device: its name and state, what is being done to it, and its cards."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.cards import ActionButton, Card, CardFlow, value_label
from as2d.app.device.cost_card import CostCard
from as2d.app.device.evidence_cards import BudgetCard, GuardCard
from as2d.app.device.knowledge import Key, Known
from as2d.app.device.phone_cards import BatteryCard, JobsCard, PlacementCard, StorageCard
from as2d.app.device.state_cards import FactsCard, LiveCard, SensorsCard
from as2d.app.device.work import Work, WorkBar
from as2d.app.sentences import in_window
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_facts import (
    Fact,
    computer_facts,
    phone_facts,
    state_sentence,
    state_word,
    ways_text,
)
from as2d.app.viewmodels.device_sensors import LiveState
from as2d.backend.devices.evidence import Measured
from as2d.backend.devices.phone import Phone
from as2d.backend.devices.sensors import sensor_rows


class DevicePage(QWidget):
    """Shows what is known of one device."""

    def __init__(
        self,
        key: Key,
        theme: Theme,
        registry: CommandRegistry,
        cancel: Callable[[], None],
        collect: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.key = key
        self._known = Known()
        self._phone: Phone | None = None
        self.name = QLabel()
        self.name.setObjectName("heading")
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.state = QLabel()
        self.state.setObjectName("badge")
        self.sentence = value_label("", "secondary")
        names = ["device.use"] if key is None else ["device.use", "phone.reconnect", "phone.disconnect"]
        self.buttons = [ActionButton(registry.action(name), comes_and_goes=True) for name in names]
        if key is not None:
            self.buttons.append(ActionButton(registry.action("phone.nickname"), tr("Nickname …")))
        self.work = WorkBar(cancel)
        self.live = LiveCard()
        self.facts = FactsCard(tr("Hardware"))
        self.costs = CostCard(theme, registry)
        self.budget = BudgetCard(theme, registry)
        self.guard = GuardCard()
        self.sensors = SensorsCard(registry)
        cards: list[Card] = [self.live, self.facts, self.costs, self.budget, self.guard, self.sensors]
        if key is not None:
            self.placement = PlacementCard(theme, registry)
            self.battery = BatteryCard(registry)
            self.storage = StorageCard(registry)
            self.jobs = JobsCard(collect)
            cards[3:3] = [self.placement]
            cards += [self.battery, self.storage, self.jobs]
        else:
            self.no_phone = FactsCard(tr("No phone is connected"))
            self.no_phone.hide()
            cards.append(self.no_phone)
        self.flow = CardFlow()
        self._arrange()
        self.live.hide()
        self.flow.set_cards(cards)

    def show_phone(self, phone: Phone | None) -> None:
        """Show the phone's state; None: it is away. Not for this computer."""
        self._phone = phone
        if phone is not None:
            self.name.setText(phone.name)
        self.state.setText(state_word(phone))
        ready = phone is not None and phone.ready
        self.state.setProperty("tone", "good" if ready else "bad")
        self.state.style().unpolish(self.state)
        self.state.style().polish(self.state)
        self._show_facts()

    def show_known(self, known: Known, budget: int | None) -> None:
        """Show what is known; `budget`: the one that the user set, None: none."""
        self._known = known
        measured = known.measured or Measured()
        self._show_facts()
        self.costs.show_measured(known.measured)
        self.budget.show_measured(measured, known.threads, budget)
        self.guard.show_measured(measured, known.helper, known.threads)
        seen = known.seen
        self.sensors.show_rows(sensor_rows(seen.telemetry, known.reading) if seen is not None else None)
        if self.key is not None:
            facts = known.facts
            self.placement.setVisible(facts is not None)
            self.placement.show_placement(facts.clusters if facts is not None else (), known.placed)
            self.battery.show_calibration(known.current)
            self.storage.show_contents(known.contents)
            self.jobs.setVisible(bool(known.jobs))
            self.jobs.show_jobs(known.jobs)
        self.flow.arrange()

    def show_no_phone(self, sentence: str | None) -> None:
        """Say why there is no phone, and how to get one; None: there is one. Only for this computer."""
        shown = sentence is not None
        self.no_phone.show_facts((), sentence or "")
        if self.no_phone.isHidden() == shown:
            self.no_phone.setVisible(shown)
            self.flow.arrange()

    def show_live(self, state: LiveState, *, live: bool) -> None:
        """Show the newest numbers."""
        hidden = self.live.isHidden()
        any_told = self.live.show_state(state, live=live)
        self.live.setVisible(any_told)
        if hidden == any_told:
            self.flow.arrange()

    def show_work(self, work: Work | None) -> None:
        """Show what is being done to the device."""
        self.work.show_work(work)

    def as_text(self) -> str:
        """Everything that is shown, for a report."""
        lines = [f"{self.name.text()} ({self.state.text()})"]
        for card in self.flow.cards:
            if card.isHidden():
                continue
            lines += ["", f"# {card.title}"]
            lines += [label.text() for label in card.findChildren(QLabel)[1:] if label.text()]
        return "\n".join(lines) + "\n"

    def _show_facts(self) -> None:
        known = self._known
        if self.key is None:
            report = known.report
            self.name.setText(tr("This computer"))
            problem = report.problem if report is not None else None
            self.state.setText(tr("no helper") if problem else tr("ready"))
            self.state.setProperty("tone", "bad" if problem else "good")
            self._say(problem or known.problem or "")
            wait = tr("It is being asked …") if report is None and known.problem is None else ""
            self.facts.show_facts(computer_facts(report) if report is not None else [], wait)
            return
        self._say(
            tr("It is not connected. Plug it in, or connect it; what is known of it stays here.")
            if self._phone is None
            else state_sentence(self._phone) or known.problem or ""
        )
        facts = phone_facts(known.facts) if known.facts is not None else []
        if self._phone is not None:
            facts.append(Fact(tr("Connected by"), ways_text(self._phone)))
            facts.append(Fact(tr("Serial number"), self._phone.id))
        ready = self._phone is not None and self._phone.ready
        asked = ready and known.facts is None and known.problem is None
        self.facts.show_facts(facts, tr("It is being asked …") if asked else "")

    def _say(self, sentence: str) -> None:
        self.sentence.setText(in_window(sentence))
        self.sentence.setVisible(bool(sentence))

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 4)
        head.setSpacing(10)
        head.addWidget(self.name)
        head.addWidget(self.state)
        head.addStretch(1)
        for button in self.buttons:
            head.addWidget(button)
        words = QVBoxLayout()
        words.setContentsMargins(16, 0, 16, 4)
        words.addWidget(self.sentence)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(tr("What is known of the device"))
        scroll.setWidget(self.flow)
        scroll.viewport().setObjectName("page")
        self.scroll_area = scroll
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(words)
        layout.addWidget(self.work)
        layout.addWidget(scroll, 1)
