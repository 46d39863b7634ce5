"""Converts graphs in a child process: it prints, uses much memory for a moment, and may not connect."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import as2d
from as2d.backend.errors import OutOfSpace
from as2d.backend.models import convert_job, ct2, graphs
from as2d.backend.models.catalogue import GraphName, GraphRecipe
from as2d.backend.models.convert_job import EXIT_DISK_FULL, ConvertJob
from as2d.backend.models.files import StoreFailed
from as2d.backend.models.progress import Reporter

_POLL_SECONDS = 0.05
_ROOM_LEFT = 1 << 20
_TRIES = 6
"""How often a graph is converted until it passes its check: MNN 3.6.1 gets one in six wrong, at random."""


MNN_VERSION = "3.6.1"
"""The version of the MNN package that converts, the same as the helper's MNN."""


def require_converter() -> None:
    """Refuses when the converter is missing or is not the one that the models are made with.

    Raises:
        StoreFailed: it has to be installed.
    """
    try:
        version = importlib.metadata.version("MNN")
    except importlib.metadata.PackageNotFoundError:
        version = "none"
    if version != MNN_VERSION:
        raise StoreFailed(
            f"Converting needs MNN {MNN_VERSION}, but {version} is installed; "
            f"run `pip install MNN=={MNN_VERSION}`."
        )


def conversion_key(
    weights_sha256: str, graph: GraphName, recipe: GraphRecipe, heads: Sequence[tuple[int, int]]
) -> str:
    """A hash of all that decides the converted file: weights, storage, converter, and the graph's code."""
    inputs = {
        "weights": weights_sha256,
        "graph": graph,
        "storage": recipe.storage,
        "block": recipe.block,
        "precise_gelu": recipe.precise_gelu,
        "heads": list(heads) if graph == "words" else [],
        "mnn": MNN_VERSION,
        "code": _code_hash(),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _code_hash() -> str:
    digest = hashlib.sha256()
    folder = Path(graphs.__file__).parent
    for path in [*sorted(folder.glob("*.py")), Path(ct2.__file__), Path(convert_job.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def convert_graph(
    weights: Path,
    graph: GraphName,
    recipe: GraphRecipe,
    heads: Sequence[tuple[int, int]],
    work: Path,
    reporter: Reporter,
) -> Path:
    """Writes `<work>/<graph>.mnn` and returns it; the ONNX graph between is deleted.

    Raises:
        StoreFailed: the converter failed.
        OutOfSpace: the disk is full.
        Cancelled: cancelled; the child is gone.
    """
    require_converter()
    job = ConvertJob(
        weights=weights,
        graph=graph,
        alignment_heads=list(heads),
        storage=recipe.storage,
        block=recipe.block,
        precise_gelu=recipe.precise_gelu,
        onnx=work / f"{graph}.onnx",
        mnn=work / f"{graph}.mnn",
    )
    job_file = work / f"{graph}.json"
    job_file.write_text(job.model_dump_json())
    log = work / f"{graph}.log"
    for _ in range(_TRIES):
        status = _run_child(job_file, log, reporter)
        if status == 0:
            return job.mnn
        free = os.statvfs(work)
        if status == EXIT_DISK_FULL or free.f_bavail * free.f_frsize < _ROOM_LEFT:
            raise OutOfSpace(
                f"Converting the {graph} stopped because the disk with {work.parent} is full; free some "
                "space and run it again, what is complete is kept."
            )
    lines = log.read_text(errors="replace").strip().splitlines()
    reason = lines[-1].strip().rstrip(".") if lines else f"exit status {status}"
    raise StoreFailed(
        f"MNN's converter failed on the {graph} ({reason}); run it again, and if it fails again install "
        f"MNN {MNN_VERSION} anew."
    )


def _run_child(job_file: Path, log: Path, reporter: Reporter) -> int:
    package_folder = str(Path(as2d.__file__).parents[1])
    search = os.pathsep.join(filter(None, [package_folder, os.environ.get("PYTHONPATH", "")]))
    with log.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "as2d.backend.models.convert_job", str(job_file)],
            stdin=subprocess.PIPE,  # the child ends when this closes, so also when this process is killed
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": search},
        )
        with child:
            try:
                while child.poll() is None:
                    reporter.check()
                    time.sleep(_POLL_SECONDS)
            finally:
                if child.poll() is None:
                    child.kill()
    return child.returncode
