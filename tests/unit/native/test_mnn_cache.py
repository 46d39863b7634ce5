"""MNN's place in the cache: built once, whole or not at all, whoever is killed or comes at the same time.

The tree that is built here is a small stand-in with MNN's layout; the real one takes minutes.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

VENV = Path(sys.executable).parent
HEADER = """#define MNN_VERSION_MAJOR 3
#define MNN_VERSION_MINOR 6
#define MNN_VERSION_PATCH 1
"""
# Every build adds a line to the file `builds`; where a file `hold` exists, it waits until that is gone.
STEP = """import pathlib, sys, time
root = pathlib.Path(sys.argv[1])
with (root.parent / "builds").open("a") as file:
    file.write("built\\n")
while (root.parent / "hold").exists():
    time.sleep(0.02)
pathlib.Path(sys.argv[2]).touch()
"""
CMAKE = f"""cmake_minimum_required(VERSION 3.20)
project(MNN C)
option(MNN_OPENCL "" OFF)
add_custom_command(OUTPUT step.stamp COMMAND "{sys.executable}" "${{CMAKE_SOURCE_DIR}}/step.py"
    "${{CMAKE_SOURCE_DIR}}" step.stamp VERBATIM)
add_custom_target(step DEPENDS step.stamp)
add_library(MNN STATIC source/net.c)
add_dependencies(MNN step)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in {
        "CMakeLists.txt": CMAKE,
        "step.py": STEP,
        "include/MNN/MNNDefine.h": HEADER,
        "source/net.c": "int mnn_answer(void) { return 42; }\n",
        "source/core/KVMeta.hpp": "#pragma once\n",
        "LICENSE.txt": "Apache-2.0\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def command(repository: Path, cache: Path, tree: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-B", str(repository / "native" / "cmake" / "mnn_cache.py")),
        *("--version", "3.6.1", "--crate", "mnn-sys", "--crate-version", "0.2.0"),
        *("--crate-sha256", "0" * 64, "--tree-sha256", "0" * 64),
        *("--cache", str(cache), "--source-dir", str(tree)),
        *("--cmake", str(VENV / "cmake"), "--ninja", str(VENV / "ninja")),
        *more,
    ]


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)


def entry_of(done: subprocess.CompletedProcess[str]) -> Path:
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def builds(tree: Path) -> int:
    return (tree.parent / "builds").read_text().count("built")


def names(cache: Path) -> list[str]:
    """What lies in the cache, locks left out."""
    return sorted(path.name for path in (cache / "mnn").iterdir() if path.suffix != ".lock")


def test_it_is_built_once_with_headers_and_licence(repository: Path, tmp_path: Path, tree: Path) -> None:
    cache = tmp_path / "cache"
    first = entry_of(run(command(repository, cache, tree)))
    second = entry_of(run(command(repository, cache, tree)))
    assert first == second
    assert builds(tree) == 1
    assert names(cache) == [first.name], "no build folder and no log is left"
    for name in ("lib/libMNN.a", "include/MNN/MNNDefine.h", "source/core/KVMeta.hpp", "LICENSE.txt"):
        assert (first / name).stat().st_size > 0
    assert not (first / "source" / "net.c").exists()


def test_options_compilers_and_sources_have_entries_of_their_own(
    repository: Path, tmp_path: Path, tree: Path
) -> None:
    cache = tmp_path / "cache"
    plain = entry_of(run(command(repository, cache, tree)))
    other_option = entry_of(run(command(repository, cache, tree, "--define=MNN_OPENCL=ON")))
    other_compiler = entry_of(run(command(repository, cache, tree, "--platform=c GNU 14.1.0")))
    (tree / "source" / "net.c").write_text("int mnn_answer(void) { return 43; }\n")
    other_source = entry_of(run(command(repository, cache, tree)))
    assert len({plain, other_option, other_compiler, other_source}) == 4
    assert builds(tree) == 4


def test_a_damaged_entry_is_built_again(repository: Path, tmp_path: Path, tree: Path) -> None:
    cache = tmp_path / "cache"
    library = entry_of(run(command(repository, cache, tree))) / "lib" / "libMNN.a"
    whole = library.read_bytes()
    library.write_bytes(whole[: len(whole) // 2])
    again = run(command(repository, cache, tree))
    assert "damaged" in again.stderr
    assert (entry_of(again) / "lib" / "libMNN.a").stat().st_size == len(whole)
    assert names(cache) == [entry_of(again).name]


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_build_leaves_nothing_usable_and_the_next_one_works(
    repository: Path, tmp_path: Path, tree: Path, number: signal.Signals
) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "hold").touch()
    arguments = command(repository, cache, tree)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(tmp_path / "builds", process)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
    assert not [name for name in names(cache) if not name.startswith(".") and not name.endswith(".log")]
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert "Interrupted" in said
        assert not [name for name in names(cache) if name.startswith(".")]
    (tmp_path / "hold").unlink()
    entry = entry_of(run(arguments))
    assert names(cache) == [entry.name]


def test_two_at_the_same_time_build_once(repository: Path, tmp_path: Path, tree: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "hold").touch()
    arguments = command(repository, cache, tree)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        wait_for(tmp_path / "builds", first)
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as second:
            assert second.stderr is not None
            assert "waiting" in second.stderr.readline()
            (tmp_path / "hold").unlink()
            answers = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert answers[0] == answers[1] != ""
    assert builds(tree) == 1


def test_a_failed_build_shows_the_compilers_words(repository: Path, tmp_path: Path, tree: Path) -> None:
    (tree / "source" / "net.c").write_text("int mnn_answer(void) { return forty_two; }\n")
    cache = tmp_path / "cache"
    done = run(command(repository, cache, tree))
    assert done.returncode == 1
    assert "forty_two" in done.stderr
    assert "Traceback" not in done.stderr
    (log,) = names(cache)
    assert log.endswith(".log")
    assert str(cache / "mnn" / log) in done.stderr


def test_a_tree_of_another_version_is_refused(repository: Path, tmp_path: Path, tree: Path) -> None:
    (tree / "include/MNN/MNNDefine.h").write_text(HEADER.replace("MINOR 6", "MINOR 3"))
    done = run(command(repository, tmp_path / "cache", tree))
    assert done.returncode == 1
    assert "is MNN 3.3.1, but MNN 3.6.1 is needed" in done.stderr


def test_the_cache_is_where_the_backend_says(monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    from as2d.backend import paths

    monkeypatch.syspath_prepend(str(repository / "native" / "cmake"))
    import mnn_cache

    for value in ("", str(repository / "build" / "some cache")):
        monkeypatch.setenv("AS2D_CACHE_DIR", value)
        assert mnn_cache.default_cache() == paths.cache_dir()
    monkeypatch.delenv("AS2D_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(repository / "elsewhere"))
    assert mnn_cache.default_cache() == paths.cache_dir()
