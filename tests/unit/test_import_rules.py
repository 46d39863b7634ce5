"""Who may import what: the rules that keep the window, the backend and the scheduler core apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

QT = {"PySide6", "PyQt5", "PyQt6", "shiboken6", "qtpy", "pyqtgraph", "PySide6QtAds", "qtawesome", "superqt"}
ADB = {"adbutils", "adb_shell", "ppadb"}
ENGINE = {"MNN", "onnx", "onnxruntime", "ctranslate2", "faster_whisper", "tokenizers"}
ONE_WAY = ("corpora", "bench", "replay", "sweep", "sustained", "compare")
"""Packages of the backend of which none imports a later one."""
FILE_FORMATS = {"soundfile", "av", "wave", "zipfile", "tarfile", "gzip", "sqlite3", "csv"}


def imported_modules(source: str) -> Iterator[str]:
    """Dotted names of everything that a Python source imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def violations(path: str, source: str) -> list[str]:
    """What the Python source at `path` (relative to the repository) imports and must not."""
    modules = list(imported_modules(source))
    packages = {module.split(".")[0] for module in modules}
    forbidden: set[str] = set()
    if not path.startswith("app/") or path.startswith("app/viewmodels/"):
        forbidden |= packages & QT
    if not path.startswith("backend/devices/"):
        forbidden |= packages & ADB
    if path.startswith("app/"):
        forbidden |= packages & (ENGINE | FILE_FORMATS)
        forbidden |= {module for module in modules if re.match(r"as2d\.backend\.devices\.\w*adb", module)}
    if path.startswith("backend/"):
        forbidden |= {module for module in modules if module == "as2d.app" or module.startswith("as2d.app.")}
    return sorted(forbidden)


def calls_adb(source: str) -> bool:
    """Whether the program adb is named as the first word of a command."""
    lists = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.List, ast.Tuple))]
    firsts = [node.elts[0] for node in lists if node.elts]
    return any(isinstance(first, ast.Constant) and first.value == "adb" for first in firsts)


def python_sources(repository: Path) -> dict[str, str]:
    files = [*repository.glob("app/**/*.py"), *repository.glob("backend/**/*.py")]
    return {path.relative_to(repository).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_every_module_imports_only_what_it_may(repository: Path) -> None:
    sources = python_sources(repository)
    assert "backend/errors.py" in sources
    found = {path: wrong for path, source in sources.items() if (wrong := violations(path, source))}
    assert found == {}


def test_only_devices_run_adb(repository: Path) -> None:
    sources = python_sources(repository)
    assert [
        path for path in sources if not path.startswith("backend/devices/") and calls_adb(sources[path])
    ] == []


def test_what_measures_imports_in_one_direction_only(repository: Path) -> None:
    sources = python_sources(repository)
    packages = {path.split("/")[1] for path in sources if path.startswith("backend/") and path.count("/") > 1}
    assert packages >= set(ONE_WAY)
    found = []
    for path, source in sources.items():
        package = path.split("/")[1]
        if path.startswith("backend/") and package in ONE_WAY:
            later = ONE_WAY[ONE_WAY.index(package) + 1 :]
            imported = {module.split(".")[2] for module in imported_modules(source) if module.count(".") > 1}
            found += [f"{path} imports {name}" for name in later if name in imported]
    assert found == []


def test_the_scheduler_core_knows_no_engine_no_json_and_no_real_time(repository: Path) -> None:
    forbidden = re.compile(
        r'#include [<"](MNN/|nlohmann/|engine_mnn/|helper/|telemetry/|chrono|ctime|time\.h|sys/time)'
    )
    files = [
        path
        for folder in ("core", "text", "words", "scripted", "projection", "decoder")
        for path in sorted((repository / "native" / folder).rglob("*.[ch]pp"))
    ]
    assert files
    found = [path.name for path in files if forbidden.search(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("backend/runs/index.py", "import PySide6.QtCore", ["PySide6"]),
        ("app/viewmodels/run.py", "def f():\n    from PySide6 import QtCore", ["PySide6"]),
        ("app/docks/run.py", "from PySide6 import QtCore", []),
        ("backend/helper/push.py", "from adbutils import adb", ["adbutils"]),
        ("backend/devices/phone.py", "from adbutils import adb", []),
        ("app/docks/models.py", "import MNN.expr as F", ["MNN"]),
        ("app/docks/runs.py", "import gzip", ["gzip"]),
        ("app/docks/phones.py", "from as2d.backend.devices import adb", ["as2d.backend.devices.adb"]),
        ("backend/cli/main.py", "from as2d.app import window", ["as2d.app", "as2d.app.window"]),
    ],
)
def test_a_forbidden_import_is_found(path: str, source: str, expected: list[str]) -> None:
    assert violations(path, source) == expected


def test_a_command_that_runs_adb_is_found() -> None:
    assert calls_adb('subprocess.run(["adb", "devices"])')
    assert not calls_adb('print("adb is not installed")')
