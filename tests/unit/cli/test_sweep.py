"""Commands that can use workers load what that takes only when they do."""

from __future__ import annotations

import subprocess
import sys

import pytest

_COMMAND = """
import sys
sys.argv = ["as2d", *{arguments!r}]
from as2d.backend.cli.entry import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["sweep", "--help"], ["trace", "gone.wav", "-o", "t.jsonl"], ["sweep", "gone.jsonl"]],
    ids=" ".join,
)
def test_dask_is_not_loaded_before_there_is_work_for_it(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    modules = done.stderr.split()
    assert "as2d.backend.cli.main" in modules
    assert not {"dask", "distributed", "tornado", "cryptography"} & set(modules)
