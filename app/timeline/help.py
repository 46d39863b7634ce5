"""The keys of the timeline."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from as2d.app.translation import tr


def key_list() -> list[tuple[str, str]]:
    """Keys and what they do."""
    return [
        (tr("Wheel, W, S"), tr("Zoom in and out at the pointer")),
        (tr("Shift + wheel, A, D"), tr("Pan; with Shift, A and D go further")),
        ("F", tr("Fit the selected span, then everything")),
        (tr("Drag"), tr("Select a span and show its sums")),
        ("← →", tr("Call before, call after")),
        ("Shift + ← →", tr("Select from call to call")),
        (tr("Home, End"), tr("First call, last call")),
        (tr("Click, Enter"), tr("Show all of a call")),
        (tr("Double click"), tr("Play the audio from there")),
        ("↑ ↓", tr("Lane above, lane below")),
        ("C", tr("Fold or unfold the lane")),
        ("P", tr("Pin the lane to the top, or let it go")),
        ("H", tr("Hide the lane; Shift+H shows all again")),
        ("T", tr("Switch between the time of the run and that of the audio")),
        ("Esc", tr("Select nothing")),
        ("?", tr("This list")),
    ]


def signs() -> list[tuple[str, str]]:
    """Letters of target calls and what they mean."""
    return [
        ("V 5/4", tr("Verify: K = 5 tokens in the call, 4 candidates accepted; the fill shows the share")),
        ("T", tr("Target-only: no candidates")),
        ("G", tr("Guard: a near-tie decided again; double outline")),
        (tr("hatched"), tr("No candidate accepted: the target's correction")),
        (tr("outlined"), tr("Drafter steps before the request")),
    ]


class TimelineHelp(QDialog):
    """Lists the keys and signs of the timeline."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys of the timeline"))
        layout = QVBoxLayout(self)
        layout.addLayout(_table(key_list()))
        heading = QLabel(tr("Signs"))
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        layout.addWidget(heading)
        layout.addLayout(_table(signs()))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)


def _table(rows: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setColumnStretch(1, 1)
    for number, (key, text) in enumerate(rows):
        name = QLabel(key)
        name.setAlignment(Qt.AlignmentFlag.AlignLeft)
        font = name.font()
        font.setBold(True)
        name.setFont(font)
        grid.addWidget(name, number, 0)
        grid.addWidget(QLabel(text), number, 1)
    return grid
