"""A group of choices with a box each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from as2d.app.plain import plain_tip
from as2d.app.viewmodels.choices import Choice


class Boxes(QWidget):
    """Choices with a box each, of which some are ticked."""

    changed = Signal()

    def __init__(self, caption: str, columns: int = 1) -> None:
        super().__init__()
        self._columns = columns
        self._boxes: dict[str, QCheckBox] = {}
        self._caption = QLabel(caption)
        self._caption.setObjectName("caption")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(0)
        self._grid.setHorizontalSpacing(10)
        self._grid.addWidget(self._caption, 0, 0, 1, columns)
        self._name = caption

    @property
    def chosen(self) -> tuple[str, ...]:
        """The values of those that are ticked, in their order."""
        return tuple(value for value, box in self._boxes.items() if box.isChecked())

    def show_choices(self, choices: Sequence[Choice], chosen: Sequence[str]) -> None:
        """Offer these, `chosen` ticked at first; boxes that are there already stay as they are, and one that
        is ticked is offered until it is not.
        """
        ticked = self.chosen if self._boxes else tuple(chosen)
        offered = {choice.value or "": choice for choice in choices}
        for value in ticked:
            offered.setdefault(value, _unknown(value))
        for value in [value for value in self._boxes if value not in offered]:
            box = self._boxes.pop(value)
            self._grid.removeWidget(box)
            box.hide()
            box.deleteLater()
        before = list(self._boxes)
        for value, choice in offered.items():
            self._show(value, choice, ticked=value in ticked)
        self._boxes = {value: self._boxes[value] for value in offered}
        if list(self._boxes) != before:
            self._lay_out()

    def _show(self, value: str, choice: Choice, *, ticked: bool) -> None:
        box = self._boxes.get(value)
        if box is None:
            box = self._boxes[value] = QCheckBox()
            box.setChecked(ticked)
            box.toggled.connect(lambda _on: self.changed.emit())
        box.setText(choice.text.replace("&", "&&"))
        box.setToolTip(plain_tip(choice.detail))
        box.setAccessibleName(f"{self._name}: {choice.text}")
        box.setEnabled(choice.usable or box.isChecked())

    def _lay_out(self) -> None:
        rows = -(-len(self._boxes) // self._columns)
        for place, box in enumerate(self._boxes.values()):
            self._grid.removeWidget(box)
            self._grid.addWidget(box, 1 + place % rows, place // rows)

    def tick(self, chosen: Sequence[str]) -> None:
        """Tick these and no others; what is not offered is from now on."""
        new = [value for value in chosen if value not in self._boxes]
        for value in new:
            self._show(value, _unknown(value), ticked=True)
        if new:
            self._lay_out()
        for value, box in self._boxes.items():
            box.setChecked(value in chosen)


def _unknown(value: str) -> Choice:
    """What was chosen elsewhere, or is away."""
    return Choice(value, Path(value).name, value)
