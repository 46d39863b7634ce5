"""The bar above the panels: what decodes, how, and Run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.commands.run_button import RunButton
from as2d.app.device.chip import DeviceChip
from as2d.app.device.picker import DevicePicker
from as2d.app.elided import ElidedComboBox
from as2d.app.plain import plain_tip
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.choices import Choice, devices, methods, models_for, start_conditions
from as2d.backend.transcribe.methods import LARGEST_BUDGET, TARGET_ONLY

if TYPE_CHECKING:
    from as2d.backend.devices.phone import Phone

_AUTOMATIC = -1


class TopBar(QWidget):
    """Shows and changes `DecodeSettings`; a run that is going on keeps those it was begun with."""

    changed = Signal()

    def __init__(self, settings: SettingsStore, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._settings = settings
        self._registry = registry
        self._phones: Sequence[Phone] = ()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(12, 7, 12, 9)
        self._layout.setSpacing(10)
        self.device = self._picker(tr("Device"), "device", DevicePicker(theme))
        self.target = self._picker(tr("Target"), "target")
        self.drafter = self._picker(tr("Drafter"), "drafter")
        self.method = self._picker(tr("Method"), "method")
        self.budget = QSpinBox()
        self.budget.setRange(_AUTOMATIC, LARGEST_BUDGET)
        self.budget.setSpecialValueText(tr("automatic"))
        self.budget.setToolTip(tr("The most candidates that one target call may carry."))
        self.budget.valueChanged.connect(self._budget_changed)
        self._place(tr("Budget"), self.budget)
        self.start = self._picker(tr("Drafting starts"), "start_condition")
        self.chip = DeviceChip()
        self._layout.addWidget(self.chip)
        self._layout.addStretch(1)
        words = plain_name(registry.action("run.cancel").text()), tr("Cancelling …")
        self.run = RunButton(theme, registry, "run.start", "run.cancel", words)
        self.run.setMinimumHeight(34)
        self._layout.addWidget(self.run, 0, Qt.AlignmentFlag.AlignBottom)
        self.show_settings()

    def show_phones(self, phones: Sequence[Phone]) -> None:
        """The phones that can be chosen."""
        self._phones = phones
        self._fill(self.device, devices(phones, self._settings.current.decode.device), "device")

    def show_settings(self) -> None:
        """Show what is chosen now."""
        decode = self._settings.current.decode
        self._fill(self.device, devices(self._phones, decode.device), "device")
        self.show_models()
        self._fill(self.method, methods(), "method")
        self._fill(self.start, start_conditions(), "start_condition")
        self.budget.blockSignals(True)
        self.budget.setValue(_AUTOMATIC if decode.budget is None else decode.budget)
        self.budget.blockSignals(False)
        self._enable()

    def show_models(self) -> None:
        """The models that can be chosen; which of them are installed may have changed."""
        decode = self._settings.current.decode
        self._fill(self.target, models_for("target", decode.target), "target")
        self._fill(self.drafter, models_for("drafter", decode.drafter), "drafter")

    def show_running(self, running: bool) -> None:
        """Make the button run, or cancel what runs."""
        self.run.follow(plain_name(self._registry.action("run.start").text()), running=running)

    def _picker(self, caption: str, field: str, box: QComboBox | None = None) -> QComboBox:
        box = box or ElidedComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMaximumWidth(200)
        box.activated.connect(lambda _row: self._chosen(box, field))
        self._place(caption, box)
        return box

    def _place(self, caption: str, box: QWidget) -> None:
        column = QVBoxLayout()
        column.setSpacing(2)
        label = QLabel(caption)
        label.setObjectName("caption")
        label.setBuddy(box)
        box.setAccessibleName(caption)
        column.addWidget(label)
        column.addWidget(box)
        self._layout.addLayout(column)

    def _fill(self, box: QComboBox, choices: Sequence[Choice], field: str) -> None:
        value = getattr(self._settings.current.decode, field)
        box.blockSignals(True)
        box.clear()
        for row, choice in enumerate(choices):
            box.addItem(choice.text, choice.value)
            box.setItemData(row, choice.detail, Qt.ItemDataRole.ToolTipRole)
            model = box.model()
            if not choice.usable and isinstance(model, QStandardItemModel):
                model.item(row).setEnabled(False)
            if choice.value == value:
                box.setCurrentIndex(row)
                box.setToolTip(plain_tip(choice.detail))
        box.blockSignals(False)

    def _chosen(self, box: QComboBox, field: str) -> None:
        self._settings.change_decode(**{field: box.currentData()})
        box.setToolTip(plain_tip(str(box.currentData(Qt.ItemDataRole.ToolTipRole) or "")))
        self._enable()
        self.changed.emit()

    def _budget_changed(self, value: int) -> None:
        self._settings.change_decode(budget=None if value == _AUTOMATIC else value)
        self.changed.emit()

    def _enable(self) -> None:
        drafts = self._settings.current.decode.method != TARGET_ONLY
        for widget in (self.drafter, self.budget, self.start):
            widget.setEnabled(drafts)
