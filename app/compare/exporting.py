"""The files of a comparison, written into a folder that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from as2d.app.operations.operation import Operation
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow

_WRITTEN = ("report.html", "table.csv", "table.md", "windows.jsonl", "trace.pftrace", "comparison.as2d")


def export_comparison(window: StudioWindow, start: str) -> None:
    """Write the report, the tables, the trace and the bundle of what is looked at; `start`: the folder in
    which the user begins to choose.
    """
    shown = window.comparisons.shown
    judgement = shown.judgement
    if judgement is None:
        return
    name = QFileDialog.getExistingDirectory(window, tr("Export the comparison into a folder"), start)
    if not name or not _may_write(window, Path(name)):
        return
    window.settings.change(last_folder=name)

    def work(operation: Operation) -> object:
        from as2d.backend.compare.reports.files import write_reports

        return write_reports(Path(name), judgement, shown.runs, operation.report, operation.cancel)

    operation = Operation(tr("Exporting the comparison"), work, can_be_cancelled=True)
    operation.succeeded.connect(
        lambda _paths: window.tell(tr("The comparison was exported to {path}.", path=name), Path(name))
    )
    operation.failed.connect(lambda error: window.say("error", error.message))
    window.studio.operations.start(operation)


def _may_write(window: StudioWindow, folder: Path) -> bool:
    """Ask before another export is replaced."""
    there = [name for name in _WRITTEN if (folder / name).exists()]
    if not there:
        return True
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(tr("Export the comparison"))
    box.setText(tr("The folder holds an export already. Replace it?"))
    box.setInformativeText(", ".join(there))
    replace = box.addButton(tr("Replace"), QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    return box.clickedButton() is replace
