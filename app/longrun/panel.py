"""The panel of long runs: what is asked for above, then what came of it in words and curves."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from as2d.app.commands.registry import CommandRegistry
from as2d.app.longrun.form import LongRunForm
from as2d.app.plotting import when_plots_are_loaded
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.longrun.charts import LongRunCharts
    from as2d.app.viewmodels.sustained import LongRunModel, Summary

_REDRAW_MS = 1000
_DOTS = ("●", "▲")
_SHOWN = 160


class LongRunPanel(QWidget):
    """Shows one long run, live or recorded; its curves are loaded when there is something to draw."""

    def __init__(self, settings: SettingsStore, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._model: LongRunModel | None = None
        self._drawn: tuple[object, ...] = ()
        self._since = QElapsedTimer()
        self.form = LongRunForm(settings, theme, registry)
        self.headline = _words("cardTitle")
        self.facts = _words()
        self.facts.setTextFormat(Qt.TextFormat.RichText)
        self.charts: LongRunCharts | None = None
        hint = QLabel(
            tr(
                "Here a device decodes for minutes to hours, so that its speed is seen when it is hot, and "
                "whether the faster method stays the faster one. The recordings of the list are decoded "
                "again and again, by two methods in turns."
            )
        )
        hint.setObjectName("secondary")
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint.setWordWrap(True)
        hint.setMargin(40)
        self._stack = QStackedLayout()
        self._stack.addWidget(hint)
        self._stack.addWidget(self._results())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.form)
        layout.addLayout(self._stack, 1)
        self.setFocusProxy(self.form.first)
        theme.changed.connect(self._draw_again)

    def show_run(self, model: LongRunModel | None) -> None:
        """Look at this run; None: there is none."""
        self._model = model
        self._drawn = ()
        self._stack.setCurrentIndex(0 if model is None else 1)
        self.follow()

    def follow(self) -> None:
        """Show what is new, at most once a second while nothing ends."""
        model = self._model
        if model is None or not self.isVisible():
            return
        state = (model, model.fold.parts, len(model.fold.decodes), model.ended)
        if state == self._drawn:
            return
        soon = self._drawn and (model, model.ended) == (self._drawn[0], self._drawn[3])
        if soon and self._since.isValid() and not self._since.hasExpired(_REDRAW_MS):
            return
        self._drawn = state
        self._since.restart()
        self._show(model)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened unseen."""
        super().showEvent(event)
        self._draw_again()

    def _draw_again(self) -> None:
        self._drawn = ()
        self.follow()

    def _show(self, model: LongRunModel) -> None:
        curves, summary = model.curves(), model.summary()
        if self.charts is None:
            when_plots_are_loaded(self._make_charts)
        else:
            self.charts.show_curves(curves)
        self._show_words(summary, [arm for arm, _ in curves.speeds])

    def _make_charts(self) -> None:
        if self.charts is None:
            from as2d.app.longrun.charts import LongRunCharts

            self.charts = LongRunCharts(self._theme)
            self._place.addWidget(self.charts, 1)
            if self._model is not None:
                self.charts.show_curves(self._model.curves())

    def _show_words(self, summary: Summary, arms: list[str]) -> None:
        from as2d.app.viewmodels.arm_names import short_name
        from as2d.app.viewmodels.sustained import METHOD_COLOURS

        data, colours = self._theme.data, self._theme.colours
        signs = {"changed": "⚠ ", "kept": "✓ "}
        self.headline.setText(signs.get(summary.tone, "") + summary.headline)
        facts = []
        for place, arm in enumerate(arms):
            line = summary.lines[place] if place < len(summary.lines) else ""
            dot = _coloured(_DOTS[place], data[METHOD_COLOURS[place]])
            facts.append(f"{dot} <b>{html.escape(short_name(arm))}</b> {html.escape(line)}")
        if summary.same is not None:
            sign, colour = ("✓", "accepted") if summary.same else ("≠", "correction")
            facts.append(_coloured(html.escape(f"{sign}\u00a0{summary.outputs}"), data[colour]))
        facts += [
            _coloured(html.escape(text), colours.secondary)
            for text in (summary.heat, summary.missing)
            if text
        ]
        told = "  &nbsp;·&nbsp; ".join(facts)
        if summary.texts is not None:
            told += "".join(f"<br>“{html.escape(text[:_SHOWN])}”" for text in summary.texts)
        self.facts.setText(told)

    def _results(self) -> QWidget:
        inside = QWidget()
        inside.setObjectName("panel")
        self._place = QVBoxLayout(inside)
        self._place.setContentsMargins(14, 8, 6, 4)
        self._place.setSpacing(4)
        self._place.addWidget(self.headline)
        self._place.addWidget(self.facts)
        return inside


def _coloured(text: str, colour: str) -> str:
    return f'<span style="color:{colour}">{text}</span>'


def _words(name: str = "") -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
