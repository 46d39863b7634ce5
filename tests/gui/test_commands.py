"""Every command is reached by menu, palette and keys, and every control has a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QKeyCombination, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio

from as2d.app.commands.palette import CommandPalette
from as2d.app.commands.shortcuts import ShortcutsDialog
from as2d.app.commands.text_keys import TEXT_KEYS
from as2d.app.settings.dialog import SettingsDialog
from as2d.app.window.main_window import StudioWindow

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_no_two_commands_share_a_shortcut(open_studio: OpenStudio) -> None:
    registry = open_studio().registry
    taken: dict[str, list[str]] = {}
    for command in registry:
        for keys in registry.shortcuts(command.id):
            name = QKeySequence(keys).toString()
            assert name, f"{command.id}: {keys} is no shortcut"
            holders = taken.setdefault(name, [])
            assert not [other for other in holders if registry.may_collide(command.id, other)]
            holders.append(command.id)


def press(qtbot: QtBot, widget: QWidget, keys: QKeySequence) -> None:
    """Press a key as the desktop would: a shortcut may take it before the widget."""
    combination = keys[0]
    assert isinstance(combination, QKeyCombination)
    qtbot.keyClick(widget, combination.key(), combination.keyboardModifiers())


def test_keys_that_edit_text_run_no_command_while_text_is_edited(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "a.wav"
    file.write_bytes(b"RIFF")
    window = open_studio(file)
    ran: list[str] = []
    window.registry.action("app.about").triggered.disconnect()
    window.registry.action("app.about").triggered.connect(lambda: ran.append("about"))
    keys = {own.toString(): own for key in TEXT_KEYS for own in QKeySequence.keyBindings(key)}
    assert {"Ctrl+Backspace", "Ctrl+Del", "Del", "Ctrl+Left", "Shift+End", "Ctrl+V"} <= set(keys)
    window.docks.show("history")
    field = window.history.search
    for name, sequence in keys.items():
        for command in list(window.registry):
            if name in [QKeySequence(own).toString() for own in window.registry.shortcuts(command.id)]:
                window.registry.change_shortcuts(command.id, [])
        window.registry.change_shortcuts("app.about", [name])
        field.setText("one two")
        field.setFocus()
        press(qtbot, field, sequence)
        assert ran == [], name
    window.registry.change_shortcuts("app.about", ["Ctrl+Backspace"])
    window.recordings.view.setFocus()
    press(qtbot, window.recordings.view, QKeySequence("Ctrl+Backspace"))
    assert ran == ["about"]


def test_delete_removes_rows_only_where_they_are_listed(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}.wav" for name in "abc"]
    for file in files:
        file.write_bytes(b"RIFF")
    window = open_studio(*files)
    view, items = window.recordings.view, window.studio.recordings.items
    window.docks.show("history")
    for elsewhere in (window.history.search, window.top_bar, window.history.table):
        elsewhere.setFocus()
        for keys in ("Del", "Ctrl+Backspace"):
            press(qtbot, elsewhere, QKeySequence(keys))
    assert len(items) == 3
    view.setFocus()
    view.selectAll()
    view.selectionModel().select(view.model().index(1, 0), QItemSelectionModel.SelectionFlag.Deselect)
    press(qtbot, view, QKeySequence("Del"))
    assert [item.path.name for item in items] == ["b.wav"]
    assert all(file.exists() for file in files)
    window.registry.run("edit.undo")
    assert len(items) == 3


def test_every_command_is_in_a_menu(open_studio: OpenStudio) -> None:
    window = open_studio()
    shown = {
        action.objectName()
        for top in window.menuBar().actions()
        if top.menu() is not None
        for action in top.menu().actions()  # type: ignore[union-attr]
    }
    assert {command.id for command in window.registry} <= shown


def test_every_menu_is_opened_by_a_letter_of_its_own(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    bar = window.menuBar()
    letters = [QKeySequence.mnemonic(top.text()) for top in bar.actions()]
    assert all(not letter.isEmpty() for letter in letters)
    assert len({letter.toString() for letter in letters}) == len(letters)
    for top, letter in zip(bar.actions(), letters, strict=True):
        press(qtbot, window, letter)
        menu = QApplication.activePopupWidget()
        assert menu is top.menu()
        assert menu is not None
        menu.close()


def test_the_palette_runs_a_command_from_a_few_letters(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    qtbot.keyClick(window, Qt.Key.Key_P, CONTROL | SHIFT)
    palette = window.findChild(CommandPalette)
    assert palette is not None
    assert palette.list.count() > 10
    qtbot.keyClicks(palette.search, "go hist")
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert window.docks.is_shown("history")
    assert window.isActiveWindow()


def test_the_palette_is_as_high_as_its_list_and_closes_by_a_click_beside_it(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = open_studio()
    window.registry.run("app.palette")
    palette = window.findChild(CommandPalette)
    assert palette is not None
    whole = palette.height()
    qtbot.keyClicks(palette.search, "history")
    found, bar = palette.list, palette.list.verticalScrollBar()
    assert 0 < found.count() < 8
    qtbot.waitUntil(lambda: palette.height() < whole - 50, timeout=PATIENCE_MS)
    assert bar.maximum() == 0  # all of it is in sight
    rect = found.visualItemRect(found.item(found.count() - 1))
    assert found.viewport().height() - rect.bottom() < rect.height()

    palette.search.setText("settings")
    assert found.item(0).text() == "Edit: Settings …"
    rect = found.visualItemRect(found.item(0))
    image = found.viewport().grab(rect).toImage()
    ground = image.pixelColor(rect.width() - 4, 4)

    def inked(begin: int, end: int) -> bool:
        return any(
            image.pixelColor(x, y) != ground for x in range(begin, end) for y in range(4, rect.height() - 4)
        )

    assert inked(rect.width() - 40, rect.width() - 4)  # its shortcut
    assert not inked(rect.width() // 2, rect.width() - 80)

    qtbot.mouseClick(palette.search, Qt.MouseButton.LeftButton)
    assert palette.isVisible()
    qtbot.mouseClick(window.transcript, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(CommandPalette) is None, timeout=PATIENCE_MS)


def test_a_shortcut_is_changed_kept_and_never_given_twice(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    dialog = ShortcutsDialog(window.registry, window)
    qtbot.addWidget(dialog)
    found = dialog.list.findItems("Run: Run", Qt.MatchFlag.MatchExactly)
    dialog.list.setCurrentItem(found[0])
    dialog.keys.setKeySequence(QKeySequence("Ctrl+F"))
    dialog.set_button.click()
    assert "Find in the transcript" in dialog.problem.text()
    dialog.keys.setKeySequence(QKeySequence("Ctrl+G"))
    dialog.set_button.click()
    assert window.registry.shortcuts("run.start") == ["Ctrl+G"]
    window.close()
    assert open_studio().registry.shortcuts("run.start") == ["Ctrl+G"]


def nameless(window: QWidget) -> list[str]:
    """The controls that a screen reader could not name."""
    kinds = (QAbstractButton, QComboBox, QLineEdit, QSpinBox, QAbstractScrollArea)
    return [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in window.findChildren(QWidget)
        if isinstance(widget, kinds)
        and widget.isVisibleTo(window)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and not isinstance(widget.parent(), QSpinBox | QComboBox)
    ]


def test_every_control_has_a_name(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    for panel in ("recordings", "transcript", "timeline", "inspector", "device", "history", "log"):
        window.docks.show(panel)
        assert nameless(window) == []
    for dialog in (SettingsDialog(window.settings, window), ShortcutsDialog(window.registry, window)):
        qtbot.addWidget(dialog)
        dialog.show()
        assert nameless(dialog) == []


def test_the_settings_dialog_changes_the_look_at_once(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    light = QApplication.palette().window().color()
    window.registry.run("app.settings")
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    dialog.scheme.setCurrentIndex(dialog.scheme.findData("dark"))
    dialog.text_size.setValue(22)
    dialog.accept()
    assert QApplication.palette().window().color().lightness() < light.lightness()
    assert window.transcript.view.font().pixelSize() == 22
    assert window.settings.current.scheme == "dark"


@pytest.mark.parametrize("panel", ["recordings", "transcript", "device", "history", "log"])
def test_panels_fit_a_small_screen_without_scroll_bars(
    open_studio: OpenStudio, qtbot: QtBot, panel: str
) -> None:
    window: StudioWindow = open_studio()
    window.resize(1280, 800)
    window.docks.show(panel)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (1280, 800)

    def fits() -> None:
        shown = [
            type(area).__name__
            for area in window.findChildren(QAbstractScrollArea)
            if area.isVisible()
            and (
                area.horizontalScrollBar().isVisible()
                # The cards of a device are a page to be read on, all of it below each other.
                or (panel != "device" and area.verticalScrollBar().isVisible())
            )
        ]
        assert shown == []

    qtbot.waitUntil(fits, timeout=PATIENCE_MS)  # what has just been shown gets its place soon
