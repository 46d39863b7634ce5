"""What the first picture needs is all that is loaded before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PICTURE = """
import sys
from as2d.app.main import make_application
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.theme import Theme
from as2d.app.window.main_window import StudioWindow

application = make_application()
window = StudioWindow(SettingsStore(), Theme(application, "light"))
window.appeared.connect(application.quit)
window.show()
application.exec()
print(*sys.modules)
"""
_COMMAND = """
import sys
sys.argv = ["as2d", "--version"]
from as2d.backend.cli.entry import main
try:
    main()
finally:
    print(*sys.modules)
"""
NOT_FOR_THE_PICTURE = (
    "as2d.backend.audio.recording",
    "as2d.backend.bench",
    "as2d.backend.devices.adb",
    "as2d.backend.devices.report",
    "as2d.backend.helper",
    "as2d.backend.models.converter",
    "as2d.backend.models.store",
    "as2d.backend.runs.store",
    "as2d.backend.transcribe.service",
    "av",
    "miniaudio",
    "onnx",
    "soundfile",
    "sqlite3",
)


def loaded(script: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "AS2D_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.usefixtures("qapp")
def test_the_first_picture_waits_for_nothing_that_it_does_not_show(tmp_path: Path) -> None:
    modules = loaded(_PICTURE, tmp_path)
    assert "as2d.app.timeline.view" in modules
    assert not modules & set(NOT_FOR_THE_PICTURE)


def test_a_command_loads_only_what_it_needs(tmp_path: Path) -> None:
    modules = loaded(_COMMAND, tmp_path)
    assert "as2d.backend.cli.main" in modules
    assert not modules & {*NOT_FOR_THE_PICTURE, "numpy", "PySide6", "as2d.backend.cli.transcribe"}
