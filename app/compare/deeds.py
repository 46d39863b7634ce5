"""What the commands about comparisons do, and what their panel shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog

from as2d.app.compare.earlier import ask_for_comparison, list_earlier, open_kept
from as2d.app.compare.exporting import export_comparison
from as2d.app.compare.opened import OpenedPlan
from as2d.app.compare.panel import PLAN, PLOTS, TABLE, TIMELINES
from as2d.app.compare.timing import PlanTiming
from as2d.app.device.knowledge import Key
from as2d.app.sentences import in_window
from as2d.app.translation import tr
from as2d.app.viewmodels.kept_comparison import comparisons_dir
from as2d.app.viewmodels.plan_words import plan_words
from as2d.app.window.quiet import why_not_now
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.app.compare.running import Comparison
    from as2d.app.window.main_window import StudioWindow
    from as2d.backend.compare.plan import ComparePlan


class CompareDeeds(QObject):
    """Runs, opens and exports comparisons, and keeps their panel in step."""

    def __init__(self, window: StudioWindow) -> None:
        super().__init__(window)
        self._window = window
        self._opened: OpenedPlan | None = None
        self._seen: Comparison | None = None
        self._timing = PlanTiming(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.follow)

    def table(self) -> dict[str, Callable[[], None]]:
        """The deeds by the ids of their commands."""
        return {
            "compare.run": self._run,
            "compare.stop": self._window.comparisons.stop,
            "compare.open": lambda: ask_for_comparison(self._window),
            "compare.plan_open": self._open_plan,
            "compare.plan_save": self._save_plan,
            "compare.export": lambda: export_comparison(self._window, self._folder()),
            "view.compare": lambda: self._window.docks.show("compare"),
        }

    def connect_all(self) -> None:
        """Follow what the panel depends on."""
        window, comparisons, panel = self._window, self._window.comparisons, self._window.compare
        comparisons.progressed.connect(self._tell_progress)
        comparisons.running_changed.connect(self._running_changed)
        comparisons.reading_changed.connect(self.follow)
        comparisons.stop_asked.connect(self.follow)
        comparisons.shown_changed.connect(self._shown_changed)
        comparisons.judged.connect(self._show_judgement)
        comparisons.failed.connect(lambda text: window.say("error", text))
        comparisons.noted.connect(lambda text: window.say("note", text))
        comparisons.recorded.connect(window.follower.list_runs)
        for recorded in (comparisons.recorded, window.studio.run_recorded):
            recorded.connect(self._timing.forget)
        panel.form_made.connect(self._form_made)
        panel.page_shown.connect(self._page_shown)
        self._timing.changed.connect(self._say_size)
        panel.earlier.aboutToShow.connect(lambda: list_earlier(window))
        window.studio.comparison_opened.connect(lambda kept: open_kept(window, kept))
        window.studio.running_changed.connect(lambda _running: self.follow())
        window.long_runs.running_changed.connect(lambda _running: self.follow())
        window.studio.recordings.listen(lambda item: self.follow() if item is None else self._soon.start())
        window.works.changed.connect(lambda _key: self._soon.start())
        window.phones.changed.connect(self._follow_phones)
        window.theme.changed.connect(self.follow)

    def follow(self) -> None:
        """Bring what can be done up to date."""
        window, comparisons = self._window, self._window.comparisons
        running, shown = comparisons.running, comparisons.shown
        free = not comparisons.reading and self._why_not() is None
        window.registry.enable("compare.run", free)
        window.registry.enable("compare.stop", running and not comparisons.stopping)
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
        """The plan that was opened, or that the form asks for; raises `WrongUse`."""
        if self._opened is not None:
            return self._opened.anywhere()
        panel = self._window.compare
        if panel.form is None:
            panel.show_page(PLAN)
        assert panel.form is not None
        language = self._window.settings.current.decode.language
        return panel.form.plan(self._paths(), language)

    def _paths(self) -> list[Path]:
        return self._window.studio.recordings.files()

    def _keys(self) -> list[Key]:
        """The devices that the plan names."""
        form = self._window.compare.form
        if self._opened is None and form is None:
            return []
        from as2d.backend.compare.plan import THIS_COMPUTER

        if self._opened is not None:
            names = self._opened.plan.devices if self._opened.plan.replay is None else ()
        else:
            names = form.devices.chosen if form is not None else ()
        return [None if name == THIS_COMPUTER else name for name in names]

    def _why_not(self) -> str | None:
        """Why a comparison may not begin now."""
        return why_not_now(self._window, self._keys())

    def _goes_on(self) -> bool:
        """Whether the plan is the one that is shown and was not run to its end."""
        shown = self._window.comparisons.shown
        if shown.plan is None or shown.folder is None or shown.complete:
            return False
        if self._opened is not None and self._opened.plan is shown.plan:
            return True
        if self._opened is None and self._window.compare.form is None:
            return False
        try:
            return self._plan().digest == shown.plan.digest
        except UserError:
            return False

    def _run(self) -> None:
        window = self._window
        window.docks.show("compare")
        reason = self._why_not()
        if reason is not None:
            window.say("note", reason)
            return
        shown = window.comparisons.shown
        folder: Path | None = None
        try:
            plan = self._plan()
        except UserError as error:
            window.compare.show_page(PLAN)
            window.say("error", error.message)
            return
        if self._goes_on():
            folder = shown.folder
            if self._opened is not None and shown.plan is not None:
                plan = shown.plan  # its relative paths are seen from its own folder
        if folder is None:
            folder = comparisons_dir() / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        window.compare.show_page(TIMELINES)
        window.comparisons.start(plan, folder)

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
        self._window.compare.show_page(PLAN)
        self._show_plan(OpenedPlan(plan, Path(name).parent))

    def _show_plan(self, opened: OpenedPlan) -> None:
        """Fill the form with a plan, which is what is run until the form is changed."""
        self._opened = opened
        form = self._window.compare.form
        if form is not None:
            form.show_plan(opened.plan)
        self.follow()

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

    def _folder(self) -> str:
        return self._window.settings.current.last_folder or str(Path.home())

    def _form_made(self) -> None:
        form = self._window.compare.form
        assert form is not None
        form.show_phones(self._window.phones.now)
        if self._opened is not None:
            form.show_plan(self._opened.plan)
        form.changed.connect(self._form_changed)
        self.follow()

    def _form_changed(self) -> None:
        self._opened = None
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
            watched = panel.isVisible() and panel.page == PLAN and not self._window.decoding
            estimate = self._timing.of(plan, self._names()) if watched else None
            form.note.setText(plan_words(plan, estimate, opened=self._opened is not None))
        except UserError as error:
            form.note.setText(in_window(error.message))
        reading = tr("Reading the comparison …") if self._window.comparisons.reading else ""
        panel.show_progress(reading or self._why_not() or "", None)

    def _names(self) -> dict[str, str]:
        """What recorded runs call the phones."""
        return {phone.id: phone.label for phone in self._window.phones.now}

    def close(self, seconds: float) -> bool:
        """Work nothing out any more, waiting for at most so long; whether all ended."""
        return self._timing.close(seconds)

    def _running_changed(self, running: bool) -> None:
        self.follow()
        self._window.follower.follow_running()
        self._window.follower.follow_history()
        self._window.device_deeds.follow()
        self._window.compare.timelines.set_live(running)
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
        text = "  ·  ".join(parts)
        if comparisons.stopping:
            text = tr("Stopping …")
        panel.show_progress(
            f"{text[:1].upper()}{text[1:]}" if text else tr("Starting …"), done / total if total else 0.0
        )

    def _shown_changed(self) -> None:
        """Another comparison is looked at, or its timelines have been read."""
        comparisons, panel = self._window.comparisons, self._window.compare
        panel.timelines.show_model(comparisons.strips, live=comparisons.running)
        shown, new = comparisons.shown, comparisons.shown is not self._seen
        self._seen = shown
        if shown.judgement is None:  # the table and the plots of the last one are not those of this one
            panel.results.show_hint()
            self._show_plots()
        if new and not comparisons.running and shown.plan is not None and shown.folder is not None:
            self._show_plan(OpenedPlan(shown.plan, shown.folder))
            if shown.judgement is None:
                self._window.docks.show("compare")
                panel.show_page(TIMELINES)
        self.follow()

    def _show_judgement(self, asked: bool) -> None:
        """`asked`: by the user; else a plan has ended, and whoever works elsewhere is not taken away."""
        window, panel = self._window, self._window.compare
        judgement = window.comparisons.shown.judgement
        if judgement is None:
            return
        from as2d.app.viewmodels.comparison import comparison_view
        from as2d.app.viewmodels.comparison_tables import tables_of

        panel.results.show_comparison(comparison_view(judgement))
        panel.results.show_cautions([in_window(caution) for caution in judgement.cautions])
        notes = [in_window(note) for note in judgement.notes]
        panel.results.show_further(tables_of(judgement), notes)
        if asked:
            window.docks.show("compare")
        if asked or (panel.page == TIMELINES and not panel.timelines.strips.hasFocus()):
            panel.show_page(TABLE)
        if panel.page != TABLE or not panel.isVisible():
            window.tell(tr("The comparison has been judged; its table is in the Compare tab."))
        self._show_plots()
        self.follow()

    def _page_shown(self, page: int) -> None:
        if page == PLAN and not self._window.comparisons.running:
            self._say_size()
        self._show_plots()

    def _show_plots(self) -> None:
        """Fill the plots when they are looked at."""
        panel, judgement = self._window.compare, self._window.comparisons.shown.judgement
        if panel.plots is None:
            return
        if judgement is None:
            panel.plots.show_series((), ())
            return
        if panel.page != PLOTS:
            return
        from as2d.app.viewmodels.comparison_plots import series_of, window_names

        panel.plots.show_series(series_of(judgement), window_names(judgement))
