"""What others named and wrote does not command the terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from as2d.backend.cli.console import harmless

PRINT = "from as2d.backend.cli.console import emit; emit('a\\x1b[31mb\\x9b1mc\\td\\n')"


def test_control_characters_stay_out_and_lines_and_tabs_stay() -> None:
    assert harmless("a\x1b]0;x\x07\tb\nc\x7f\x85é中") == "a�]0;x�\tb\nc��é中"


def test_a_terminal_gets_none_and_a_pipe_gets_all() -> None:
    piped = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, check=True)
    assert piped.stdout == "a\x1b[31mb\x9b1mc\td\n".encode()
    master, slave = pty.openpty()
    try:
        subprocess.run([sys.executable, "-c", PRINT], stdout=slave, check=True)
        shown = os.read(master, 1000)
    finally:
        os.close(slave)
        os.close(master)
    assert shown.replace(b"\r\n", b"\n") == "a�[31mb�1mc\td\n".encode()
