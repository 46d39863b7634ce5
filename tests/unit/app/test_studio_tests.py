"""The list of what holds the window to its promises names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

_NAMED = re.compile(r"`([\w/.]+\.py): (test_\w+)`")


def test_every_test_of_the_list_exists(repository: Path) -> None:
    listed = _NAMED.findall((repository / "docs" / "studio-tests.md").read_text(encoding="utf-8"))
    assert len(listed) > 60
    missing = []
    for file, name in listed:
        path = repository / file if file.startswith("tests/") else repository / "tests" / "gui" / file
        if not path.is_file() or f"def {name}(" not in path.read_text(encoding="utf-8"):
            missing.append(f"{file}: {name}")
    assert missing == []
