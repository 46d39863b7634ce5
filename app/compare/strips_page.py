"""The page of the stacked timelines: which window, and its strips."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from as2d.app.compare.strips import StripStack
from as2d.app.elided import ElidedComboBox
from as2d.app.plain import plain_tip
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.stacked import StackedModel, Window

_TICK_MS = 100
_MOST_LISTED = 2000


class StripsPage(QWidget):
    """Shows a window of a stacked model; while `newest` is ticked, the one that is being decoded."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._model = StackedModel()
        self._shown = -1
        self._listed: list[Window] = []
        self.window_box = ElidedComboBox()
        self.window_box.setAccessibleName(tr("Window"))
        self.window_box.setMinimumContentsLength(32)
        self.window_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.window_box.currentTextChanged.connect(lambda text: self.window_box.setToolTip(plain_tip(text)))
        self.window_box.activated.connect(self._choose)
        self.newest = QCheckBox(tr("the newest"))
        self.newest.setToolTip(tr("Go on to each window as it is decoded."))
        self.newest.hide()
        self.newest.toggled.connect(lambda _on: self._refresh(force=True))
        self.strips = StripStack()
        self.told = QLabel()
        self.told.setObjectName("note")
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.strips.looked_at.connect(self.told.setText)
        self._arrange()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._refresh)

    @property
    def window_shown(self) -> Window | None:
        """The window that is shown."""
        place = self.window_box.currentIndex()
        return self._listed[place] if 0 <= place < len(self._listed) else None

    def show_model(self, model: StackedModel, *, live: bool) -> None:
        """Look at another comparison."""
        if model is not self._model:
            self._model = model
            self._listed = []
            self.window_box.clear()
        self.set_live(live)
        self._refresh(force=True)

    def set_live(self, live: bool) -> None:
        """Whether the comparison goes on; its newest window is then shown, until another is chosen."""
        if self.newest.isHidden() == live:
            self.newest.setVisible(live)
            self.newest.setChecked(live)

    def step(self, by: int) -> None:
        """Go to another window of the list."""
        self.newest.setChecked(False)
        place = self.window_box.currentIndex() + by
        if 0 <= place < self.window_box.count():
            self.window_box.setCurrentIndex(place)
            self._refresh(force=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow what goes on while it is looked at."""
        super().showEvent(event)
        self._timer.start()
        self._refresh(force=True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest."""
        super().hideEvent(event)
        self._timer.stop()

    def _choose(self, _place: int) -> None:
        self.newest.setChecked(False)
        self._refresh(force=True)

    def _refresh(self, *, force: bool = False) -> None:
        model = self._model
        if not force and model.version == self._shown:
            return
        self._shown = model.version
        new = list(model.windows)[len(self._listed) : _MOST_LISTED]
        self._listed += new
        self.window_box.addItems([window.text for window in new])
        if self.newest.isChecked() and model.newest in self._listed:
            self.window_box.setCurrentIndex(self._listed.index(model.newest))
        window = self.window_shown
        strips = model.strips(window) if window is not None else []
        self.strips.show_strips(strips)
        self.count.setText(tr_count(len(strips), "{n} timeline", "{n} timelines") if strips else "")
        self.hint.setVisible(not strips)

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(6)
        for text, about, by in (
            ("‹", tr("The window before"), -1),
            ("›", tr("The next window"), 1),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(about)
            button.setAccessibleName(about)
            button.clicked.connect(lambda _checked=False, by=by: self.step(by))
            row.addWidget(button)
        row.addWidget(self.window_box)
        row.addWidget(self.newest)
        fit = QToolButton()
        fit.setText(tr("Fit"))
        fit.setToolTip(tr("Show all of it (F)"))
        fit.setAccessibleName(tr("Show all of it (F)"))
        fit.clicked.connect(self.strips.fit)
        row.addWidget(fit)
        self.count = QLabel()
        self.count.setObjectName("note")
        row.addWidget(self.count)
        row.addWidget(self.told, 1)
        self.hint = QLabel(
            tr("Here the methods' timelines of one window stand one under the other while it is decoded.")
        )
        self.hint.setObjectName("secondary")
        self.hint.setMargin(12)
        self.hint.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.hint)
        layout.addWidget(self.strips, 1)
