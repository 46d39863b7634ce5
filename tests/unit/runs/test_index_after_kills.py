"""A program that is killed at any moment leaves an index that can be read, and nothing is lost."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from as2d.backend.runs.index import INDEX_NAME, RunIndex
from as2d.backend.runs.store import RunStore

# Names, tags, deletes, brings back and lists as fast as it can, and says what it has finished.
WORK = """
import sys, itertools
from pathlib import Path
from as2d.backend.runs.store import RunStore
store = RunStore(Path(sys.argv[1]))
for number in itertools.count():
    run = f"run-{number % 6}"
    store.label(run, lambda labels: labels.named(f"name {number}").tagged([f"tag{number % 3}"]))
    store.list()
    if number % 4 == 0:
        store.set_aside(run)
        store.put_back(run)
    print(run, number, flush=True)
"""


@pytest.fixture
def root(repository: Path, tmp_path: Path) -> Path:
    """Six runs."""
    for number in range(6):
        folder = tmp_path / f"run-{number}"
        shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
        manifest = folder / "manifest.json"
        text = manifest.read_text().replace('"run": "20261130-032604-4659"', f'"run": "{folder.name}"')
        manifest.write_text(text)
    return tmp_path


def test_killed_in_the_middle(root: Path) -> None:
    moments = random.Random(5)
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", WORK, str(root)], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            first = program.stdout.readline()
            time.sleep(moments.uniform(0.0, 0.12))
            program.send_signal(signal.SIGKILL)
            finished = [first, *program.stdout]
        store = RunStore(root)
        for run in list(store.deleted()):  # killed between taking away and bringing back
            store.put_back(run)
        rows = {row.run: row for row in store.list()}
        assert sorted(rows) == [f"run-{number}" for number in range(6)]
        assert RunIndex(root).rows() == store.list()
        known = dict(line.split() for line in finished if line.endswith("\n"))
        for run, number in known.items():
            name = rows[run].name
            assert name is not None
            assert int(name.removeprefix("name ")) >= int(number)
        assert len(store.search("fellow Americans")) == 6
        before = store.list()
        (root / INDEX_NAME).unlink()
        assert store.list() == before
        assert len(store.search("fellow Americans")) == 6
