"""Recordings with their true texts, from the forms that corpora have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from as2d.backend.corpora import kaldi, lhotse
from as2d.backend.corpora.folder import METADATA, listed, metadata_items, sound_items
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.corpora.manifest import MANIFEST, manifest_items
from as2d.backend.errors import InputRefused

PLAIN_FILES = "files"
"""The corpus of recordings that were named one by one."""

_MOST_DEPTH = 8


def is_corpus(path: Path) -> bool:
    """Whether a path names a corpus and not a recording."""
    return path.is_dir() or path.name.endswith(lhotse.ENDINGS) or path.name in METADATA


def read_corpus(paths: Sequence[Path]) -> Iterator[CorpusItem]:
    """The recordings that `paths` mean, one after the other, in little memory however many they are.

    A path is a recording; a JSONL manifest (a line {"path": …, "reference": …, "language": …, "split": …} a
    recording); a Lhotse `recordings.jsonl` or `.jsonl.gz` with its `supervisions` beside it; a metadata.csv
    or metadata.jsonl of an audio folder; or a folder, which is read as what is in it: a manifest.jsonl, a
    Kaldi data folder (wav.scp, text), Lhotse manifests, a metadata file, else the recordings in it, each with
    a .txt of the same name where there is one, and then its folders.

    Raises:
        InputRefused: a corpus cannot be read; the sentence names the file and the line.
    """
    for path in paths:
        if path.is_dir():
            found = False
            for item in _folder(path, 0):
                found = True
                yield item
            if not found:
                raise InputRefused(f"The folder {path} holds no recording; name one that does.")
        elif not is_corpus(path):
            yield CorpusItem(path, None, None, PLAIN_FILES)
        else:
            yield from _file(path)


def _file(path: Path) -> Iterator[CorpusItem]:
    if path.name in METADATA:
        return metadata_items(path)
    return lhotse.lhotse_items(path) if lhotse.is_recordings_file(path) else manifest_items(path)


def _folder(folder: Path, depth: int) -> Iterator[CorpusItem]:
    if (folder / MANIFEST).is_file():
        yield from manifest_items(folder / MANIFEST)
        return
    if (folder / kaldi.RECORDINGS).is_file():
        yield from kaldi.kaldi_items(folder)
        return
    inside = listed(folder)
    manifests = [path for path in inside if lhotse.is_recordings_file(path)]
    metadata = [path for path in inside if path.name in METADATA][:1]
    for path in manifests or metadata:
        yield from _file(path)
    if manifests or metadata:
        return
    yield from sound_items(folder)
    for path in inside:
        if depth < _MOST_DEPTH and path.is_dir() and not path.is_symlink():
            yield from _folder(path, depth + 1)
