"""Habits of a finished window: names for screen readers, keyboard alone, nothing cut off at 1280×800."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio

from as2d.app.about.dialog import AboutDialog
from as2d.app.commands.palette import CommandPalette
from as2d.app.commands.shortcuts import ShortcutsDialog
from as2d.app.settings.dialog import SettingsDialog
from as2d.app.theme.theme import Theme
from as2d.app.transcript.find_bar import FindBar
from as2d.app.window.main_window import StudioWindow

PANELS = (
    *("transcript", "compare", "longrun", "device", "history"),
    *("timeline", "log", "recordings", "inspector"),
)
_INNER = ("qt_spinbox_lineedit", "qt_scrollarea_viewport", "qt_toolbar_ext_button")


def named(widget: QWidget) -> str:
    """What a screen reader says of a widget: its name, else its text, else that of the label beside it."""
    if widget.accessibleName():
        return widget.accessibleName()
    if isinstance(widget, QAbstractButton | QLabel) and widget.text():
        return widget.text()
    window = widget.window()
    return next((label.text() for label in window.findChildren(QLabel) if label.buddy() is widget), "")


def reachable(top: QWidget) -> list[QWidget]:
    """The widgets that take the focus by Tab, parts of others left out."""
    found = []
    for widget in top.findChildren(QWidget):
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
        part = widget.objectName() in _INNER or isinstance(widget, QScrollBar | QTabBar)
        inner = isinstance(widget.parent(), QComboBox) or isinstance(widget.window().parent(), QComboBox)
        if takes and not part and not inner:
            found.append(widget)
    return found


def nameless(top: QWidget) -> list[str]:
    return [
        f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
        for widget in reachable(top)
        if not named(widget)
    ]


def test_everything_that_takes_the_focus_has_a_name(open_studio: OpenStudio) -> None:
    window = open_studio()
    assert len(reachable(window)) > 30
    assert nameless(window) == []
    for dialog in (
        SettingsDialog(window.settings, window),
        ShortcutsDialog(window.registry, window),
        CommandPalette(window.registry, window),
        AboutDialog(window),
    ):
        assert nameless(dialog) == []
        dialog.deleteLater()


def cut_off(window: StudioWindow) -> list[str]:
    """Texts that are wider or higher than the place that they have."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton | QComboBox):
            continue
        if isinstance(widget, QLabel) and (widget.wordWrap() or not widget.text() or widget.pixmap()):
            continue
        text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
        if text and widget.minimumSizeHint().width() > widget.width() + 1:
            found.append(f"{text}: {widget.minimumSizeHint().width()} > {widget.width()}")
    return found


def scroll_bars(window: StudioWindow) -> list[str]:
    return [
        area.accessibleName() or type(area).__name__
        for area in window.findChildren(QAbstractScrollArea)
        if area.isVisible()
        and any(bar.isVisible() for bar in (area.horizontalScrollBar(), area.verticalScrollBar()))
    ]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_main_views_fit_into_1280_by_800(open_studio: OpenStudio, qtbot: QtBot, language: str) -> None:
    window = open_studio(language=language)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: len(window.studio.recordings.items) == 1, timeout=PATIENCE_MS)
    for panel in PANELS:
        window.docks.show(panel)
        QApplication.processEvents()
        assert (window.width(), window.height()) == (1280, 800)

        def fits(panel: str = panel) -> None:
            assert cut_off(window) == []
            if panel != "device":  # what a phone tells may be as long as it likes
                assert scroll_bars(window) == [], panel

        qtbot.waitUntil(fits, timeout=PATIENCE_MS)  # texts that have just changed get their place soon


def test_tab_goes_through_the_window_and_leaves_nothing_out(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    window.docks.show("transcript")
    window.docks.show("timeline")
    window.top_bar.device.setFocus()
    seen: set[QWidget] = set()
    for _ in range(200):
        focused = QApplication.focusWidget()
        if focused is None or (focused is window.top_bar.device and seen):
            break
        seen.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert window.calls.view in seen
    assert window.recordings.view in seen or window.recordings in {w.parent() for w in seen}
    left_out = [
        f"{type(widget).__name__} {named(widget)}"
        for widget in reachable(window)
        if widget.isVisible() and widget.isEnabled() and widget not in seen
    ]
    assert left_out == []


def test_find_counts_what_is_there_after_the_text_has_changed(qtbot: QtBot, qapp: QApplication) -> None:
    text = QTextEdit()
    bar = FindBar(text, Theme(qapp, "light"))
    for widget in (text, bar):
        qtbot.addWidget(widget)
        widget.show()
    text.setPlainText("one two one two one")
    bar.text.setText("one")
    bar.step(2)
    assert bar.count.text() == "3 of 3"
    cursor = QTextCursor(text.document())
    cursor.movePosition(QTextCursor.MoveOperation.NextWord, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    assert bar.count.text() == "2 of 2"
    text.setPlainText("one only")
    assert bar.count.text() == "1 match"
