"""The reader of CTranslate2 files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from tests.unit.models.small_whisper import ctranslate2_bytes, weights

from as2d.backend.models.ct2 import CTranslate2File, NotCTranslate2Error
from as2d.backend.models.graphs.weights import WhisperWeights

ARRAYS = {
    "half": np.array([[1.5, -2.0], [65504.0, 6e-8]], np.float16),
    "single": np.array([1e-30, 3.25], np.float32),
    "whole": np.array(7, np.int16),
    "bytes": np.arange(-3, 3, dtype=np.int8).reshape(1, 2, 3),
    "wide": np.array([2**30], np.int32),
}


def read(folder: Path, content: bytes) -> CTranslate2File:
    path = folder / "model.bin"
    path.write_bytes(content)
    return CTranslate2File(path)


def test_every_variable_comes_back_as_stored(tmp_path: Path) -> None:
    file = read(tmp_path, ctranslate2_bytes(ARRAYS, {"other": "half"}))
    assert (file.spec, file.revision) == ("WhisperSpec", 3)
    assert set(file) == {*ARRAYS, "other"}
    for name, array in ARRAYS.items():
        assert file[name].dtype == array.dtype
        np.testing.assert_array_equal(file[name], array)
    np.testing.assert_array_equal(file["other"], ARRAYS["half"])
    assert file.float32("half").dtype == np.float32
    assert file.float32("half")[1, 1] == np.float32(np.float16(6e-8))
    assert file.scalar("whole") == 7
    with pytest.raises(NotCTranslate2Error, match="'bytes' holds int8, expected float16 or float32"):
        file.float32("bytes")


def test_a_file_cut_anywhere_or_with_more_behind_is_refused(tmp_path: Path) -> None:
    whole = ctranslate2_bytes(ARRAYS, {"other": "half"})
    for size in range(len(whole)):
        with pytest.raises(NotCTranslate2Error):
            read(tmp_path, whole[:size])
    with pytest.raises(NotCTranslate2Error, match="bytes after its end"):
        read(tmp_path, whole + b"\0")


def test_other_versions_and_lying_sizes_are_refused(tmp_path: Path) -> None:
    whole = bytearray(ctranslate2_bytes({"single": ARRAYS["single"]}, {}))
    with pytest.raises(NotCTranslate2Error, match="binary version 5, expected 6"):
        read(tmp_path, struct.pack("<I", 5) + whole[4:])
    at = whole.index(struct.pack("<I", 8))
    whole[at : at + 4] = struct.pack("<I", 4)
    with pytest.raises(NotCTranslate2Error, match=r"has 4 bytes for shape \(2,\)"):
        read(tmp_path, bytes(whole))
    with pytest.raises(NotCTranslate2Error, match="names 'absent', which is not there"):
        read(tmp_path, ctranslate2_bytes(ARRAYS, {"other": "absent"}))


def test_the_sizes_of_a_whisper_model_are_read_from_its_weights(tmp_path: Path) -> None:
    whisper = WhisperWeights(read(tmp_path, weights()))
    assert (whisper.width, whisper.heads, whisper.head_dim) == (64, 1, 64)
    assert (whisper.encoder_layers, whisper.decoder_layers) == (2, 2)
    assert (whisper.vocab, whisper.audio_positions, whisper.text_positions) == (300, 1500, 448)
    assert whisper.query_scale == 0.125
    with pytest.raises(NotCTranslate2Error, match="expected WhisperSpec 3"):
        WhisperWeights(read(tmp_path, ctranslate2_bytes(ARRAYS, {}).replace(b"WhisperSpec", b"WhisperSpek")))
