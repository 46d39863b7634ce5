"""The settings dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from as2d.app.settings.store import SettingsStore
from as2d.app.translation import LANGUAGES, tr
from as2d.backend.transcribe.languages import LANGUAGE_NAMES


class SettingsDialog(QDialog):
    """Shows the settings; accepting keeps them, cancelling changes nothing."""

    def __init__(self, settings: SettingsStore, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Settings"))
        self._settings = settings
        current = settings.current
        self.scheme = self._box(
            [("system", tr("As the system")), ("light", tr("Light")), ("dark", tr("Dark"))], current.scheme
        )
        self.language = self._box([(None, tr("As the system")), *LANGUAGES.items()], current.language)
        self.text_size = QSpinBox()
        self.text_size.setRange(9, 40)
        self.text_size.setSuffix(tr(" px"))
        self.text_size.setValue(current.text_size)
        self.spoken = self._box(
            [
                (None, tr("Detected in each recording")),
                *sorted(LANGUAGE_NAMES.items(), key=lambda pair: pair[1]),
            ],
            current.decode.language,
        )
        self.task = self._box(
            [("transcribe", tr("Transcribe")), ("translate", tr("Translate into English"))],
            current.decode.task,
        )
        self.admission = self._box(
            [("text", tr("By the last words (text)")), ("root", tr("By the next token (root)"))],
            current.decode.admission,
        )
        self.run_on_drop = QCheckBox(tr("Decode recordings as soon as they are dropped"))
        self.run_on_drop.setChecked(current.run_on_drop)
        self.phones = QCheckBox(tr("Look for phones (starts adb's server where none runs)"))
        self.phones.setChecked(current.look_for_phones)
        self.keep_models = QCheckBox(tr("Keep the last run's models loaded for the next one (takes memory)"))
        self.keep_models.setChecked(current.keep_models)
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(9)
        for caption, widget in (
            (tr("Appearance"), self.scheme),
            (tr("Language of the window"), self.language),
            (tr("Size of the transcript's text"), self.text_size),
            (tr("Spoken language"), self.spoken),
            (tr("Task"), self.task),
            (tr("Drafts are aligned"), self.admission),
        ):
            label = QLabel(caption)
            label.setBuddy(widget)
            widget.setAccessibleName(caption)
            widget.setMinimumWidth(240)
            form.addRow(label, widget)
        form.addRow(self.run_on_drop)
        form.addRow(self.phones)
        form.addRow(self.keep_models)
        note = QLabel(tr("The language of the window changes when it is started the next time."))
        note.setObjectName("secondary")
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 20, 22, 16)
        layout.setSpacing(14)
        layout.addLayout(form)
        layout.addWidget(note)
        layout.addWidget(buttons)

    def accept(self) -> None:
        """Keep what is chosen."""
        self._settings.change(
            scheme=self.scheme.currentData(),
            language=self.language.currentData(),
            text_size=self.text_size.value(),
            run_on_drop=self.run_on_drop.isChecked(),
            look_for_phones=self.phones.isChecked(),
            keep_models=self.keep_models.isChecked(),
        )
        self._settings.change_decode(
            language=self.spoken.currentData(),
            task=self.task.currentData(),
            admission=self.admission.currentData(),
        )
        super().accept()

    def _box(self, entries: list[tuple[str | None, str]], value: str | None) -> QComboBox:
        box = QComboBox()
        for data, text in entries:
            box.addItem(text, data)
            if data == value:
                box.setCurrentIndex(box.count() - 1)
        return box
