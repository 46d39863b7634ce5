"""What the commands about comparisons do, and what their panel shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from as2d.app.compare.panel import PLAN, PLOTS, TABLE, TIMELINES
from as2d.app.operations.operation import Operation
from as2d.app.sentences import in_window
from as2d.app.translation import tr
from as2d.backend.errors import UserError
from as2d.backend.paths import data_dir

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.compare.plan import ComparePlan

_USABLE = ("waiting", "active", "done", "cancelled")
_MOST_EARLIER = 12


def comparisons_dir() -> Path:
    """Where the window's comparisons are kept, a folder each."""
    return data_dir() / "comparisons"


class CompareDeeds(QObject):
    """Runs, opens and exports comparisons, and keeps their panel in step."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "compare.run": self._run,
            "compare.stop": self._window.comparisons.stop,
            "compare.open": self._open,
            "compare.plan_open": self._open_plan,
            "compare.plan_save": self._save_plan,
            "compare.export": self._export,
            "view.compare": lambda: self._window.docks.show("compare"),
        }

    def connect_all(self) -> None:
        """Follow what the panel depends on."""
        window, comparisons, panel = self._window, self._window.comparisons, self._window.compare
        comparisons.progressed.connect(self._tell_progress)
        comparisons.running_changed.connect(self._running_changed)
        comparisons.shown_changed.connect(self._show_strips)
        comparisons.judged.connect(self._show_judgement)
        comparisons.failed.connect(lambda text: window.say("error", text))
        comparisons.recorded.connect(window.follower.list_runs)
        panel.form_made.connect(self._form_made)
        panel.page_shown.connect(lambda _page: self._show_plots())
        panel.earlier.aboutToShow.connect(self._list_earlier)
        window.studio.running_changed.connect(lambda _running: self.follow())
        window.long_runs.running_changed.connect(lambda _running: self.follow())
        window.studio.recordings.listen(lambda _item: self.follow())
        window.phones.changed.connect(self._follow_phones)
        window.theme.changed.connect(self.follow)

    def follow(self) -> None:
        """Bring what can be done up to date."""
        window, comparisons = self._window, self._window.comparisons
        running = comparisons.running
        shown = comparisons.shown
        window.registry.enable("compare.run", not window.decoding)
        window.registry.enable("compare.stop", running)
        window.registry.enable("compare.open", not running)
        window.registry.enable("compare.plan_open", not running)
        window.registry.enable("compare.export", shown.judgement is not None and not running)
        window.compare.show_running(running, tr("Go on") if self._goes_on() else tr("Compare"))
        if not running:
            self._say_size()

    def why_no_run(self) -> str | None:
        """Why nothing else may decode now."""
        if not self._window.comparisons.running:
            return None
        return tr("A comparison is being run; run when it has ended, or stop it in its tab.")

    def compare_runs(self, names: list[str]) -> None:
        """Hold recorded runs side by side."""
        self._window.comparisons.open_runs(names)

    def _plan(self) -> ComparePlan:
        """The plan that the form asks for; raises `WrongUse`."""
        panel = self._window.compare
        panel.show_page(PLAN) if panel.form is None else None
        assert panel.form is not None
        language = self._window.settings.current.decode.language
        return panel.form.plan(self._paths(), language)

    def _paths(self) -> list[Path]:
        return [item.path for item in self._window.studio.recordings.items if item.status in _USABLE]

    def _goes_on(self) -> bool:
        """Whether the form asks for the plan that is shown and was not run to its end."""
        shown, form = self._window.comparisons.shown, self._window.compare.form
        if shown.plan is None or shown.folder is None or shown.complete or form is None:
            return False
        try:
            return self._plan().digest == shown.plan.digest
        except UserError:
            return False

    def _run(self) -> None:
        window = self._window
        window.docks.show("compare")
        try:
            plan = self._plan()
        except UserError as error:
            window.compare.show_page(PLAN)
            window.say("error", error.message)
            return
        shown = window.comparisons.shown
        folder = shown.folder if self._goes_on() else None
        if folder is None:
            folder = comparisons_dir() / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        window.compare.show_page(TIMELINES)
        window.comparisons.start(plan, folder)

    def _open(self) -> None:
        name = QFileDialog.getExistingDirectory(self._window, tr("Open a comparison"), str(comparisons_dir()))
        if name:
            self._window.comparisons.open_folder(Path(name))

    def _list_earlier(self) -> None:
        menu = self._window.compare.earlier
        menu.clear()
        root = comparisons_dir()
        folders = sorted((path for path in root.glob("*/plan.toml")), reverse=True) if root.is_dir() else []
        for plan in folders[:_MOST_EARLIER]:
            action = menu.addAction(plan.parent.name)
            action.triggered.connect(
                lambda _on=False, folder=plan.parent: self._window.comparisons.open_folder(folder)
            )
        if not folders:
            menu.addAction(tr("There is none yet.")).setEnabled(False)

    def _open_plan(self) -> None:
        from as2d.backend.compare.plan import read_plan

        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Open a plan"), self._folder(), f"{tr('Plans')} (*.toml)"
        )
        if not name:
            return
        try:
            plan = read_plan(Path(name))
        except UserError as error:
            self._window.say("error", error.message)
            return
        panel = self._window.compare
        panel.show_page(PLAN)
        if panel.form is not None:
            panel.form.show_plan(plan)
        there = [Path(name).parent / recording for recording in plan.recordings]
        self._window.studio.add([path for path in there if path not in self._paths()])

    def _save_plan(self) -> None:
        from as2d.backend.compare.plan import write_plan

        try:
            plan = self._plan()
            name, _ = QFileDialog.getSaveFileName(
                self._window,
                tr("Save the plan"),
                str(Path(self._folder()) / "plan.toml"),
                f"{tr('Plans')} (*.toml)",
            )
            if name:
                write_plan(Path(name), plan)
        except UserError as error:
            self._window.say("error", error.message)

    def _export(self) -> None:
        """Write the report, the tables, the trace and the bundle into a folder."""
        shown = self._window.comparisons.shown
        judgement = shown.judgement
        if judgement is None:
            return
        start = str(shown.folder) if shown.folder is not None else self._folder()
        name = QFileDialog.getExistingDirectory(
            self._window, tr("Export the comparison into a folder"), start
        )
        if not name:
            return
        self._window.settings.change(last_folder=name)

        def work(operation: Operation) -> object:
            from as2d.backend.compare.reports import write_reports

            return write_reports(Path(name), judgement, shown.runs, operation.report, operation.cancel)

        operation = Operation(tr("Exporting the comparison"), work, can_be_cancelled=True)
        operation.succeeded.connect(
            lambda _paths: self._window.say("note", tr("The comparison was exported to {path}.", path=name))
        )
        operation.failed.connect(lambda error: self._window.say("error", error.message))
        self._window.studio.operations.start(operation)

    def _folder(self) -> str:
        return self._window.settings.current.last_folder or str(Path.home())

    def _form_made(self) -> None:
        form = self._window.compare.form
        assert form is not None
        form.show_phones(self._window.phones.now)
        form.changed.connect(self.follow)
        self.follow()

    def _follow_phones(self) -> None:
        form = self._window.compare.form
        if form is not None:
            form.show_phones(self._window.phones.now)

    def _say_size(self) -> None:
        form, panel = self._window.compare.form, self._window.compare
        if form is None:
            return
        try:
            plan = self._plan()
            form.say_size(len(plan.arms()), len(plan.recordings))
        except UserError as error:
            form.note.setText(in_window(error.message))
        panel.show_progress("", None)

    def _running_changed(self, running: bool) -> None:
        self.follow()
        self._window.follower.follow_running()
        self._window.device_deeds.follow()
        if running:
            self._tell_progress()

    def _tell_progress(self) -> None:
        comparisons, panel = self._window.comparisons, self._window.compare
        if not comparisons.running:
            return
        done, total = comparisons.done_of_total
        parts = [tr("{done} of {total} decodes", done=done, total=total)] if total else []
        for name, own in comparisons.progress.items():
            what = in_window(own.what)
            if what and own.state != "decoding":
                parts.append(f"{name}: {what}" if name and len(comparisons.progress) > 1 else what)
        panel.show_progress("  ·  ".join(parts) or tr("Starting …"), done / total if total else 0.0)

    def _show_strips(self) -> None:
        comparisons = self._window.comparisons
        self._window.compare.timelines.show_model(comparisons.strips, live=comparisons.running)
        self.follow()

    def _show_judgement(self) -> None:
        window = self._window
        judgement = window.comparisons.shown.judgement
        if judgement is None:
            return
        from as2d.app.viewmodels.comparison import comparison_view
        from as2d.app.viewmodels.comparison_tables import tables_of

        window.compare.results.show_comparison(comparison_view(judgement))
        notes = [in_window(note) for note in judgement.notes]
        window.compare.results.show_further(tables_of(judgement), notes)
        window.docks.show("compare")
        window.compare.show_page(TABLE)
        self.follow()

    def _show_plots(self) -> None:
        """Fill the plots when they are looked at."""
        panel, judgement = self._window.compare, self._window.comparisons.shown.judgement
        if panel.page != PLOTS or panel.plots is None or judgement is None:
            return
        from as2d.app.viewmodels.comparison_plots import series_of, window_names

        panel.plots.show_series(series_of(judgement), window_names(judgement))
