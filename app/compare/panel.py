"""The panel of comparisons: what is to be run, its timelines, its table and its plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.registry import CommandRegistry
from as2d.app.commands.run_button import RunButton
from as2d.app.compare.results_page import ResultsPage
from as2d.app.compare.strips_page import StripsPage
from as2d.app.elided import ElidedLabel
from as2d.app.plotting import when_plots_are_loaded
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.compare.plan_form import PlanForm
    from as2d.app.compare.plots import ComparisonPlots

PLAN, TIMELINES, TABLE, PLOTS = range(4)


class ComparePanel(QWidget):
    """Four pages under one strip. What takes long to load is made when it is first looked at."""

    form_made = Signal()
    page_shown = Signal(int)

    def __init__(self, settings: SettingsStore, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._settings = settings
        self._theme = theme
        self._registry = registry
        self.form: PlanForm | None = None
        self.plots: ComparisonPlots | None = None
        self.timelines = StripsPage()
        self.results = ResultsPage(theme)
        self.pages = QTabBar()
        self.pages.setDrawBase(False)
        self.pages.setExpanding(False)
        self.pages.setAccessibleName(tr("Pages of the comparison"))
        for text in (tr("Plan"), tr("Timelines"), tr("Table"), tr("Plots")):
            self.pages.addTab(text)
        self.what = ElidedLabel()
        self.what.setObjectName("secondary")
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = tr("Stop"), tr("Stopping …")
        self.button = RunButton(theme, registry, "compare.run", "compare.stop", words)
        self.button.setMinimumHeight(30)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.hide()
        self.earlier = QMenu(tr("Earlier comparisons"), self)
        self._stack = QStackedWidget()
        self._places = [QWidget(), self.timelines, self.results, QWidget()]
        for page in self._places:
            self._stack.addWidget(page)
        self._arrange()
        self.pages.currentChanged.connect(self.show_page)
        self.setFocusProxy(self.pages)

    @property
    def page(self) -> int:
        """Which page is shown."""
        return self.pages.currentIndex()

    def show_page(self, page: int) -> None:
        """Show a page."""
        if page != self.page:
            self.pages.setCurrentIndex(page)  # which comes back here
            return
        self._make(page)
        self._stack.setCurrentWidget(self._places[page])
        self.page_shown.emit(page)

    def show_running(self, running: bool, begin: str) -> None:
        """Make the button begin (in these words), or stop what goes on."""
        self.button.follow(begin, running=running)
        if self.form is not None:
            self.form.setEnabled(not running)

    def show_progress(self, text: str, fraction: float | None) -> None:
        """Say how far it is; None: nothing goes on."""
        self.what.setText(text)
        self.bar.setVisible(fraction is not None)
        if fraction is not None:
            self.bar.setValue(int(1000 * min(fraction, 1.0)))

    def showEvent(self, event: QShowEvent) -> None:
        """The first look makes the page that is looked at."""
        super().showEvent(event)
        self._make(self.page)
        self._stack.setCurrentWidget(self._places[self.page])
        self.page_shown.emit(self.page)

    def _make(self, page: int) -> None:
        if page == PLAN and self.form is None:
            from as2d.app.compare.plan_form import PlanForm

            self.form = PlanForm(self._settings)
            self._put(page, self.form)
            self.form_made.emit()
        elif page == PLOTS and self.plots is None:
            when_plots_are_loaded(self._make_plots)

    def _make_plots(self) -> None:
        if self.plots is not None:  # asked for twice while they were loaded
            return
        from as2d.app.compare.plots import ComparisonPlots

        self.plots = ComparisonPlots(self._theme)
        self._put(PLOTS, self.plots)
        if self.page == PLOTS:
            self._stack.setCurrentWidget(self.plots)
            self.page_shown.emit(PLOTS)

    def _put(self, page: int, widget: QWidget) -> None:
        before = self._places[page]
        self._places[page] = widget
        self._stack.insertWidget(page, widget)
        self._stack.removeWidget(before)
        before.deleteLater()

    def _arrange(self) -> None:
        strip = QWidget()
        strip.setObjectName("strip")
        row = QHBoxLayout(strip)
        row.setContentsMargins(6, 4, 12, 4)
        row.setSpacing(10)
        row.addWidget(self.pages)
        row.addWidget(self.what, 1)
        row.addWidget(self._menu_button())
        row.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(strip)
        layout.addWidget(self.bar)
        layout.addWidget(self._stack, 1)

    def _menu_button(self) -> QToolButton:
        button = QToolButton()
        button.setText("⋯")
        button.setToolTip(tr("Open, save and export comparisons"))
        button.setAccessibleName(tr("Open, save and export comparisons"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addMenu(self.earlier)
        for name in ("open", "plan_open", "plan_save", "export"):
            action: QAction = self._registry.action(f"compare.{name}")
            menu.addAction(action)
        button.setMenu(menu)
        return button
