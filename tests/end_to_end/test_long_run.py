"""`as2d long-run` with the real helper and models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.phone.small_models import install_small_pair

from as2d.backend.runs.store import RunStore
from as2d.backend.sustained.fold import SustainedFold
from as2d.backend.sustained.service import LONG_RUN


def test_two_methods_decode_by_turns_until_the_time_is_over(
    as2d: Any, data_folder: Path, clips: Path, tmp_path: Path
) -> None:
    # Small models decode hundreds of times in this time, so that a slow machine decodes often enough too.
    small = tmp_path / "small"
    small.mkdir()
    pair = install_small_pair(small)
    nothing = tmp_path / "nothing.wav"
    nothing.write_bytes(b"no sound")
    done = as2d.run(
        "long-run", clips / "cv_en_651325.mp3", clips / "libri_198-209-0000.ogg", nothing,
        "--language", "en", "--methods", "target-only,as2d:5", "--minutes", "0.35", "--format", "jsonl",
        "--target", pair.target.path, "--drafter", pair.drafter.path,
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "nothing.wav was refused" in done.err
    run = RunStore(data_folder / "runs").find("last")
    assert (run.manifest.command, run.manifest.status) == (LONG_RUN, "partial")
    fold = SustainedFold(0.35)
    for event in run.stream():
        fold.feed(event)
    assert len(fold.arms) == 2
    assert fold.differing == 0
    assert fold.compared == len(fold.decodes) + 2 - len(fold.windows)
    arms, windows = fold.decodes.column("arms"), fold.decodes.column("windows")
    rounds = len(arms) // 2
    assert rounds > 2
    # Every window by both, one right after the other, each method begins every other round.
    assert [list(pair) for pair in arms[: 2 * rounds].reshape(-1, 2)] == [
        [0, 1] if place % 2 == 0 else [1, 0] for place in range(rounds)
    ]
    assert all(one == two for one, two in windows[: 2 * rounds].reshape(-1, 2))
    # The last decode begins before the time is over and is decoded to its end.
    assert fold.seconds > 0.35 * 60 * 0.9
    row = RunStore(data_folder / "runs").list()[0]
    assert row.tokens == int(fold.decodes.column("tokens").sum()) + len(fold.decodes)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["arm"] for line in lines] == fold.arms
    assert "The first 10 s against the last 10 s" in done.err


def test_wrong_choices_are_refused_before_anything_runs(as2d: Any, clips: Path) -> None:
    for options, told in (
        (("--methods", "as2d,as2d"), "two different ones"),
        (("--methods", "as2d,sd,specasr"), "two different ones"),
        (("--methods", "nonsense"), "no method 'nonsense'"),
        (("--minutes", "0"), "up to 1440 minutes"),
    ):
        done = as2d.run("long-run", clips / "cv_en_651325.mp3", *options)
        assert done.code == 2
        assert told in done.err
