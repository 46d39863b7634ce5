"""What a long run decodes by, for how long, and its button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.registry import CommandRegistry
from as2d.app.commands.run_button import RunButton
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.choices import methods

_MOST_MINUTES = 24 * 60


class LongRunForm(QWidget):
    """Shows and changes the settings' `long_run`; a run that goes on keeps what it was begun with."""

    changed = Signal()

    def __init__(self, settings: SettingsStore, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._settings = settings
        self.first = self._picker(tr("Method"))
        self.second = self._picker(tr("Alternating with"))
        self.minutes = QSpinBox()
        self.minutes.setRange(1, _MOST_MINUTES)
        self.minutes.setSuffix(tr(" min"))
        self.minutes.setAccessibleName(tr("How long"))
        self.minutes.setToolTip(tr("How long it decodes, counted from the first decode behind the warm-up."))
        self.what = QLabel()
        self.what.setObjectName("secondary")
        self.what.setTextFormat(Qt.TextFormat.PlainText)
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = tr("Stop"), tr("Stopping …")
        self.button = RunButton(theme, registry, "longrun.start", "longrun.stop", words)
        self.button.setMinimumHeight(34)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(tr("Progress"))
        self._arrange()
        self._fill()
        for box in (self.first, self.second):
            box.activated.connect(lambda _row: self._keep())
        self.minutes.valueChanged.connect(lambda _value: self._keep())
        self.show_running(False)

    def show_what(self, text: str) -> None:
        """Say what is decoded, or how far it is."""
        if text != self.what.text():
            self.what.setText(text)

    def show_progress(self, fraction: float | None) -> None:
        """How far the run is; None: none goes on."""
        self.bar.setVisible(fraction is not None)
        if fraction is not None:
            self.bar.setValue(int(1000 * min(fraction, 1.0)))

    def show_running(self, running: bool) -> None:
        """Make the button begin a run, or end the one that goes on."""
        self.button.follow(tr("Start"), running=running)
        for widget in (self.first, self.second, self.minutes):
            widget.setEnabled(not running)

    def _picker(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMaximumWidth(190)
        return box

    def _arrange(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        for column, box in enumerate((self.first, self.second, self.minutes)):
            caption = QLabel(box.accessibleName())
            caption.setObjectName("caption")
            caption.setBuddy(box)
            grid.addWidget(caption, 0, column)
            grid.addWidget(box, 1, column)
        row = QHBoxLayout()
        row.setContentsMargins(12, 7, 12, 2)
        row.setSpacing(14)
        row.addLayout(grid)
        row.addStretch(1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        told = QHBoxLayout()
        told.setContentsMargins(12, 2, 12, 6)
        told.addWidget(self.what)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addLayout(told)
        layout.addWidget(self.bar)

    def _fill(self) -> None:
        chosen = self._settings.current.long_run
        for choice in methods():
            for box in (self.first, self.second):
                box.addItem(choice.text, choice.value)
                box.setItemData(box.count() - 1, choice.detail, Qt.ItemDataRole.ToolTipRole)
        self.second.insertItem(0, tr("None"), None)
        self.second.setItemData(0, tr("Only one method is decoded by."), Qt.ItemDataRole.ToolTipRole)
        self.first.setCurrentIndex(max(self.first.findData(chosen.methods[0]), 0))
        second = chosen.methods[1] if len(chosen.methods) > 1 else None
        self.second.setCurrentIndex(max(self.second.findData(second), 0) if second is not None else 0)
        self.minutes.setValue(chosen.minutes)

    def _keep(self) -> None:
        """Take what was chosen; a method is not by turns with itself."""
        first, second = self.first.currentData(), self.second.currentData()
        if first == second:
            self.second.setCurrentIndex(0)
            second = None
        chosen = (first,) if second is None else (first, second)
        self._settings.change(long_run={"methods": chosen, "minutes": self.minutes.value()})
        self.changed.emit()
