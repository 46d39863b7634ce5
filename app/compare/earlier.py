"""Comparisons that were begun before: listed, asked for, and opened from a run of the history."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from as2d.app.translation import tr
from as2d.app.viewmodels.kept_comparison import comparisons_dir

if TYPE_CHECKING:
    from as2d.app.viewmodels.kept_comparison import KeptComparison
    from as2d.app.window.main_window import StudioWindow

_MOST_LISTED = 12


def ask_for_comparison(window: StudioWindow) -> None:
    """Ask for the folder of a comparison, and open it."""
    name = QFileDialog.getExistingDirectory(window, tr("Open a comparison"), str(comparisons_dir()))
    if name:
        window.comparisons.open_folder(Path(name))


def list_earlier(window: StudioWindow) -> None:
    """Fill the menu of the window's own comparisons, the newest first."""
    menu = window.compare.earlier
    menu.clear()
    root = comparisons_dir()
    folders = sorted((path for path in root.glob("*/plan.toml")), reverse=True) if root.is_dir() else []
    for plan in folders[:_MOST_LISTED]:
        action = menu.addAction(_local_time(plan.parent.name))
        action.setEnabled(not window.comparisons.running)
        action.triggered.connect(lambda _on=False, folder=plan.parent: window.comparisons.open_folder(folder))
    if not folders:
        menu.addAction(tr("There is none yet.")).setEnabled(False)


def open_kept(window: StudioWindow, kept: KeptComparison) -> None:
    """Look at the comparison that a run of the history is a part of."""
    comparisons = window.comparisons
    if comparisons.running and kept.folder is not None and kept.folder == comparisons.shown.folder:
        window.docks.show("compare")  # its journal is held while it is run
    elif kept.folder is not None:
        comparisons.open_folder(kept.folder)
    else:
        comparisons.open_runs(kept.runs)


def _local_time(name: str) -> str:
    """The name of a comparison's folder, in the clock of this place."""
    try:
        begun = datetime.strptime(name, "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:  # it was named by somebody
        return name.replace("&", "&&")
    return f"{begun.astimezone():%Y-%m-%d %H:%M:%S}"
