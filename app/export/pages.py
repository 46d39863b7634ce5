"""The choices of each kind of export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QListView,
    QSpinBox,
    QWidget,
)

from as2d.app.translation import tr
from as2d.app.viewmodels.export import EACH, Exportable, ExportChoice, ExportKind

_SPAN = "span"


class Page(QWidget):
    """A form; `choice` says what is chosen in it. As it is: a kind of which there is nothing to choose."""

    kind: ExportKind = "trace"

    def __init__(self, source: Exportable) -> None:
        super().__init__()
        self.source = source
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setHorizontalSpacing(18)
        self.form.setVerticalSpacing(9)

    def choice(self) -> ExportChoice:
        """What is chosen."""
        return ExportChoice(self.kind)

    def add(self, caption: str, widget: QWidget) -> None:
        """Add a row with a name."""
        label = QLabel(caption)
        label.setBuddy(widget)
        widget.setAccessibleName(caption)
        widget.setMinimumWidth(220)
        self.form.addRow(label, widget)

    def box(self, caption: str, entries: Sequence[tuple[str | None, str]], value: str | None) -> QComboBox:
        """Add a row to choose from."""
        box = QComboBox()
        for data, text in entries:
            box.addItem(text, data)
            if data == value:
                box.setCurrentIndex(box.count() - 1)
        self.add(caption, box)
        return box

    def tick(self, text: str, *, on: bool = False) -> QCheckBox:
        """Add a row to tick."""
        box = QCheckBox(text)
        box.setChecked(on)
        self.form.addRow(box)
        return box


class TranscriptPage(Page):
    """Text, subtitles or JSON of one recording or of all."""

    def __init__(self, source: Exportable) -> None:
        super().__init__(source)
        self.format = self.box(
            tr("Format"),
            [
                ("txt", tr("Text (txt)")),
                ("srt", tr("SubRip subtitles (srt)")),
                ("vtt", tr("WebVTT subtitles (vtt)")),
                ("json", tr("JSON with words and times (json)")),
            ],
            "txt",
        )
        several: list[tuple[str | None, str]] = []
        if len(source.recordings) > 1:
            several = [(EACH, tr("All, a file each")), (None, tr("All in one file"))]
        self.recording = self.box(tr("Recording"), [*source.recordings, *several], source.shown)
        self.decoded = self.tick(
            tr("The decoded text, not the corrected one"), on=source.corrected and source.as_decoded
        )
        self.decoded.setVisible(source.corrected)
        self.format.currentIndexChanged.connect(self._follow_format)
        self._follow_format()

    def choice(self) -> ExportChoice:
        return ExportChoice(
            "transcript",
            str(self.format.currentData()),
            self.recording.currentData(),
            decoded=self.decoded.isChecked(),
        )

    def choose_each(self) -> None:
        """Every recording, a file each, where there are several."""
        place = self.recording.findData(EACH)
        if place >= 0:
            self.recording.setCurrentIndex(place)

    def _follow_format(self) -> None:
        """Subtitles of several recordings cannot share a file."""
        place = self.recording.findText(tr("All in one file"))
        if place < 0:
            return
        alone = self.format.currentData() in ("srt", "vtt")
        view = self.recording.view()
        if isinstance(view, QListView):
            view.setRowHidden(place, alone)
        if alone and self.recording.currentIndex() == place:
            self.recording.setCurrentIndex(self.recording.findData(EACH))


class PicturePage(Page):
    """The timeline at any size."""

    def __init__(self, source: Exportable, *, dark: bool) -> None:
        super().__init__(source)
        self.format = self.box(
            tr("Format"), [("png", tr("Pixels (png)")), ("svg", tr("Vectors (svg)"))], "png"
        )
        parts: list[tuple[str | None, str]] = [(None, tr("Whole run")), *source.recordings]
        if source.span is not None:
            parts.append((_SPAN, tr("Selected span")))
        self.part = self.box(tr("Part"), parts, _SPAN if source.span is not None else None)
        self.axis = self.box(
            tr("Axis"),
            [("decode", tr("Run time")), ("audio", tr("Audio time"))],
            "audio" if source.audio_time else "decode",
        )
        self.axis.setEnabled(source.span is None)
        self.width_box = _size(320, 20_000, 1600)
        self.add(tr("Width"), self.width_box)
        self.height_box = _size(160, 20_000, 480)
        self.add(tr("Height"), self.height_box)
        self.scale = self.box(
            tr("Pixels a point"), [(str(factor), f"{factor} ×") for factor in (1, 2, 3, 4)], "2"
        )
        self.dark = self.tick(tr("Light on dark"), on=dark)
        self.format.currentIndexChanged.connect(lambda _index: self._follow())
        self.part.currentIndexChanged.connect(lambda _index: self._follow())
        self._follow()

    def choice(self) -> ExportChoice:
        part = self.part.currentData()
        chosen = ExportChoice(
            "picture",
            str(self.format.currentData()),
            None if part == _SPAN else part,
            width=self.width_box.value(),
            height=self.height_box.value(),
            scale=float(self.scale.currentData()),
            dark=self.dark.isChecked(),
            audio_time=self.axis.currentData() == "audio",
        )
        if part == _SPAN and self.source.span is not None:
            begin, end = self.source.span
            return replace(chosen, begin_s=begin, end_s=end, audio_time=self.source.audio_time)
        return chosen

    def _follow(self) -> None:
        self.scale.setEnabled(self.format.currentData() == "png")
        self.axis.setEnabled(self.part.currentData() != _SPAN)


class TablePage(Page):
    """Requests, windows, calls or counters as rows."""

    def __init__(self, source: Exportable) -> None:
        super().__init__(source)
        self.table = self.box(
            tr("Rows are"),
            [
                ("requests", tr("requests")),
                ("windows", tr("windows")),
                ("calls", tr("target calls")),
                ("counters", tr("values of the counters")),
            ],
            "requests",
        )
        self.format = self.box(
            tr("Format"),
            [
                ("csv", tr("Spreadsheet (csv)")),
                ("jsonl", tr("JSON lines (jsonl)")),
                ("md", tr("Markdown (md)")),
            ],
            "csv",
        )
        self.recording = self.box(tr("Recording"), [(None, tr("Whole run")), *source.recordings], None)
        self.table.currentIndexChanged.connect(
            lambda _index: self.recording.setEnabled(self.table.currentData() != "counters")
        )

    def choice(self) -> ExportChoice:
        return ExportChoice(
            "table",
            str(self.format.currentData()),
            self.recording.currentData(),
            table=str(self.table.currentData()),
        )


class BundlePage(Page):
    """The run for another computer."""

    def __init__(self, source: Exportable) -> None:
        super().__init__(source)
        self.sound = self.tick(tr("With the recordings, so that they can be played there"))

    def choice(self) -> ExportChoice:
        return ExportChoice("bundle", sound=self.sound.isChecked())


def _size(least: int, most: int, value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setSingleStep(40)
    box.setValue(value)
    box.setSuffix(tr(" px"))
    return box
