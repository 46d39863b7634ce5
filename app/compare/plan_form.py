"""The form of a comparison: what is run against what, where, how often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from as2d.app.compare.boxes import Boxes
from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.settings.store import SettingsStore
from as2d.app.translation import tr
from as2d.app.viewmodels.choices import Choice, devices, methods, models_for, preparings, start_conditions
from as2d.backend.errors import WrongUse
from as2d.backend.transcribe.methods import LARGEST_BUDGET, TARGET_ONLY

if TYPE_CHECKING:
    from as2d.backend.compare.plan import ComparePlan
    from as2d.backend.devices.phone import Phone
    from as2d.backend.protocol.ops import Preparing, Role, StartCondition

_MOST_REPEATS = 1000
_MOST_DIGITS = 9
_COLUMNS = 2


def _models(role: Role, also: Sequence[str | None]) -> list[Choice]:
    """The models of the catalogue that can take a role, and some that were chosen elsewhere."""
    found = [choice for choice in models_for(role, None) if choice.value]
    for value in dict.fromkeys(also):
        if value is not None and all(choice.value != value for choice in found):
            found.append(Choice(value, Path(value).name, value))
    return found


class PlanForm(QScrollArea):
    """Makes a plan of what is ticked; kept in the settings' `compare`."""

    changed = Signal()

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.methods = Boxes(tr("Methods"), _COLUMNS)
        self.devices = Boxes(tr("Devices"))
        self.targets = Boxes(tr("Targets"))
        self.drafters = Boxes(tr("Drafters"))
        self.starts = Boxes(tr("Drafting starts"))
        self.preparings = Boxes(tr("Windows are prepared"))
        self.budgets = QLineEdit()
        self.budgets.setToolTip(
            tr("The most candidates of a target call, several with commas: 3, 5, 8; not for SD (K = 5 to 8).")
        )
        self.repeats = QSpinBox()
        self.repeats.setRange(1, _MOST_REPEATS)
        self.repeats.setToolTip(tr("How often each method decodes each window, by turns."))
        self.twice = QCheckBox(tr("Target only twice"))
        self.twice.setToolTip(tr("A second target-only arm shows how much is noise."))
        self.hottest = QSpinBox()
        self.hottest.setRange(0, 80)
        self.hottest.setSuffix(" °C")
        self.hottest.setSpecialValueText(tr("any"))
        self.hottest.setToolTip(tr("A phone cools down to this before it decodes."))
        self.battery = QSpinBox()
        self.battery.setRange(0, 100)
        self.battery.setSuffix(" %")
        self.battery.setSpecialValueText(tr("any"))
        self.battery.setToolTip(tr("A phone's battery must hold at least so much."))
        self.note = QLabel()
        self.note.setObjectName("secondary")
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self._phones: Sequence[Phone] = ()
        self._filling = False
        self._arrange()
        pass_drops_on(self)
        self.show_choices()
        kept = settings.current.compare
        self.budgets.setText(", ".join(map(str, kept.budgets)))
        self.repeats.setValue(kept.repeats)
        self.twice.setChecked(kept.a_a)
        self.hottest.setValue(round(kept.hottest_c or 0))
        self.battery.setValue(kept.battery_percent or 0)
        for boxes in (
            self.methods,
            self.devices,
            self.targets,
            self.drafters,
            self.starts,
            self.preparings,
        ):
            boxes.changed.connect(self._keep)
        self.twice.toggled.connect(lambda _on: self._keep())
        self.budgets.editingFinished.connect(self._keep_budgets)
        self._kept_budgets = self.budgets.text()
        for spin in (self.repeats, self.hottest, self.battery):
            spin.valueChanged.connect(lambda _value: self._keep())

    def show_phones(self, phones: Sequence[Phone]) -> None:
        """The phones that can be chosen."""
        self._phones = phones
        self.show_choices()

    def show_choices(self) -> None:
        """Offer what there is now."""
        from as2d.backend.compare.plan import THIS_COMPUTER

        kept = self._settings.current.compare
        there = [
            Choice(choice.value or THIS_COMPUTER, choice.text, choice.detail, choice.usable)
            for choice in devices(self._phones, None)
        ]
        self.methods.show_choices(methods(), kept.methods)
        self.devices.show_choices(there, kept.devices)
        decode = self._settings.current.decode
        self.targets.show_choices(_models("target", (*kept.targets, decode.target)), kept.targets)
        self.drafters.show_choices(_models("drafter", (*kept.drafters, decode.drafter)), kept.drafters)
        self.starts.show_choices(start_conditions(), kept.start_conditions)
        self.preparings.show_choices(preparings(), kept.preparings)

    def plan(self, recordings: Sequence[Path], language: str | None) -> ComparePlan:
        """The plan that is asked for.

        Raises:
            WrongUse: something that is needed is missing, or a budget is none.
        """
        from pydantic import ValidationError

        from as2d.backend.compare.plan import ComparePlan, Gate
        from as2d.backend.problems import first_problem

        for boxes, text in (
            (self.methods, tr("Tick a method.")),
            (self.devices, tr("Tick a device.")),
            (self.targets, tr("Tick a target.")),
            (self.drafters, tr("Tick a drafter.")),
            (self.starts, tr("Tick when drafting starts.")),
            (self.preparings, tr("Tick how windows are prepared.")),
        ):
            if not boxes.chosen:
                raise WrongUse(text)
        if not recordings:
            raise WrongUse(tr("Add recordings to the list first: they are what is compared on."))
        try:
            return ComparePlan(
                # The first is what the others are held against.
                methods=tuple(sorted(self.methods.chosen, key=lambda method: method != TARGET_ONLY)),
                budgets=self._budgets(),
                start_conditions=cast("tuple[StartCondition, ...]", self.starts.chosen),
                preparings=cast("tuple[Preparing, ...]", self.preparings.chosen),
                targets=self.targets.chosen,
                drafters=self.drafters.chosen,
                devices=self.devices.chosen,
                recordings=tuple(dict.fromkeys(str(path) for path in recordings)),
                language=language,
                repeats=self.repeats.value(),
                a_a=self.twice.isChecked(),
                gate=Gate(
                    hottest_c=self.hottest.value() or None, battery_percent=self.battery.value() or None
                ),
            )
        except ValidationError as error:
            raise WrongUse(first_problem(error)) from error

    def show_plan(self, plan: ComparePlan) -> None:
        """Tick what a plan says, which is no change by the user."""
        self._filling = True
        try:
            self._fill(plan)
        finally:
            self._filling = False

    def _fill(self, plan: ComparePlan) -> None:
        for boxes, chosen in (
            (self.methods, plan.methods),
            (self.devices, plan.devices),
            (self.targets, plan.targets),
            (self.drafters, plan.drafters),
            (self.starts, plan.start_conditions),
            (self.preparings, plan.preparings),
        ):
            boxes.tick(cast("Sequence[str]", chosen))
        self.budgets.setText(", ".join(map(str, plan.budgets)))
        self._kept_budgets = self.budgets.text()
        self.repeats.setValue(plan.repeats)
        self.twice.setChecked(plan.a_a)
        self.hottest.setValue(round(plan.gate.hottest_c or 0))
        self.battery.setValue(plan.gate.battery_percent or 0)

    def _budgets(self) -> tuple[int, ...]:
        parts = [part for part in self.budgets.text().replace(",", " ").split() if part]
        if not parts or not all(part.isascii() and part.isdigit() for part in parts):
            raise WrongUse(tr("A budget is a whole number; write several with commas: 3, 5, 8."))
        if any(len(part) > _MOST_DIGITS or int(part) > LARGEST_BUDGET for part in parts):
            raise WrongUse(tr("A budget is at most {n}.", n=LARGEST_BUDGET))
        return tuple(dict.fromkeys(int(part) for part in parts))

    def _keep_budgets(self) -> None:
        """Qt tells of an end of editing also where the text was not written by the user."""
        if self.budgets.text() != self._kept_budgets:
            self._kept_budgets = self.budgets.text()
            self._keep()

    def _keep(self) -> None:
        if self._filling:
            return
        try:
            budgets = self._budgets()
        except WrongUse:
            budgets = self._settings.current.compare.budgets
        self._settings.change(
            compare={
                "methods": self.methods.chosen,
                "budgets": budgets,
                "start_conditions": self.starts.chosen,
                "preparings": self.preparings.chosen,
                "targets": self.targets.chosen,
                "drafters": self.drafters.chosen,
                "devices": self.devices.chosen,
                "repeats": self.repeats.value(),
                "a_a": self.twice.isChecked(),
                "hottest_c": self.hottest.value() or None,
                "battery_percent": self.battery.value() or None,
            }
        )
        self.changed.emit()

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(26)
        models = QVBoxLayout()
        models.setSpacing(8)
        models.addWidget(self.targets)
        models.addWidget(self.drafters)
        models.addStretch(1)
        top.addWidget(self.methods, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(models)
        where = QVBoxLayout()
        where.setSpacing(8)
        where.addWidget(self.devices)
        where.addWidget(self.preparings)
        where.addStretch(1)
        top.addLayout(where)
        top.addStretch(1)
        fields = QGridLayout()
        fields.setHorizontalSpacing(14)
        fields.setVerticalSpacing(2)
        for column, (caption, field) in enumerate(
            (
                (tr("Budgets"), self.budgets),
                (tr("Repeats"), self.repeats),
                (tr("Phones begin below"), self.hottest),
                (tr("Battery at least"), self.battery),
            )
        ):
            label = QLabel(caption)
            label.setObjectName("caption")
            label.setBuddy(field)
            field.setAccessibleName(caption)
            field.setMaximumWidth(130)
            fields.addWidget(label, 0, column)
            fields.addWidget(field, 1, column)
        fields.setRowStretch(2, 1)  # the captions stand in one row with that of the boxes
        bottom = QHBoxLayout()
        bottom.setSpacing(26)
        bottom.addWidget(self.starts, 0, Qt.AlignmentFlag.AlignTop)
        bottom.addLayout(fields)
        bottom.addStretch(1)
        inside = QWidget()
        inside.setObjectName("panel")
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(12)
        layout.addLayout(top)
        layout.addLayout(bottom)
        foot = QHBoxLayout()
        foot.setSpacing(26)
        foot.addWidget(self.twice)
        foot.addWidget(self.note, 1)
        layout.addLayout(foot)
        layout.addStretch(1)
        self.setWidget(inside)
