"""The call inspector."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QStackedLayout,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from as2d.app.elided import ElidedLabel
from as2d.app.inspector.positions import PositionsModel, shown_token
from as2d.app.plain import plain_tip
from as2d.app.timeline.colours import colours_of, is_dark
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.axis import duration_label
from as2d.app.viewmodels.call import REASON_TEXTS, CallView, call_view, row_of_call
from as2d.app.viewmodels.kinds import CallKind
from as2d.app.viewmodels.timeline import TimelineModel

_ROW = 22


class CallInspector(QWidget):
    """Shows the root, the candidates, what was accepted, the correction, margins and times of a call."""

    call_asked = Signal(str, int)
    """The user went to the call before or after, from here."""

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.shown: CallView | None = None
        self._title = QLabel()
        self._before = self._arrow("‹", tr("Call before"), -1)
        self._after = self._arrow("›", tr("Call after"), 1)
        self._facts: dict[str, QLabel] = {"place": ElidedLabel()}
        self._facts |= {name: QLabel() for name in ("time", "root", "draft", "reason", "text")}
        self.positions = PositionsModel(colours_of(is_dark(self.palette())))
        self.table = QTableView()
        self._pages = QStackedLayout(self)
        self._build()
        self.setAccessibleName(tr("Call inspector"))
        self.clear()

    def show_call(self, request: str, index: int) -> None:
        """Show a call by its request and its index in it; one that is no longer kept shows why."""
        row = row_of_call(self._model, request, index)
        if row is None:
            self.clear(
                tr(
                    "Call {n} of {request} is not kept in memory; open the run again.",
                    n=index,
                    request=request,
                )
            )
            return
        self._show(call_view(self._model, row))

    def clear(self, reason: str | None = None) -> None:
        """Show no call, and say how to get one."""
        self.shown = None
        self._empty.setText(reason or tr("Click a call in the timeline, or step along calls with ← and →."))
        self._pages.setCurrentIndex(0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.shown is not None:
            self.positions.show(self.shown, colours_of(is_dark(self.palette())))

    def _show(self, view: CallView) -> None:
        self.shown = view
        self._title.setText(_title(view))
        proposed = len([place for place in view.positions if place.candidate is not None])
        self._facts["place"].setText(view.place)
        told = f"{view.place}\n{tr('Request {name}', name=view.request)}"
        self._facts["place"].setToolTip(plain_tip(told))
        self._facts["time"].setText(
            tr(
                "{took} · at {at} · {threads}",
                took=duration_label(view.end - view.begin),
                at=duration_label(view.at_ms * 1e6),
                threads=tr_count(view.threads, "{n} thread", "{n} threads"),
            )
        )
        about = tr("How long the call took, how long after decoding had begun, and the target's threads.")
        self._facts["time"].setToolTip(plain_tip(about))
        self._facts["root"].setText(shown_token(view.root_text, view.root))
        self._facts["draft"].setText(_draft_of(view, proposed))
        self._facts["reason"].setText(tr(REASON_TEXTS[view.reason]))
        self._facts["text"].setText(f"“{view.text}”" if view.text else tr("no text"))
        self.positions.show(view, colours_of(is_dark(self.palette())))
        self._before.setEnabled(view.row > 0)
        self._after.setEnabled(view.row + 1 < len(self._model.calls))
        self.setAccessibleDescription(self._title.text())
        self._pages.setCurrentIndex(1)

    def _step(self, by: int) -> None:
        if self.shown is None:
            return
        row = row_of_call(self._model, self.shown.request, self.shown.index)
        if row is not None and 0 <= row + by < len(self._model.calls):
            self._show(call_view(self._model, row + by))
            self.call_asked.emit(self.shown.request, self.shown.index)

    def _arrow(self, text: str, about: str, by: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(about)
        button.setAccessibleName(about)
        button.setAutoRaise(True)
        button.clicked.connect(lambda: self._step(by))
        return button

    def _build(self) -> None:
        self._empty = QLabel()
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setMargin(16)
        self._pages.addWidget(self._empty)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(8, 8, 8, 8)
        head = QHBoxLayout()
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        head.addWidget(self._title, 1)
        head.addWidget(self._before)
        head.addWidget(self._after)
        layout.addLayout(head)
        form = QFormLayout()
        form.setVerticalSpacing(3)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        names = (tr("Window"), tr("Time"), tr("Root"), tr("Draft"), tr("Why"), tr("Committed"))
        for name, label in zip(names, self._facts.values(), strict=True):
            label.setWordWrap(not isinstance(label, ElidedLabel))
            label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            form.addRow(name, label)
        layout.addLayout(form)
        self.table.setModel(self.positions)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(tr("Positions of the call"))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(24)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setWordWrap(False)
        self.table.setIconSize(QSize(9, 9))
        rows = self.table.verticalHeader()
        rows.setMinimumSectionSize(_ROW)
        rows.setDefaultSectionSize(_ROW)
        layout.addWidget(self.table, 1)
        self._pages.addWidget(page)


def _draft_of(view: CallView, proposed: int) -> str:
    """How far the draft was, where the text stood in it, and what was proposed of it."""
    drafted = tr_count(view.published, "{n} token drafted", "{n} tokens drafted")
    if view.cursor is None:
        return tr("{drafted}, none of them fits the text", drafted=drafted)
    return tr(
        "{drafted}; the text stands behind the first {place}; {n} proposed",
        drafted=drafted,
        place=view.cursor,
        n=proposed,
    )


def _title(view: CallView) -> str:
    if view.kind == CallKind.GUARD:
        return tr("Guard call {n}", n=view.index)
    if view.kind == CallKind.TARGET_ONLY:
        return tr("Target-only call {n}", n=view.index)
    return tr("Call {n}: K {k}, {a} accepted", n=view.index, k=view.k, a=view.accepted)
