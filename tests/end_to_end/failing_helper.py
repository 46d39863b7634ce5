"""The real helper behind a program that ends it, or spoils what is asked of it, at chosen requests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Literal

_PROGRAM = """#!{python}
import json, os, signal, subprocess, sys
from fnmatch import fnmatchcase
from pathlib import Path

folder = Path(__file__).parent
rules = json.loads((folder / "rules.json").read_text())
begun = folder / "begun"
begun.write_text(begun.read_text() + "x" if begun.exists() else "x")
if len(begun.read_text()) > rules["starts"]:
    os.kill(os.getpid(), signal.SIGKILL)
helper = subprocess.Popen([{helper!r}, *sys.argv[1:]], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    op = json.loads(line)
    if all(fnmatchcase(str(op.get(name)), value) for name, value in rules["where"].items()):
        if rules["what"] == "die":
            helper.kill()
            os.kill(os.getpid(), signal.SIGKILL)
        line = json.dumps(op | {{"language": "no language"}}).encode() + b"\\n"
    helper.stdin.write(line)
    helper.stdin.flush()
    if op["op"] == "shutdown":
        break
helper.stdin.close()
sys.exit(helper.wait())
"""


def failing_helper(
    folder: Path, helper: Path, what: Literal["die", "refuse"], *, starts: int = 1_000_000, **where: str
) -> Path:
    """A program that is the helper, but for ops whose fields match those of `where` (`*`: anything); from its
    start number `starts` + 1 on it dies at once.
    """
    folder.mkdir(exist_ok=True)
    (folder / "begun").unlink(missing_ok=True)
    (folder / "rules.json").write_text(json.dumps({"what": what, "starts": starts, "where": where}))
    program = folder / "as2d-helper"
    program.write_text(_PROGRAM.format(python=sys.executable, helper=str(helper)))
    program.chmod(0o755)
    return program


def starts_of(program: Path) -> int:
    """How often the program was started."""
    return len((program.parent / "begun").read_text())
