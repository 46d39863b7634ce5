"""The cards of what the device is, of its numbers now, and of its sensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.device.cards import ActionButton, Card, FactGrid, clear, value_label
from as2d.app.translation import tr, tr_marked
from as2d.app.viewmodels.device_facts import Fact
from as2d.app.viewmodels.device_sensors import LiveState, Tile, sensor_name, tiles, unreadable
from as2d.app.viewmodels.sensors import plain_reason

if TYPE_CHECKING:
    from as2d.backend.devices.sensors import SensorRow

_TILES_A_ROW = 3


class _TileView(QWidget):
    """A live number with its unit above its caption."""

    def __init__(self) -> None:
        super().__init__()
        self._number = QLabel()
        self._number.setObjectName("tile")
        self._caption = QLabel()
        self._caption.setObjectName("note")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._number)
        column.addWidget(self._caption)

    def show_tile(self, tile: Tile) -> None:
        """Show these."""
        self._number.setText(f"{tile.value} {tile.unit}")
        self._caption.setText(f"{tile.name}, {tile.note}" if tile.note else tile.name)
        self.setAccessibleName(f"{tile.name}: {tile.value} {tile.unit}")


class LiveCard(Card):
    """Temperature, battery, power, clocks and memory as they are now."""

    def __init__(self) -> None:
        super().__init__(tr("Now"))
        self._views: list[_TileView] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(10)
        for column in range(_TILES_A_ROW):
            self._grid.setColumnStretch(column, 1)
        self.body.addLayout(self._grid)

    def show_state(self, state: LiveState, *, live: bool) -> bool:
        """Show the newest numbers; whether there are any. `live`: a run goes on."""
        found = tiles(state)
        while len(self._views) < len(found):
            view = _TileView()
            place = len(self._views)
            self._grid.addWidget(view, place // _TILES_A_ROW, place % _TILES_A_ROW, Qt.AlignmentFlag.AlignTop)
            self._views.append(view)
        for place, view in enumerate(self._views):
            view.setVisible(place < len(found))
            if place < len(found):
                view.show_tile(found[place])
        self.say(tr("Live, from the run that goes on.") if live else "")
        return bool(found)


class FactsCard(Card):
    """What the device is."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.facts = FactGrid()
        self.body.addWidget(self.facts)

    def show_facts(self, facts: Sequence[Fact], sentence: str = "") -> None:
        """Show these, below a sentence."""
        self.say(sentence)
        self.facts.show_facts(facts)


class SensorsCard(Card):
    """Which sensors can be read, and why others cannot."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__(tr("Sensors"), [ActionButton(registry.action("device.sensors"), tr("Read"))])
        self.facts = FactGrid()
        self._missing_title = QLabel(tr("Cannot be read"))
        self._missing_title.setObjectName("subtitle")
        self._missing = QVBoxLayout()
        self._missing.setSpacing(6)
        self._rows: Sequence[SensorRow] | None = None
        self.body.addWidget(self.facts)
        self.body.addWidget(self._missing_title)
        self.body.addLayout(self._missing)
        self.show_rows(None)

    def show_rows(self, rows: Sequence[SensorRow] | None) -> None:
        """Show these; None: nobody has looked yet."""
        if rows is not None and rows == self._rows:
            return
        self._rows = rows
        clear(self._missing)
        told = [row for row in rows or () if row.value is not None]
        missing = unreadable(rows or ())
        self.facts.show_facts([Fact(sensor_name(row), row.value or "") for row in told])
        self._missing_title.setVisible(bool(missing))
        for names, reason in missing:
            cell = QWidget()
            column = QVBoxLayout(cell)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(value_label(names))
            plain = plain_reason(reason)
            column.addWidget(value_label(tr_marked(plain), "note"))
            if plain != reason:  # as the system says it, for a report
                column.addWidget(value_label(reason, "note"))
            self._missing.addWidget(cell)
        if rows is None:
            self.say(tr("Nobody has looked yet. Reading starts the helper on the device for a moment."))
        else:
            self.say("")
