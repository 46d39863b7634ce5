"""A target in 8 bits: an answer of its own, the same for every method, and refused where it would not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.paths import models_dir

NAME = "whisper-base-int8"


@pytest.fixture(scope="module")
def int8() -> InstalledModel:
    return ModelStore(models_dir()).ensure(NAME)


def gaps_of(folder: Path, model: InstalledModel) -> list[Path]:
    paths = (folder / "profiles").glob("gap-*.json")
    return [path for path in paths if json.loads(path.read_text())["key"]["model"] == model.digest]


def test_it_shares_all_but_its_decoder_with_the_other(
    int8: InstalledModel, installed: dict[str, InstalledModel]
) -> None:
    base = installed["whisper-base"].manifest.files
    own = int8.manifest.files
    differing = {role for role in own if own[role].sha256 != base[role].sha256}
    assert differing == {"decoder"}
    assert own["decoder"].size < 0.6 * base["decoder"].size


def test_every_method_and_width_says_what_it_says_alone(as2d: Any, clips: Path, int8: InstalledModel) -> None:
    done = as2d.run(
        *("bench", "decode", clips / "cv_en_651325.mp3", clips / "libri_198-209-0000.ogg"),
        *("--target", int8.name, "--methods", "target-only,as2d:2,as2d:5,as2d:12,sd:5,specasr"),
        *("--start-conditions", "pre-drafted", "--repeats", "1", "--threads", "1,2", "--format", "jsonl"),
    )
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert len(rows) == 12
    assert {row["differing"] for row in rows} == {0}
    drafted = [row for row in rows if row["method"] != "target-only"]
    assert all(row["acceptance"] > 0.3 for row in drafted)


def test_it_is_refused_where_its_wide_and_single_calls_differ(
    as2d_alone: Any, clips: Path, int8: InstalledModel
) -> None:
    arguments = ("transcribe", clips / "cv_en_651325.mp3", "--target", int8.name, "--language", "en")
    assert as2d_alone.run(*arguments).code == 0
    measured = gaps_of(as2d_alone.folder, int8)
    assert measured
    for path in measured:
        entry = json.loads(path.read_text())
        assert entry["logit_gap"] == 0
        path.write_text(json.dumps({**entry, "logit_gap": 0.03}))
    refused = as2d_alone.run(*arguments)
    assert refused.code == 3
    assert (
        f"The self-test of {NAME} failed: its calls of several tokens and of one differ by up to 0.03 logits "
        "on this device; choose another target."
    ) in refused.err
    assert as2d_alone.run(*arguments[:2], "--language", "en").code == 0
