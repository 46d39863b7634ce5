"""The traces and the cost profiles of a sweep, and which of them belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.calibration.cost_profile import CostProfile, read_profile
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.paths import models_dir
from as2d.backend.replay.service import Traces, load_traces
from as2d.backend.replay.trace_file import shown_source
from as2d.backend.runs.manifest import shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.resolve import resolve_model


@dataclass(frozen=True)
class TraceSet:
    """Traces that are summarised together, those of one file or of several, all of one pair of models."""

    name: str
    traces: Traces

    @property
    def models(self) -> tuple[str, str]:
        """Target and drafter, by the SHA-256 of their model.json."""
        first = self.traces.windows[0]
        return first.target, first.drafter


def load_sets(paths: Sequence[Path], *, pooled: bool) -> list[TraceSet]:
    """One set a file, each file once, or with `pooled` one of all.

    Raises:
        InputRefused: a file is no trace file.
        WrongUse: one has no window, or the windows of a set are of several models.
    """
    paths = list(dict.fromkeys(paths))
    groups = [paths] if pooled else [[path] for path in paths]
    return [TraceSet(" + ".join(_shown(path) for path in group), load_traces(group)) for group in groups]


def _shown(path: Path) -> str:
    return shown_path(shown_source(path))


@dataclass(frozen=True)
class NamedProfile:
    """A cost profile under the name of its file."""

    name: str
    costs: CostProfile


def gather_profiles(paths: Sequence[Path]) -> list[NamedProfile]:
    """The profiles of files, and of folders all files named `cost-*.json`.

    Raises:
        InputRefused: a file is no cost profile, or a folder has none.
    """
    files: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            files[path] = None
            continue
        found = sorted(path.glob("cost-*.json"))
        if not found:
            raise InputRefused(f"The folder {path} holds no cost profile (cost-*.json); name a file.")
        files.update(dict.fromkeys(found))
    names = [path.stem for path in files]
    return [
        NamedProfile(path.stem if names.count(path.stem) == 1 else shown_path(path), read_profile(path))
        for path in files
    ]


def target_of(traces: TraceSet, named: Sequence[str]) -> InstalledModel:
    """The target of a set of traces: one of those that were named, else an installed one.

    Raises:
        WrongUse: it is neither.
    """
    for name in named:
        model = resolve_model(name, "target", None, CancelToken())
        if model.digest == traces.models[0]:
            return model
    for model in ModelStore(models_dir()).installed():
        if model.digest == traces.models[0]:
            return model
    raise WrongUse(
        f"The traces {traces.name} are of a target that is not installed here; name its folder with --target."
    )
