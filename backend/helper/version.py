"""Which build a helper program is, without starting its service."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from as2d.backend.errors import HelperFailed
from as2d.backend.helper.endings import cannot_start

_SECONDS = 30.0
_SAID = re.compile(r"as2d-helper (\S+),")


def helper_build(program: Path) -> str:
    """Version and digest of the sources of a helper program, as its `hello` says them.

    Raises:
        HelperFailed: it cannot be started, or does not say it.
    """
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except OSError as error:
        raise cannot_start(str(program), error) from error
    except subprocess.TimeoutExpired as error:
        raise HelperFailed(f"The helper {program} does not answer; rebuild it with `make helper`.") from error
    found = _SAID.match(done.stdout)
    if found is None:
        raise HelperFailed(
            f"The helper {program} does not say its version (exit status {done.returncode}); "
            "rebuild it with `make helper`."
        )
    return found[1]
