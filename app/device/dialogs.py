"""Small forms about a phone: each tells what is wrong in the form and stays open until it is right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from as2d.app.sentences import in_window
from as2d.app.translation import tr
from as2d.backend.errors import UserError

_WIDTH = 430


class FormDialog(QDialog):
    """A form whose OK does something that may be refused with a sentence."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setMinimumWidth(_WIDTH)
        words = QLabel(text)
        words.setWordWrap(True)
        words.setObjectName("secondary")
        self.form = QFormLayout()
        self.form.setHorizontalSpacing(14)
        self.form.setVerticalSpacing(8)
        self.error = QLabel()
        self.error.setObjectName("problem")
        self.error.setWordWrap(True)
        self.error.hide()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self._try)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(words)
        layout.addLayout(self.form)
        layout.addWidget(self.error)
        layout.addStretch(1)
        layout.addWidget(self.buttons)
        self._act: Callable[[], None] = lambda: None

    def on_accept(self, act: Callable[[], None]) -> None:
        """What OK does; a UserError keeps the form open."""
        self._act = act

    def _try(self) -> None:
        try:
            self._act()
        except UserError as error:
            self.error.setText(in_window(error.message))
            self.error.show()
            self.error.setAccessibleName(self.error.text())
        else:
            self.accept()


class NicknameDialog(FormDialog):
    """Asks for a phone's nickname."""

    def __init__(self, phone: str, now: str | None, parent: QWidget) -> None:
        super().__init__(
            tr("Nickname"),
            tr(
                "Every list and command then knows the phone {phone} by it. Empty takes it away.", phone=phone
            ),
            parent,
        )
        self.name = QLineEdit(now or "")
        self.name.selectAll()
        self.form.addRow(tr("Nickname"), self.name)


class CpusDialog(FormDialog):
    """Asks for the processors of target and drafter; empty: chosen by their clocks."""

    def __init__(
        self, clusters: list[str], automatic: tuple[str, str], now: tuple[str, str], parent: QWidget
    ) -> None:
        super().__init__(
            tr("Processors"),
            tr("Numbers and ranges such as 4-7 or 4,6,7. Empty: chosen by the processors' clocks."),
            parent,
        )
        self.target, self.drafter = QLineEdit(now[0]), QLineEdit(now[1])
        self.target.setPlaceholderText(automatic[0])
        self.drafter.setPlaceholderText(automatic[1])
        for text in clusters:
            self.form.addRow(QLabel(text))
        self.form.addRow(tr("Target"), self.target)
        self.form.addRow(tr("Drafter"), self.drafter)


class BatteryDialog(FormDialog):
    """Asks what a phone's battery current means."""

    def __init__(self, unit: str | None, sign: int | None, parent: QWidget) -> None:
        super().__init__(
            tr("Battery current"),
            tr("What is said here is kept, and nothing that is measured replaces it."),
            parent,
        )
        self.unit, self.sign = QComboBox(), QComboBox()
        for text, data in ((tr("measured in runs on battery"), None), ("µA", "uA"), ("mA", "mA")):
            self.unit.addItem(text, data)
        for name, value in (
            (tr("not known"), None),
            (tr("positive while it empties"), 1),
            (tr("negative while it empties"), -1),
        ):
            self.sign.addItem(name, value)
        self.unit.setCurrentIndex(max(self.unit.findData(unit), 0))
        self.sign.setCurrentIndex(max(self.sign.findData(sign), 0))
        self.unit.currentIndexChanged.connect(self._follow)
        self.form.addRow(tr("Unit"), self.unit)
        self.form.addRow(tr("Sign"), self.sign)
        self._follow()

    def _follow(self) -> None:
        self.sign.setEnabled(self.unit.currentData() is not None)
