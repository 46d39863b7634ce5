"""Rules for everything that is tracked: sizes, lengths, and what no text may name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

LARGEST_FILE = 4 * 1024 * 1024
LONGEST = {".py": 350, ".cpp": 450, ".hpp": 450}

# Written in pieces, so that this file does not hold what it looks for.
REGISTRY = re.compile(
    r"--(?:extra-)?index"
    r"-url|find"
    r"-links|pypi\."
    r"org|python"
    r"hosted|crates\."
    r"io|registry\."
    r"npm|"
    r"proxy\."
    r"golang|deb\."
    r"debian|repo\d?\."
    r"maven|huggingface\."
    r"co"
)
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/" r"(?:work|home|root|Users|farm)/\w|(?<![\w.$}/-])/" r"tmp/\w")
UNFINISHED = re.compile(
    r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|NotImplemented" r"Error|mark\.(?:skip|xfail)\b"
)


def tracked(repository: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    return [name for name in listed.split("\0") if name and (repository / name).is_file()]


def texts(repository: Path) -> dict[str, str]:
    """The tracked text files, licence texts of others left out."""
    found = {}
    for name in tracked(repository):
        data = (repository / name).read_bytes()
        if b"\0" not in data[:8192] and not name.startswith(("tests/data/", "LICENSE", "LICENSES/")):
            found[name] = data.decode("utf-8", errors="replace")
    return found


def matches(repository: Path, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts(repository).items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_tracked_file_is_large(repository: Path) -> None:
    names = tracked(repository)
    assert "pyproject.toml" in names
    assert [name for name in names if (repository / name).stat().st_size > LARGEST_FILE] == []


def test_no_text_names_a_registry(repository: Path) -> None:
    assert matches(repository, REGISTRY) == []


def test_no_text_names_a_path_of_a_machine(repository: Path) -> None:
    assert matches(repository, MACHINE_PATH) == []


def test_nothing_is_left_unfinished(repository: Path) -> None:
    assert matches(repository, UNFINISHED) == []


def test_modules_are_short(repository: Path) -> None:
    long = {
        name: text.count("\n")
        for name, text in texts(repository).items()
        if text.count("\n") > LONGEST.get(Path(name).suffix, 10**9)
    }
    assert long == {}


def test_lines_end_with_a_line_feed(repository: Path) -> None:
    assert [name for name, text in texts(repository).items() if "\r" in text] == []


@pytest.mark.parametrize("name", ["build", "runtime", "app", "dev"])
def test_requirements_are_locked_by_hash(repository: Path, name: str) -> None:
    folder = repository / "requirements"
    wanted = re.findall(
        r"^([\w-]+)==(\S+)", (folder / f"{name}.in").read_text(encoding="utf-8"), re.MULTILINE
    )
    lines = [line for line in (folder / f"{name}.in").read_text(encoding="utf-8").splitlines() if line]
    assert len(wanted) == len([line for line in lines if not line.startswith("#")])
    locked = (folder / f"{name}.txt").read_text(encoding="utf-8")
    for package, version in wanted:
        pinned = re.compile(rf"^{package}=={re.escape(version)}[^\n]*\\\n    --hash=sha256:", re.I | re.M)
        assert pinned.search(locked), f"{package}=={version} is not in {name}.txt: run `make lock`"


@pytest.mark.parametrize(
    ("pattern", "line", "found"),
    [
        (REGISTRY, "pip install --index" + "-url=somewhere x", True),
        (REGISTRY, "pip install x", False),
        (MACHINE_PATH, "model = '/" + "home/ann/model'", True),
        (MACHINE_PATH, "cp a b /" + "tmp/mnn", True),
        (MACHINE_PATH, "../shared/data, build/work/x and ~/.cache", False),
        (UNFINISHED, "# TO" + "DO later", True),
    ],
)
def test_the_patterns_find_what_they_look_for(pattern: re.Pattern[str], line: str, found: bool) -> None:
    assert bool(pattern.search(line)) == found
