"""One dialog for everything that can be taken away of a run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from as2d.app.export.pages import BundlePage, Page, PicturePage, TablePage, TranscriptPage
from as2d.app.translation import tr
from as2d.app.viewmodels.export import Exportable, ExportKind

_LIST_WIDTH, _ROW_HEIGHT = 168, 34


class ExportDialog(QDialog):
    """Asks what is to be taken away; `wanted` is emitted with an `ExportChoice`."""

    wanted = Signal(object)

    def __init__(
        self, source: Exportable, parent: QWidget, *, dark: bool, first: ExportKind = "transcript"
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Export"))
        self.kinds = QListWidget()
        self.kinds.setAccessibleName(tr("What to export"))
        self.kinds.setFixedWidth(_LIST_WIDTH)
        self.stack = QStackedWidget()
        self.pages: dict[str, Page] = {}
        for kind, name, about, page in (
            (
                "transcript",
                tr("Transcript"),
                tr("What was said, as text or as subtitles."),
                TranscriptPage(source),
            ),
            (
                "picture",
                tr("Timeline"),
                tr("The timeline as it is drawn in the window, at any size."),
                PicturePage(source, dark=dark),
            ),
            ("table", tr("Table"), tr("Numbers of the run, one row each."), TablePage(source)),
            (
                "trace",
                tr("Perfetto trace"),
                tr(
                    "Encoder, drafter, target and commits with all counters; ui.perfetto.dev and other trace "
                    "viewers open it."
                ),
                Page(source),
            ),
            (
                "bundle",
                tr("Run bundle"),
                tr("The whole run in one file: it opens in AS²D Studio on any computer."),
                BundlePage(source),
            ),
        ):
            self._add(kind, name, about, page)
        self.kinds.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.kinds.setCurrentRow(list(self.pages).index(first))
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        save.setText(tr("Save …"))
        save.setObjectName("primary")
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(tr("Cancel"))
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        middle = QHBoxLayout()
        middle.setSpacing(20)
        middle.addWidget(self.kinds)
        middle.addWidget(self.stack, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 20, 22, 16)
        layout.setSpacing(16)
        layout.addLayout(middle, 1)
        layout.addWidget(self.buttons)
        self.resize(640, 400)

    def choose(self, kind: ExportKind) -> Page:
        """Turn to a kind; its page."""
        self.kinds.setCurrentRow(list(self.pages).index(kind))
        return self.pages[kind]

    def choose_each(self) -> None:
        """Turn to the transcripts of all recordings, a file each."""
        page = self.choose("transcript")
        if isinstance(page, TranscriptPage):
            page.choose_each()

    def accept(self) -> None:
        """Tell what is chosen."""
        page = list(self.pages.values())[self.stack.currentIndex()]
        self.wanted.emit(page.choice())
        super().accept()

    def _add(self, kind: str, name: str, about: str, page: Page) -> None:
        item = QListWidgetItem(name)
        item.setSizeHint(QSize(0, _ROW_HEIGHT))
        item.setToolTip(about)
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, about)
        self.kinds.addItem(item)
        head, text = QLabel(name), QLabel(about)
        head.setObjectName("heading")
        text.setObjectName("secondary")
        text.setWordWrap(True)
        whole = QWidget()
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(head)
        layout.addWidget(text)
        layout.addSpacing(6)
        layout.addWidget(page)
        layout.addStretch(1)
        self.stack.addWidget(whole)
        self.pages[kind] = page
