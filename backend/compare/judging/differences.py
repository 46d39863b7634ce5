"""What runs were made with that is not the same in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from as2d.backend.compare.judging.judgement import Difference
from as2d.backend.runs.manifest import RunManifest

_LEFT_OUT = {
    "format",
    "run",
    "created",
    "ended",
    "status",
    "message",
    "recordings",
    "arms",
    "comparison",
    "started_in",
}


def differences(sites: Sequence[Sequence[RunManifest]]) -> Iterator[Difference]:
    """The differences between sites, each with the manifests of its runs; what changed between the runs of
    one site is told too, its values with a slash between them.
    """
    flat = [[_flat(run.model_dump(mode="json", exclude=_LEFT_OUT)) for run in runs] for runs in sites]
    for what in dict.fromkeys(name for runs in flat for values in runs for name in values):
        values = tuple(_joined([values.get(what) for values in runs]) for runs in flat)
        if len(set(values)) > 1 or any(len({values.get(what) for values in runs}) > 1 for runs in flat):
            yield Difference(what=what, values=values)


def _joined(values: Sequence[str | None]) -> str | None:
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    return " / ".join("none" if value is None else value for value in different)


def _flat(value: JsonValue, name: str = "") -> dict[str, str]:
    if isinstance(value, dict):
        found: dict[str, str] = {}
        for key, inner in value.items():
            found |= _flat(inner, f"{name} {key.replace('_', ' ')}".strip())
        return found
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            return {
                part: text
                for number, item in enumerate(value, start=1)
                for part, text in _flat(item, f"{name} {number}").items()
            }
        return {name: ", ".join(map(str, value))}
    return {} if value is None else {name: str(value)}
