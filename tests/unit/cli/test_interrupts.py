"""An interrupt is heard wherever it arrives."""

from __future__ import annotations

import subprocess
import sys

import pytest

_START = """
import os, signal, time
from as2d.backend.cli.interrupts import interrupted, take_signals
take_signals()
def interrupt(number):
    os.kill(os.getpid(), number)
    for _ in range(1000):  # the handler runs between two of these steps
        pass
"""

_END = """
try:
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("heard", interrupted())
"""

_PLACES = {
    "a callback from C": """
import io, soundfile
class Source(io.BytesIO):
    def readinto(self, buffer):
        interrupt(signal.SIGINT)
        return super().readinto(buffer)
    def read(self, size=-1):
        interrupt(signal.SIGINT)
        return super().read(size)
try:
    soundfile.SoundFile(Source(open("resources/sample/jfk.flac", "rb").read()))
except soundfile.LibsndfileError:
    pass
""",
    "the end of an object": """
class Ending:
    def __del__(self):
        interrupt(signal.SIGTERM)
one = Ending()
del one
""",
    "a generator that is thrown away": """
def steps():
    try:
        yield 1
    finally:
        interrupt(signal.SIGHUP)
one = steps()
next(one)
del one
""",
}


@pytest.mark.parametrize("place", _PLACES)
def test_an_interrupt_that_python_swallows_comes_again(place: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START + _PLACES[place] + _END],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("heard True\n", "")


def test_other_ignored_errors_are_still_told() -> None:
    program = _START + "class Ending:\n    def __del__(self):\n        raise ValueError('told')\nEnding()\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert "ValueError: told" in done.stderr
