"""The cards that only phones have: processors, battery, what is on the phone, and what it does alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.cards import ActionButton, Card, FactGrid, clear, value_label
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.device_battery import battery_view
from as2d.app.viewmodels.device_phone import (
    Core,
    JobRow,
    cores,
    is_empty,
    placement_facts,
    storage_facts,
)

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from as2d.backend.devices.phone_service import Contents
    from as2d.backend.devices.placement import Cluster, Placement
    from as2d.backend.energy.calibration import CurrentCalibration

_CORE = 34
_GAP = 6
_LETTERS = {"target": "T", "drafter": "D", "both": "TD", "free": ""}


class CoreRow(QWidget):
    """Every processor as a square with its number and a letter for what runs on it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cores: Sequence[Core] = ()
        self.setFixedHeight(_CORE + 2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_cores(self, found: Sequence[Core]) -> None:
        """Draw these."""
        self._cores = found
        parts = [f"{core.cpu} {core.role}" for core in found]
        self.setAccessibleName(tr("Processors: {list}", list=", ".join(parts)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw the squares."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, data = self._theme.colours, self._theme.data
        fills = {"target": data["target-only"], "drafter": data["draft"], "both": data["target-only"]}
        font = painter.font()
        for core, place in zip(self._cores, self._places(), strict=True):
            fill = fills.get(core.role)
            painter.setPen(QColor(fill or colours.control_border))
            painter.setBrush(QColor(fill or colours.surface))
            painter.drawRoundedRect(place, 5, 5)
            dark = fill is not None and QColor(fill).lightnessF() < 0.5
            ink = "#ffffff" if dark else "#10141a" if fill is not None else colours.secondary
            painter.setPen(QColor(ink))
            font.setPixelSize(13)
            font.setBold(True)
            painter.setFont(font)
            letters = _LETTERS[core.role]
            number = place.adjusted(0, 2, 0, -12 if letters else -2)
            painter.drawText(number, Qt.AlignmentFlag.AlignCenter, str(core.cpu))
            font.setPixelSize(10)
            font.setBold(False)
            painter.setFont(font)
            painter.drawText(place.adjusted(0, 16, 0, -1), Qt.AlignmentFlag.AlignCenter, letters)

    def event(self, event: QEvent) -> bool:
        """Say which core it is."""
        if isinstance(event, QHelpEvent):
            for core, place in zip(self._cores, self._places(), strict=True):
                if place.contains(event.pos().toPointF()):
                    QToolTip.showText(event.globalPos(), core.tip, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _places(self) -> list[QRectF]:
        """Squares side by side; a wider gap between kinds of cores."""
        found, x, before = [], 1.0, None
        kinds = len({core.cluster for core in self._cores})
        room = self.width() - 2 - _GAP * (len(self._cores) + kinds - 2)
        side = max(min(_CORE, room / max(len(self._cores), 1)), 16.0)
        for core in self._cores:
            if before is not None and core.cluster != before:
                x += _GAP
            found.append(QRectF(x, 1, side, _CORE))
            x += side + _GAP
            before = core.cluster
        return found


class PlacementCard(Card):
    """Which processors target and drafter run on."""

    def __init__(self, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__(tr("Processors"), [ActionButton(registry.action("phone.cpus"), tr("Change"))])
        self.row = CoreRow(theme)
        self.facts = FactGrid()
        self.body.addWidget(self.row)
        self.body.addWidget(self.facts)

    def show_placement(self, clusters: Sequence[Cluster], placed: Placement | None) -> None:
        """Show this; None: the phone does not tell its processors."""
        self.row.setVisible(placed is not None)
        self.facts.setVisible(placed is not None)
        if placed is None:
            self.say(tr("The phone does not tell which processors it has."))
            return
        self.say("")
        self.row.show_cores(cores(clusters, placed))
        self.facts.show_facts(placement_facts(placed))


class BatteryCard(Card):
    """What the battery's current means."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__(
            tr("Battery current"), [ActionButton(registry.action("phone.battery"), tr("Change"))]
        )
        self.facts = FactGrid()
        self.evidence = value_label("", "note")
        self.body.addWidget(self.facts)
        self.body.addWidget(self.evidence)

    def show_calibration(self, calibration: CurrentCalibration | None) -> None:
        """Show what is known; None: nothing."""
        view = battery_view(calibration)
        self.say(
            "" if view.known else tr("Not known yet, so power has no watts: a run on battery finds it out.")
        )
        self.facts.show_facts(view.facts)
        self.evidence.setText("\n".join(view.evidence))
        self.evidence.setVisible(bool(view.evidence))


class StorageCard(Card):
    """What of ours is on the phone."""

    def __init__(self, registry: CommandRegistry) -> None:
        buttons = [
            ActionButton(registry.action("phone.push"), tr("Push")),
            ActionButton(registry.action("phone.clean"), tr("Clean …")),
        ]
        super().__init__(tr("On the phone"), buttons)
        self.facts = FactGrid()
        self.body.addWidget(self.facts)

    def show_contents(self, contents: Contents | None) -> None:
        """Show this; None: it is not known."""
        if contents is None:
            self.say(tr("It is looked at when the phone is ready."))
            self.facts.show_facts(())
            return
        self.say(
            tr("Nothing of AS²D is on it. The first run brings what it needs; Push does so ahead of time.")
            if is_empty(contents)
            else ""
        )
        self.facts.show_facts(storage_facts(contents))


class JobsCard(Card):
    """What the phone does on its own."""

    def __init__(self, collect: Callable[[str], None]) -> None:
        super().__init__(tr("Jobs of its own"))
        self._collect = collect
        self._rows: Sequence[JobRow] | None = None
        self.list = QVBoxLayout()
        self.list.setSpacing(8)
        self.body.addLayout(self.list)

    def show_jobs(self, rows: Sequence[JobRow]) -> None:
        """Show these, each with its button."""
        if rows == self._rows:
            return
        self._rows = rows
        clear(self.list)
        for job in rows:
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            words = QVBoxLayout()
            words.setSpacing(0)
            words.addWidget(QLabel(job.text))
            words.addWidget(value_label(f"{job.job} · {job.sent}", "note"))
            row.addLayout(words, 1)
            button = QPushButton(tr("Collect"))
            button.setObjectName("small")
            button.setAccessibleName(tr("Collect the job {job}", job=job.job))
            button.clicked.connect(lambda _checked=False, name=job.job: self._collect(name))
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
            self.list.addWidget(line)
