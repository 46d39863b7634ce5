"""What draws plots is loaded when the panel that wants them is in sight, by the window's own thread."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os
import sys
import threading

by_the_window = []


class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "pyqtgraph":
            by_the_window.append(threading.current_thread() is threading.main_thread())


sys.meta_path.insert(0, Watch())

from PySide6.QtCore import QEventLoop

from as2d.app.compare.panel import PLOTS
from as2d.app.main import make_application
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.window.main_window import StudioWindow

application = make_application()
store = SettingsStore()
store.change(look_for_phones=False, started_before=True)
window = StudioWindow(store, Theme(application, "light"))
window.show()
for name in ("longrun", "device", "compare"):
    window.docks.show(name)
    assert by_the_window == [], name
window.compare.show_page(PLOTS)
window.compare.show_page(PLOTS - 1)
window.compare.show_page(PLOTS)
while window.compare.plots is None:
    application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
assert window.compare.plots.isVisible()
print(by_the_window, flush=True)
os._exit(0)  # what the Device tab asks meanwhile is left alone
"""


def test_plots_are_loaded_after_their_panel_has_come_into_sight(tmp_path: Path) -> None:
    environment = {**os.environ, "AS2D_DATA_DIR": str(tmp_path), "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["[True]"]), done.stderr
