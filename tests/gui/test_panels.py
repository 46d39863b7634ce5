"""Panels without content say what they will show and how to get it."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget
from PySide6QtAds import CDockWidget
from tests.gui.conftest import OpenStudio

from as2d.app.window.main_window import StudioWindow

EMPTY = {
    "recordings": "Drop recordings",
    "transcript": "The transcript appears here",
    "timeline": "add recordings and run, or open a run of the history",
    "inspector": "Click a call in the timeline",
    "compare": "Add recordings to the list first: they are what is compared on.",
    "device": "Not measured on this device with these models and threads yet",
    "longrun": "decoded again and again",
    "history": "Every run is kept here and can be opened again. There is none yet.",
    "log": "What happens is told here",
}


def panels(window: StudioWindow) -> dict[str, CDockWidget]:
    return dict(window.docks.manager.dockWidgetsMap())


def said(panel: QWidget) -> str:
    texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    for field in panel.findChildren(QPlainTextEdit):
        if field.isVisible() and not field.toPlainText():
            texts.append(field.placeholderText())
    return "\n".join(texts)


def test_every_empty_panel_says_what_it_will_show(open_studio: OpenStudio) -> None:
    window = open_studio()
    window.recordings.view.selectAll()
    window.registry.run("recordings.remove")
    found = panels(window)
    assert found.keys() == EMPTY.keys()
    for name, words in EMPTY.items():
        window.docks.show(name)
        assert words in said(found[name].widget()), name


def test_tabs_stay_where_they_are_when_another_is_current(open_studio: OpenStudio) -> None:
    window = open_studio()
    found = panels(window)

    def places() -> dict[str, QRect]:
        return {name: dock.tabWidget().geometry() for name, dock in found.items()}

    window.docks.show("transcript")
    window.docks.show("timeline")
    QApplication.processEvents()
    before = places()
    for name in found:
        window.docks.show(name)
        QApplication.processEvents()
        assert places() == before, name
