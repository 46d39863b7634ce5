"""All commands of the window, and the menus made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from as2d.app.commands.registry import Command, CommandRegistry
from as2d.app.device.commands import BREAKS, device_rows
from as2d.app.translation import tr

Deeds = Mapping[str, Callable[[], None]]
"""What each command does, by its id."""


def _rows() -> list[tuple[str, str, str, tuple[str, ...], str | None, bool]]:
    """Group, id, text, shortcuts, icon, checkable."""
    file, edit, run, play = tr("File"), tr("Edit"), tr("Run"), tr("Playback")
    view, helps = tr("View"), tr("Help")
    return [
        (file, "recordings.add", tr("&Add recordings …"), ("Ctrl+O",), "add", False),
        (file, "recordings.folder", tr("Add a &folder …"), ("Ctrl+Shift+O",), "folder", False),
        (file, "recordings.sample", tr("Add the &sample recording"), (), "wave", False),
        (file, "recordings.record", tr("Record from the &microphone"), ("Ctrl+M",), "microphone", False),
        (file, "bundle.open", tr("Open a run &bundle …"), (), None, False),
        (file, "transcript.export", tr("&Export …"), ("Ctrl+E",), "export", False),
        (file, "transcript.export_all", tr("Export a&ll transcripts …"), ("Ctrl+Shift+E",), None, False),
        (file, "timeline.export", tr("Export the &timeline …"), (), None, False),
        (file, "run.bundle", tr("&Pack the run into a bundle …"), (), None, False),
        (file, "compare.open", tr("Open a com&parison …"), (), None, False),
        (file, "compare.plan_open", tr("Open a plan of a comparison …"), (), None, False),
        (file, "compare.plan_save", tr("Save the plan of the comparison …"), (), None, False),
        (file, "compare.export", tr("Export the &comparison …"), (), None, False),
        (file, "app.quit", tr("&Quit"), ("Ctrl+Q",), None, False),
        (edit, "edit.undo", tr("&Undo"), ("Ctrl+Z",), "undo", False),
        (edit, "edit.redo", tr("&Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), None, False),
        (edit, "transcript.copy", tr("&Copy the transcript"), ("Ctrl+Shift+C",), "copy", False),
        (edit, "transcript.copy_times", tr("Copy with &times"), ("Ctrl+Alt+C",), None, False),
        (edit, "transcript.correct", tr("Co&rrect the transcript"), ("F2",), "edit", True),
        (edit, "transcript.decoded", tr("Show what was &decoded"), (), None, True),
        (edit, "transcript.restore", tr("Take the correction &back"), (), None, False),
        (edit, "transcript.find", tr("&Find in the transcript"), ("Ctrl+F",), "search", False),
        (edit, "app.settings", tr("&Settings …"), ("Ctrl+,",), "settings", False),
        (edit, "app.shortcuts", tr("&Keyboard shortcuts …"), ("Ctrl+K",), "keyboard", False),
        (run, "run.start", tr("&Run"), ("Ctrl+R", "F5"), "run", False),
        (run, "run.cancel", tr("Ca&ncel"), ("Ctrl+.",), "stop", False),
        (run, "recordings.cancel", tr("Cancel the &selected recordings"), (), None, False),
        (run, "recordings.again", tr("Decode the selected recordings a&gain"), (), None, False),
        (run, "recordings.up", tr("Move &up"), ("Alt+Up",), "up", False),
        (run, "recordings.down", tr("Move &down"), ("Alt+Down",), "down", False),
        (run, "recordings.remove", tr("&Remove from the list"), ("Delete", "Ctrl+Backspace"), "trash", False),
        (run, "compare.run", tr("Co&mpare"), ("Ctrl+Shift+R",), "run", False),
        (run, "compare.stop", tr("Stop the compa&rison"), (), "stop", False),
        (run, "longrun.start", tr("Start a l&ong run"), (), "run", False),
        (run, "longrun.stop", tr("S&top the long run"), (), "stop", False),
        (play, "playback.toggle", tr("&Play or pause"), ("Space", "F8", "Media Play"), "run", False),
        (play, "playback.back", tr("&Back 5 s"), ("Alt+Left",), "back", False),
        (play, "playback.forward", tr("&Forward 5 s"), ("Alt+Right",), "forward", False),
        (play, "playback.slower", tr("&Slower"), ("Ctrl+[",), None, False),
        (play, "playback.faster", tr("F&aster"), ("Ctrl+]",), None, False),
        (view, "app.palette", tr("&Command palette"), ("Ctrl+Shift+P",), "list", False),
        (view, "view.recordings", tr("Go to the &recordings"), ("Ctrl+1",), None, False),
        (view, "view.transcript", tr("Go to the &transcript"), ("Ctrl+2",), None, False),
        (view, "view.timeline", tr("Go to the t&imeline"), ("Ctrl+3",), None, False),
        (view, "view.inspector", tr("Go to the &call"), ("Ctrl+4",), None, False),
        (view, "view.device", tr("Go to the &device"), ("Ctrl+5",), None, False),
        (view, "view.history", tr("Go to the &history"), ("Ctrl+6",), "history", False),
        (view, "view.compare", tr("Go to the &comparison"), ("Ctrl+8",), None, False),
        (view, "view.longrun", tr("Go to the long r&un"), ("Ctrl+9",), None, False),
        (view, "view.log", tr("Go to the &messages"), ("Ctrl+7",), "log", False),
        (view, "view.origins", tr("Show where tokens come &from"), ("Ctrl+T",), None, True),
        (view, "view.larger", tr("&Larger text"), ("Ctrl++", "Ctrl+="), None, False),
        (view, "view.smaller", tr("S&maller text"), ("Ctrl+-",), None, False),
        (view, "view.reset", tr("Panels as at &first"), (), None, False),
        (view, "history.open", tr("&Open the selected run"), (), None, False),
        (view, "history.compare", tr("Co&mpare the selected runs"), (), None, False),
        (view, "history.rename", tr("&Name the selected run …"), (), None, False),
        (view, "history.tag", tr("Ta&g the selected runs …"), (), None, False),
        (view, "history.bundle", tr("&Pack the selected runs into a bundle …"), (), None, False),
        (view, "history.delete", tr("D&elete the selected runs"), ("Delete",), "trash", False),
        *device_rows(),
        (helps, "app.log_file", tr("Show the &log file"), (), None, False),
        (helps, "app.about", tr("&About AS²D Studio"), (), "info", False),
    ]


_MENU_BREAKS = {
    "bundle.open",
    "transcript.export",
    "app.quit",
    "transcript.copy",
    "transcript.correct",
    "transcript.find",
    "playback.slower",
    "app.settings",
    "recordings.cancel",
    "recordings.up",
    "compare.run",
    "compare.open",
    "longrun.start",
    "view.recordings",
    "view.origins",
    "view.reset",
    "history.open",
    "app.about",
    *BREAKS,
}


def add_commands(registry: CommandRegistry, deeds: Deeds) -> None:
    """Put every command into the registry.

    Raises:
        KeyError: a command has no deed.
    """
    for group, name, text, shortcuts, icon, checkable in _rows():
        registry.add(Command(name, group, text, deeds[name], shortcuts, icon, checkable))


def fill_menus(bar: QMenuBar, registry: CommandRegistry, panels: list[QAction]) -> None:
    """One menu a group, in the order of the commands; the panels' own actions go into the view's."""
    titles = {
        tr("File"): tr("&File"),
        tr("Edit"): tr("&Edit"),
        tr("Run"): tr("&Run"),
        tr("Playback"): tr("&Playback"),
        tr("View"): tr("&View"),
        tr("Device"): tr("&Device"),
        tr("Help"): tr("&Help"),
    }
    menus: dict[str, QMenu] = {}
    for group, name, *_ in _rows():
        if group not in menus:
            menus[group] = bar.addMenu(titles[group])
        if name in _MENU_BREAKS:
            menus[group].addSeparator()
        menus[group].addAction(registry.action(name))
    menus[tr("View")].addMenu(tr("Panels")).addActions(panels)
