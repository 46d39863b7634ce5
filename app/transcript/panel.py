"""The transcript of the recording that is current: its figures, its text, find, and what the lines mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.elided import ElidedLabel
from as2d.app.playback.bar import SoundBar
from as2d.app.theme.theme import Theme
from as2d.app.transcript.editor import CorrectionEditor
from as2d.app.transcript.find_bar import FindBar
from as2d.app.transcript.legend import Legend
from as2d.app.transcript.text_view import TranscriptView
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.transcript import RecordingText

if TYPE_CHECKING:
    from as2d.app.viewmodels.run import Figures


class TranscriptPanel(QWidget):
    """Shows one `RecordingText` at a time, or says what will be here and how to get it."""

    piece_chosen = Signal(object)

    def __init__(self, theme: Theme, registry: CommandRegistry, text_size: int, bar: SoundBar) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.view = TranscriptView(theme, text_size)
        self.editor = CorrectionEditor(theme, text_size)
        self.bar = bar
        self.editing = False
        self._registry = registry
        self.find_bar = FindBar(self.view, theme)
        self.legend = Legend(theme)
        self._text: RecordingText | None = None
        self._left: tuple[str, str, str] | None = None
        self._origins = True
        self._title = ElidedLabel()
        self._title.setObjectName("heading")
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._figures = QLabel()
        self._figures.setObjectName("secondary")
        self._figures.setAccessibleName(tr("Figures of this recording"))
        self._hint = QLabel()
        self._hint.setObjectName("secondary")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._hint_heading = QLabel()
        self._hint_heading.setObjectName("heading")
        self._hint_heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for label in (self._title, self._hint, self._hint_heading):
            label.setTextFormat(Qt.TextFormat.PlainText)  # names in it may be those of others
        self._run = QPushButton(plain_name(registry.action("run.start").text()))
        self._run.setObjectName("primary")
        self._run.clicked.connect(lambda: registry.run("run.start"))
        self._stack = QStackedLayout()
        self._stack.addWidget(self._hint_page())
        self._stack.addWidget(self._text_page())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addLayout(self._stack, 1)
        self.view.piece_chosen.connect(self.piece_chosen)

    @property
    def text(self) -> RecordingText | None:
        """What is shown."""
        return self._text

    @property
    def text_in_use(self) -> QTextEdit:
        """The text that the user sees: to be read, or to be corrected."""
        return self.editor if self.editing else self.view

    def whole_text(self) -> str:
        """The whole text as it stands there."""
        if self.editing:
            return self.editor.corrected()
        return self._text.text() if self._text is not None else ""

    def show_editor(self, text: str | None) -> None:
        """Let this text be corrected; None: the text is to be read again."""
        if self.editing and text is None and self._text is not None:
            self._left = (self._text.recording, self._text.audio, self.editor.text_before_cursor())
        self.editing = text is not None
        if text is not None:
            self.editor.begin(text, self.view.text_before_cursor())
        self._texts.setCurrentWidget(self.text_in_use)
        self.find_bar.use(self.text_in_use)
        self.legend.setVisible(self._origins and not self.editing)
        self._editing_hint.setVisible(self.editing)
        self.text_in_use.setFocus()
        self.text_in_use.ensureCursorVisible()

    def show_corrected(self, corrected: bool) -> None:
        """Whether there is a correction, so that what was decoded can be shown instead."""
        self._decoded.setVisible(corrected and not self.editing)

    def set_text_size(self, pixels: int) -> None:
        """Change the size of the text."""
        self.view.set_text_size(pixels)
        self.editor.set_text_size(pixels)

    def show_text(self, name: str, text: RecordingText, *, growing: bool = False) -> None:
        """Show a recording's text; `growing`: it is being decoded."""
        self._title.setText(name)
        if text is not self._text:
            self._text = text
            if not self.editing:
                self.view.show_text(text, growing=growing)
        self.follow()

    def show_hint(self, heading: str, hint: str, *, runnable: bool) -> None:
        """Say what will be here and how to get it; `runnable`: by the button to run."""
        self._text = None
        self.view.show_text(None)
        self._hint_heading.setText(heading)
        self._hint.setText(hint)
        self._run.setVisible(runnable)
        self._stack.setCurrentIndex(0)

    def follow(self) -> None:
        """Show what was added to the text."""
        if self._text is None:
            return
        if not self.editing:
            self.view.show_text_again(self._text)
            self._go_on_reading()
        self.legend.count(self.view.counts)
        self._stack.setCurrentIndex(1)

    def _go_on_reading(self) -> None:
        """Behind a correction the text is read on where the cursor stood in it."""
        if self._left is not None and self._text is not None:
            recording, audio, before = self._left
            self._left = None
            if (recording, audio) == (self._text.recording, self._text.audio):
                self.view.go_behind(before)

    def show_figures(self, figures: Figures | None) -> None:
        """Show what decoding took."""
        if figures is None or not figures.tokens:
            self._figures.clear()
            return
        parts = [
            tr_count(figures.tokens, "{n} token", "{n} tokens"),
            tr_count(figures.calls, "{n} call", "{n} calls"),
        ]
        if figures.acceptance is not None:
            parts.append(tr("acceptance {share} %", share=f"{100 * figures.acceptance:.0f}"))
        if figures.tps is not None:
            parts.append(tr("{tps} tokens/s", tps=f"{figures.tps:.1f}"))
        self._figures.setText("  ·  ".join(parts))

    def figures_text(self) -> str:
        """What is shown of the figures."""
        return self._figures.text()

    def show_origins(self, shown: bool) -> None:
        """Whether tokens show where they came from."""
        self._origins = shown
        self.view.show_origins(shown)
        self.legend.setVisible(shown and not self.editing)

    def _decoded_button(self) -> QToolButton:
        """Does what the command does, in fewer words: a button that has its action says all of its text."""
        action = self._registry.action("transcript.decoded")
        button = QToolButton()
        button.setText(tr("As decoded"))
        button.setAccessibleName(plain_name(action.text()))
        button.setToolTip(action.toolTip())
        button.setCheckable(True)
        button.clicked.connect(action.trigger)
        action.changed.connect(lambda: button.setChecked(action.isChecked()))
        button.hide()
        return button

    def _hint_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(48, 24, 48, 24)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(self._hint_heading)
        layout.addWidget(self._hint)
        layout.addSpacing(8)
        layout.addWidget(self._run, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        return page

    def _text_page(self) -> QWidget:
        page = QWidget()
        head = QWidget()
        head.setObjectName("strip")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        edit = QToolButton()
        edit.setDefaultAction(self._registry.action("transcript.correct"))
        edit.setAccessibleName(plain_name(edit.defaultAction().text()))
        self._decoded = self._decoded_button()
        row = QHBoxLayout(head)
        row.setContentsMargins(22, 8, 16, 8)
        row.addWidget(self._title, 1)
        row.addWidget(self._figures)
        row.addWidget(self._decoded)
        row.addWidget(edit)
        self._editing_hint = QLabel(tr("What you type is saved by itself. Escape ends correcting."))
        self._editing_hint.setObjectName("footer")
        self._editing_hint.setContentsMargins(22, 7, 12, 7)
        self._editing_hint.hide()
        self._texts = QStackedLayout()
        self._texts.addWidget(self.view)
        self._texts.addWidget(self.editor)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(self.find_bar)
        layout.addLayout(self._texts, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self._editing_hint)
        return page
