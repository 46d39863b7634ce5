"""The keys of the timeline."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from as2d.app.timeline.bar_lane import Style, paint_bar
from as2d.app.timeline.colours import Colours, colours_of, is_dark
from as2d.app.timeline.lanes import AUDIO_STYLES, CALL_STYLES, DRAFT_STYLES
from as2d.app.translation import tr

_SWATCH = (34, 16)


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


def letters() -> list[tuple[str, str]]:
    """Letters of target calls and what they mean."""
    return [
        (
            "V 5/4",
            tr("Verify: K = 5 tokens in the call, 4 candidates accepted; where only one number fits, these"),
        ),
        ("T", tr("Target-only: no candidates")),
        ("G", tr("Guard: a near-tie decided again")),
    ]


def bars() -> list[tuple[Style, float, str]]:
    """Each look of a bar, the share that it is filled by, and what it means."""
    encode, language, prefill = AUDIO_STYLES
    _, early, step = DRAFT_STYLES
    all_accepted, some, none, alone, guard = CALL_STYLES
    return [
        (all_accepted, 1.0, tr("Call, all candidates accepted")),
        (some, 0.5, tr("Call, some accepted: filled by their share, the rest is hatched")),
        (none, 1.0, tr("Call, none accepted: the target's correction")),
        (alone, 1.0, tr("Call of the target alone")),
        (guard, 1.0, tr("Guard call")),
        (step, 1.0, tr("Drafter step after the request")),
        (
            early,
            1.0,
            tr("Drafter step before the request; striped where steps are too short for one bar each"),
        ),
        (encode, 1.0, tr("Encoder, of the target or the drafter")),
        (language, 1.0, tr("The language is found out")),
        (prefill, 1.0, tr("Prefill, which gives the first token")),
    ]


def marks() -> list[tuple[str, str]]:
    """Flags of the ruler and what they mean."""
    return [
        ("▶", tr("Triangle and line: the request")),
        ("■", tr("Square and broken line: decoding starts, behind the prefill")),
        ("▼", tr("In the lane Ready: candidates are published")),
    ]


class TimelineHelp(QDialog):
    """Lists the keys and signs of the timeline."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys of the timeline"))
        layout = QVBoxLayout(self)
        both = QHBoxLayout()  # one under the other they would be higher than a small screen
        both.setSpacing(36)
        keys = QVBoxLayout()
        keys.addLayout(_table(key_list()))
        keys.addStretch(1)
        both.addLayout(keys)
        signs = QVBoxLayout()
        for title, rows in (
            (tr("Target calls"), _table(letters())),
            (tr("Bars"), self._bars()),
            (tr("Marks"), _table(marks())),
        ):
            heading = QLabel(title)
            font = heading.font()
            font.setBold(True)
            heading.setFont(font)
            signs.addWidget(heading)
            signs.addLayout(rows)
        signs.addStretch(1)
        both.addLayout(signs)
        layout.addLayout(both)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)

    def _bars(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        colours = colours_of(is_dark(self.palette()))
        for number, (style, share, text) in enumerate(bars()):
            swatch = QLabel()
            swatch.setPixmap(_swatch(style, share, colours, self.devicePixelRatioF()))
            grid.addWidget(swatch, number, 0)
            grid.addWidget(QLabel(text), number, 1)
        return grid


def _swatch(style: Style, share: float, colours: Colours, ratio: float) -> QPixmap:
    """A bar as the lanes paint it."""
    picture = QPixmap(round(_SWATCH[0] * ratio), round(_SWATCH[1] * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(colours["lane"])
    painter = QPainter(picture)
    height = (_SWATCH[1] - 2) * style.height
    paint_bar(painter, QRectF(1, _SWATCH[1] - 1 - height, _SWATCH[0] - 2, height), style, colours, share)
    painter.end()
    return picture


def _table(rows: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(5)
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
