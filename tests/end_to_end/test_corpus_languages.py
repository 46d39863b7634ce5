"""A corpus may name languages that no model knows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.end_to_end.conftest import CommandLine


def test_two_languages_at_once_are_detected_in_traces_and_benchmarks(
    data_folder: Path, repository: Path, tmp_path: Path
) -> None:
    shutil.copy(repository / "resources/sample/jfk.flac", tmp_path / "jfk.flac")
    corpus = tmp_path / "manifest.jsonl"
    corpus.write_text(json.dumps({"path": "jfk.flac", "language": "en+zh", "split": "test"}) + "\n")
    program = CommandLine(data_folder)
    traced = program.run("trace", corpus, "-o", tmp_path / "traces.jsonl")
    assert traced.code == 0, traced.err
    assert '"language":"en"' in (tmp_path / "traces.jsonl").read_text().replace(" ", "")
    measured = program.run("bench", corpus, "--methods", "target-only", "--repeats", "1", "--format", "jsonl")
    assert (measured.code, json.loads(measured.out.splitlines()[0])["windows"]) == (0, 1), measured.err
