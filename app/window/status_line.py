"""The line at the bottom: what goes on, how far it is, and what the device says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from as2d.app.elided import ElidedLabel
from as2d.app.sentences import status_of_step, step_in_window
from as2d.app.translation import tr
from as2d.app.viewmodels.sizes import size_text

if TYPE_CHECKING:
    from as2d.app.viewmodels.run import RunViewModel, Step
    from as2d.backend.protocol.telemetry import Telemetry

_BYTES_FROM = 100_000
_SAID_MS = 12_000
_HEIGHT = 28


class StatusLine(QStatusBar):
    """Follows a run while it goes on. What is said stays for some moments, also when something short goes on
    meanwhile, or a run that went on before; with a folder that can be opened it stays, while nothing goes on,
    until something else is said.
    """

    cancel_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.what = ElidedLabel()
        self.what.setText(tr("Ready"))
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.setInterval(_SAID_MS)
        self._said.timeout.connect(self._forget)
        self._says = ""
        self._folder: Path | None = None
        self._in_run = self._said_in_run = False
        self.folder = QPushButton(tr("Open the folder"))
        self.folder.setObjectName("small")
        self.folder.clicked.connect(self._open_folder)
        self.folder.hide()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(180)
        self.bar.setAccessibleName(tr("Progress"))
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setObjectName("small")
        self.cancel.clicked.connect(self.cancel_wanted)
        self.cancel.hide()
        self.device = QLabel()
        self.device.setTextFormat(Qt.TextFormat.PlainText)
        self.device.setAccessibleName(tr("The device"))
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(12, 2, 14, 2)
        whole.setFixedHeight(_HEIGHT)
        for button in (self.folder, self.cancel):
            button.setMaximumHeight(_HEIGHT - 4)  # else the line grows, and all panels move
        row.setSpacing(12)
        row.addWidget(self.what)
        row.addWidget(self.folder)
        row.addWidget(self.bar)
        row.addWidget(self.cancel)
        row.addStretch(1)
        row.addWidget(self.device)
        self.addWidget(whole, 1)
        self.bar.hide()

    def show_idle(self, text: str | None = None, folder: Path | None = None) -> None:
        """Nothing goes on; `text`: something to be read, and the folder that it is about, if any."""
        if text is not None:
            self._says, self._folder = text, folder
            self._said_in_run = self._in_run
            self._said.start()
        else:
            self._in_run = False
        self.what.setText(self._says or tr("Ready"))
        self.folder.setVisible(bool(self._says) and self._folder is not None)
        self.bar.hide()

    def show_cancel(self, what: str | None) -> None:
        """Offer to cancel something that goes on; None: nothing can be."""
        self.cancel.setVisible(what is not None)
        if what is not None:
            self.cancel.setText(tr("Cancel: {what}", what=what))

    def show_operation(self, title: str) -> None:
        """Something other than a run goes on."""
        self.what.setText(tr("{what} …", what=title))
        self._progress(None)

    def show_run(self, run: RunViewModel, name: str | None, fraction: float | None) -> None:
        """A run goes on; `name` is the recording that it decodes."""
        self._in_run = True
        if self._said_in_run and self._said.isActive():
            return
        self._says = ""
        if run.step is not None and name is None:
            self._show_step(run.step)
            return
        self.what.setText(tr("Decoding {name} …", name=name) if name is not None else tr("Starting …"))
        self._progress(fraction)

    def show_paused(self, step: Step | None) -> None:
        """A run waits for its device; `step` says what for."""
        paused = tr("Paused")
        if step is not None:
            paused = tr("{what}: {step} …", what=paused, step=step_in_window(step.text))
        self.what.setText(paused)
        self._progress(None)

    def show_device(self, name: str, telemetry: Telemetry | None) -> None:
        """What decodes, and what its sensors say."""
        parts = [name]
        if telemetry is not None:
            battery = telemetry.battery
            if battery is not None and battery.temperature_c is not None:
                parts.append(tr("{degrees} °C", degrees=f"{battery.temperature_c:.1f}"))
            if battery is not None and battery.level is not None:
                parts.append(tr("battery {percent} %", percent=battery.level))
            parts.append(tr("helper {memory}", memory=size_text(telemetry.rss_bytes)))
        self.device.setText("  ·  ".join(parts))

    def _open_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))

    def _forget(self) -> None:
        if self._folder is not None or self._in_run:
            return
        said, self._says = self._says, ""
        if self.what.text() == said:
            self.show_idle()

    def _show_step(self, step: Step) -> None:
        if step.total > _BYTES_FROM:
            done = f"{size_text(step.done)} / {size_text(step.total)}"
            self.what.setText(f"{status_of_step(step.text)} ({done})")
        else:
            self.what.setText(status_of_step(step.text))
        self._progress(step.done / step.total if step.total else None)

    def _progress(self, fraction: float | None) -> None:
        self.folder.hide()
        self.bar.show()
        if fraction is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, 1000)
            self.bar.setValue(int(fraction * 1000))
