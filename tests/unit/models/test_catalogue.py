"""The catalogue's own files."""

from __future__ import annotations

import copy
import json

import pytest

from as2d.backend.errors import WrongUse
from as2d.backend.models.catalogue import CatalogueEntry, all_entries, catalogue_dir, find_entry


def test_the_embedded_models_and_their_roles() -> None:
    entries = all_entries()
    assert {name: entry.roles for name, entry in entries.items()} == {
        "whisper-base": ["target"],
        "whisper-base-int8": ["target"],
        "whisper-tiny.en": ["drafter"],
    }
    assert entries["whisper-base"].arithmetic.memory == "normal"
    assert all(graph.storage == "float16" for graph in entries["whisper-base"].graphs.values())
    assert entries["whisper-tiny.en"].graphs["decoder"].storage == "int8"
    assert "words" in entries["whisper-base"].graphs


def test_the_target_in_8_bits_differs_from_the_other_in_its_decoder_alone() -> None:
    base, int8 = find_entry("whisper-base"), find_entry("whisper-base-int8")
    assert int8.graphs["decoder"].storage == "int8"
    assert (int8.weights, int8.sources, int8.tokenizer) == (base.weights, base.sources, base.tokenizer)
    for graph in ("encoder", "cross", "words"):
        kept = {"storage", "block", "precise_gelu"}
        assert int8.graphs[graph].model_dump(include=kept) == base.graphs[graph].model_dump(include=kept)
        assert int8.graphs[graph].arithmetic == base.arithmetic


def test_every_file_is_an_entry_with_its_licence_beside_it() -> None:
    for path in catalogue_dir().glob("*.json"):
        entry = find_entry(path.stem)
        assert entry.name == path.stem
        assert "Permission is hereby granted" in (catalogue_dir() / entry.licence_file).read_text()
    with pytest.raises(WrongUse, match="no model 'unheard-of'"):
        find_entry("unheard-of")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": []}, "at least 1 item"),
        ({"name": "../evil"}, "should match pattern"),
        ({"graphs": {"encoder": {"storage": "float16"}}}, "a decoder graph are needed"),
        ({"unknown": 1}, "Extra inputs are not permitted"),
        ({"weights": {"parts": ["a"], "size": 1, "sha256": "0"}}, "should match pattern"),
    ],
)
def test_a_wrong_entry_is_refused(change: dict[str, object], message: str) -> None:
    content = json.loads((catalogue_dir() / "whisper-base.json").read_text())
    with pytest.raises(ValueError, match=message):
        CatalogueEntry.model_validate({**content, **change})
    broken = copy.deepcopy(content)
    broken["graphs"]["decoder"]["block"] = 64
    with pytest.raises(ValueError, match="int8 needs a block"):
        CatalogueEntry.model_validate(broken)
