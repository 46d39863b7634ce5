"""Pictures of every view, light and dark, on a small and a large screen.

`python -m tests.gui.screenshots FOLDER` writes them. The window runs on the real helper with the models of
AS2D_DATA_DIR; settings and runs are in a folder of their own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("AS2D_SOUND", "null")  # a device that plays and hears nothing, in real time
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={Path(__file__).parent / 'screen.json'}")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from as2d.app.main import make_application, prepare_language
from as2d.app.settings.store import SettingsStore
from as2d.app.theme.colours import Scheme
from as2d.app.theme.theme import Theme
from as2d.app.window.main_window import StudioWindow
from as2d.backend.paths import data_dir, profiles_dir
from as2d.backend.transcribe.sample import sample_recording

SIZES = ((1280, 800), (2560, 1440))
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DIALOGS = {
    "settings": "app.settings",
    "shortcuts": "app.shortcuts",
    "about": "app.about",
    "palette": "app.palette",
    "export": "transcript.export",
}
ENGLISH = ("sonnet001.mp3", "libri_198-209-0000.ogg", "ami_trn04.flac", "noisy0dB_LJ001-0021.wav")
PANELS = ("device", "history", "log")


def main(folder: Path) -> None:
    """Write the pictures into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    speech = [Path(__file__).parents[1] / "data" / "speech" / name for name in ENGLISH]
    models, profiles = data_dir() / "models", profiles_dir()
    with tempfile.TemporaryDirectory() as own:
        (Path(own) / "models").symlink_to(models)
        if profiles.is_dir():
            (Path(own) / "profiles").symlink_to(profiles)
        os.environ["AS2D_DATA_DIR"] = own
        application = make_application()
        take_all(application, folder, [sample_recording(), *speech])


def take_all(application: QApplication, folder: Path, recordings: list[Path]) -> None:
    """Go through the window as its user does."""
    settings = SettingsStore()
    settings.change(look_for_phones=False, started_before=True)
    # Named, so that the drafter begins with the audio of the first window already.
    settings.change_decode(language="en")
    prepare_language(application, "en")
    theme = Theme(application, "light")
    window = StudioWindow(settings, theme)
    window.resize(*SIZES[0])
    window.show()
    window.begin([])
    rest(500)

    def everywhere(name: str, prepare: Callable[[], None] = lambda: None) -> None:
        for scheme in SCHEMES:
            theme.want(scheme)
            for width, height in SIZES:
                window.resize(width, height)
                prepare()
                rest(250)
                save(window.grab(), folder / f"{name}-{scheme}-{width}x{height}.png")

    everywhere("empty")
    window.studio.add(recordings)
    window.registry.run("run.start")
    wait(lambda: not window.studio.running or window.studio.recordings.items[1].decoded_s > 0)
    theme.want("light")
    window.resize(*SIZES[0])
    rest(100)
    save(window.grab(), folder / "running-light-1280x800.png")
    wait(lambda: not window.studio.running)
    window.recordings.select(window.studio.recordings.items[0])

    def look_at_a_call() -> None:
        window.docks.show("transcript")
        window.docks.show("timeline")
        window.calls.view.navigator.fit()
        QTest.keyClick(window.calls.view, Qt.Key.Key_Home)
        QTest.keyClick(window.calls.view, Qt.Key.Key_Right)

    everywhere("transcript", look_at_a_call)
    take_sound_and_corrections(window, everywhere)
    take_comparison(window, everywhere)
    take_long_run(window, everywhere)
    for panel in PANELS:
        everywhere(panel, lambda panel=panel: window.docks.show(panel))
    window.resize(*SIZES[0])
    for scheme in SCHEMES:
        theme.want(scheme)
        for name, command in DIALOGS.items():
            window.registry.run(command)
            rest(250)
            for dialog in window.findChildren(QDialog):
                save(dialog.grab(), folder / f"{name}-{scheme}.png")
                dialog.close()
            rest(50)
        window.registry.run("transcript.find")
        window.transcript.find_bar.text.setText("can do")
        rest(150)
        save(window.grab(), folder / f"find-{scheme}-1280x800.png")
        window.transcript.find_bar.close_bar()
    window.close()


def take_comparison(window: StudioWindow, everywhere: Callable[[str, Callable[[], None]], None]) -> None:
    """A comparison planned, while it is run, and judged."""
    window.settings.change(compare={"methods": ("target-only", "sd:5", "as2d"), "repeats": 1})
    window.docks.show("compare")
    everywhere("compare-plan", lambda: window.compare.show_page(0))
    window.registry.run("compare.run")
    wait(lambda: window.comparisons.done_of_total[0] > 6 or not window.comparisons.running)
    everywhere("compare-running", lambda: None)
    wait(lambda: window.comparisons.shown.judgement is not None)
    for page, name in enumerate(("plan", "timelines", "table", "plots")):
        if page:
            everywhere(f"compare-{name}", lambda page=page: window.compare.show_page(page))


def take_long_run(window: StudioWindow, everywhere: Callable[[str, Callable[[], None]], None]) -> None:
    """A long run of a minute."""
    window.long_run_deeds.minutes = 1.0
    window.registry.run("longrun.start")
    wait(lambda: not window.long_runs.running)
    everywhere("longrun", lambda: window.docks.show("longrun"))


def take_sound_and_corrections(
    window: StudioWindow, everywhere: Callable[[str, Callable[[], None]], None]
) -> None:
    """A recording that is heard, one that is taken down, and a text that is being corrected."""
    window.docks.show("transcript")

    def listen() -> None:
        window.player.play(3.0)
        rest(1000)

    everywhere("playing", listen)
    window.player.pause()
    window.registry.run("recordings.record")
    everywhere("recording", lambda: rest(300))
    window.registry.run("recordings.record")
    wait(lambda: not window.recorder.recording)
    window.recordings.select(window.studio.recordings.items[0])
    window.registry.run("transcript.correct")
    everywhere("correcting", lambda: None)
    window.transcript.editor.insertPlainText("Well, ")
    window.registry.run("transcript.correct")
    everywhere("corrected", lambda: rest(400))
    window.registry.run("edit.undo")


def rest(milliseconds: int) -> None:
    """Let the window paint for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait(happened: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    while not happened():
        rest(20)


def save(picture: QPixmap, path: Path) -> None:
    """Write a picture and say so."""
    if not picture.save(str(path)):
        raise OSError(f"{path} could not be written")
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
