"""Provides MNN as a static library from the user's cache, building it there once.

`python3 mnn_cache.py --help` shows the options; the last line of standard output is the entry's folder:
`lib/libMNN.a`, `include/`, `source/` and the other headers of the tree, `entry.json`. An entry appears whole
or not at all: it is made in a folder of another name under a lock and renamed at the end.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from mnn_build import BuildError, build
from mnn_source import CratePin, SourceError, check_own_tree, fetch_crate, sha256_of, tree_digest

ENTRY_FORMAT = 1
_HEADERS = (".h", ".hpp", ".hxx")
_LICENCES = ("licen", "copying", "notice")


def default_cache() -> Path:
    """The cache folder of as2d, as `as2d.backend.paths.cache_dir` names it."""
    if named := os.environ.get("AS2D_CACHE_DIR"):
        return Path(named).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "as2d"
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / "as2d"


def entry_key(identity: dict[str, object]) -> str:
    """Name of the entry that is built from exactly this: version, source, options, compiler and target."""
    text = json.dumps({"format": ENTRY_FORMAT, **identity}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock between processes; the system frees it when the process ends in any way."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another process is building MNN; waiting for it.", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def usable(entry: Path) -> bool:
    """Whether the entry is whole: its library is the one that was put there."""
    record = entry / "entry.json"
    library = entry / "lib" / "libMNN.a"
    if not record.is_file() or not library.is_file():
        return False
    return bool(json.loads(record.read_text(encoding="utf-8"))["library_sha256"] == sha256_of(library))


def fill_entry(entry: Path, library: Path, source: Path, identity: dict[str, object]) -> None:
    """Copies the library, all headers and the licence texts of the tree into the new folder `entry`."""
    (entry / "lib").mkdir(parents=True)
    shutil.copyfile(library, entry / "lib" / "libMNN.a")
    for path in sorted(source.rglob("*")):
        wanted = path.suffix in _HEADERS or path.name.lower().startswith(_LICENCES)
        if wanted and path.is_file():
            target = entry / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    record = {"library_sha256": sha256_of(entry / "lib" / "libMNN.a"), "identity": identity}
    (entry / "entry.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def ensure(arguments: argparse.Namespace) -> Path:
    """The entry for these arguments, built now if the cache has none.

    Raises:
        SourceError, BuildError, OSError: nothing was added to the cache.
    """
    pin = CratePin(arguments.crate, arguments.crate_version, arguments.crate_sha256, arguments.tree_sha256)
    own: Path | None = arguments.source_dir
    if own is not None:
        check_own_tree(own, arguments.version)
    identity: dict[str, object] = {
        "version": arguments.version,
        "source": pin.tree_sha256 if own is None else tree_digest(own),
        "definitions": sorted(arguments.define),
        "platform": sorted(arguments.platform),
    }
    root: Path = arguments.cache / "mnn"
    root.mkdir(parents=True, exist_ok=True)
    key = entry_key(identity)
    entry = root / key
    with locked(root / f"{key}.lock"):
        if usable(entry):
            return entry
        if entry.exists():
            print(f"The cached MNN in {entry} is damaged; it is built again.", file=sys.stderr)
            entry.rename(root / f".{key}-damaged")
        for left_over in root.glob(f".{key}-*"):
            shutil.rmtree(left_over)
        log = root / f"{key}.log"
        log.unlink(missing_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=root))
        try:
            print(f"MNN {arguments.version} is built once for this compiler, in {root}.", file=sys.stderr)
            source = fetch_crate(pin, work / "fetch") if own is None else own
            definitions = [*arguments.define, *arguments.toolchain]
            title = f"MNN {arguments.version}"
            library = build(source, work / "build", definitions, arguments.cmake, arguments.ninja, log, title)
            fill_entry(work / "entry", library, source, identity)
            (work / "entry").rename(entry)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        log.unlink(missing_ok=True)
        return entry


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Provide MNN as a static library, built once into a cache.")
    parser.add_argument("--version", required=True, help="version of MNN")
    parser.add_argument("--crate", required=True, help="crate that carries its source")
    parser.add_argument("--crate-version", required=True)
    parser.add_argument("--crate-sha256", required=True, help="SHA-256 of the crate")
    parser.add_argument("--tree-sha256", required=True, help="digest of the MNN tree in it")
    parser.add_argument("--source-dir", type=Path, help="an own MNN tree instead")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="cache folder of as2d")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--ninja", default=shutil.which("ninja"))
    parser.add_argument("--define", action="append", default=[], help="option of MNN's build, NAME=VALUE")
    parser.add_argument("--toolchain", action="append", default=[], help="CMake variable that names tools")
    parser.add_argument("--platform", action="append", default=[], help="compiler or target, part of the key")
    arguments = parser.parse_args(argv)
    if arguments.ninja is None:
        parser.error("ninja is not installed; `make venv` installs it, or name it with --ninja")
    return arguments


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(argv: list[str]) -> int:
    """Runs the command; 0 done, 1 failed, 4 out of space, 130 interrupted."""
    arguments = _parse(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        print(ensure(arguments))
    except (SourceError, BuildError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 4 if os.strerror(errno.ENOSPC) in str(error) else 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"\nNo space is left for building MNN in {arguments.cache}; it needs 400 MB.", file=sys.stderr)
        return 4
    except KeyboardInterrupt:
        print("\nInterrupted; nothing was added to the cache.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
