"""Times of target calls by width and threads."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from as2d.backend.transcribe.engine import Engine

_ROUNDS = 3


def measure_calls(
    engine: Engine, models: Mapping[int, str], widths: Sequence[int], context: int, repeats: int
) -> list[dict[str, object]]:
    """One row for each thread setting: the median time of a call of each width in ms, and its spread.

    `models` maps threads to the name of the target loaded with them. The settings take turns in three
    rounds, so that a machine that grows slower does so for all.
    """
    times: dict[int, dict[int, list[float]]] = {threads: {k: [] for k in widths} for threads in models}
    for round_number in range(_ROUNDS):
        share = repeats // _ROUNDS + (round_number < repeats % _ROUNDS)
        if share == 0:
            continue
        for threads, model in models.items():
            measured = engine.measure_calls(model, widths, context, threads, share)
            for timed in measured.rows:
                times[threads][timed.k] += timed.ms
    rows: list[dict[str, object]] = []
    for threads, by_width in times.items():
        row: dict[str, object] = {"threads": threads, "context": context, "repeats": repeats, "unit": "ms"}
        for k, values in by_width.items():
            row[f"K={k}"] = round(statistics.median(values), 3)
        rows.append(row)
    return rows
