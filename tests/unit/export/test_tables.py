"""Tables hold the run's own numbers, the same in every form."""

from __future__ import annotations

import csv
import io
import json

import pytest

from as2d.backend.errors import WrongUse
from as2d.backend.export.content import export_content
from as2d.backend.export.tables import TABLES, TableName, table_rows
from as2d.backend.metrics.measures import measure
from as2d.backend.runs.store import StoredRun


def test_requests_add_up_to_the_runs_measures(stored: StoredRun) -> None:
    rows = table_rows(stored, "requests")
    measures = measure(stored.fold().finished_requests())
    for name in ("tokens", "calls", "proposed", "accepted"):
        assert sum(int(str(row[name])) for row in rows) == getattr(measures, name)
    seconds = sum(float(str(row["decode_ms"])) for row in rows) / 1000
    assert seconds == pytest.approx(measures.decode_s)
    assert all(row["energy_j"] is None for row in rows)  # this computer has no battery


def test_every_call_has_a_row_with_the_text_it_committed(stored: StoredRun) -> None:
    rows = table_rows(stored, "calls")
    fold = stored.fold(details=True)
    assert len(rows) == sum(len(request.calls) for request in fold.requests.values())
    texts: dict[object, str] = {}
    for row in rows:
        texts[row["request"]] = texts.get(row["request"], "") + str(row["text"] or "")
    for request in fold.requests.values():
        assert request.result is not None
        first = request.commits[0].text  # that of the prefill
        assert first + texts[request.request] == request.result.text


def test_windows_and_counters(stored: StoredRun) -> None:
    windows = table_rows(stored, "windows")
    assert [row["window"] for row in windows] == list(stored.fold().windows)
    assert str(windows[0]["text"]).startswith("And so my fellow Americans")
    counters = table_rows(stored, "counters")
    assert {row["counter"] for row in counters} == {"ready", "acceptance", "tps"}
    assert counters[0]["at_s"] == 0


@pytest.mark.parametrize("table", TABLES)
def test_all_forms_hold_the_same_rows(stored: StoredRun, table: TableName) -> None:
    rows = [json.loads(line) for line in export_content(stored, "jsonl", table=table).decode().splitlines()]
    sheet = list(csv.DictReader(io.StringIO(export_content(stored, "csv", table=table).decode())))
    page = export_content(stored, "md", table=table).decode().splitlines()
    assert len(rows) == len(sheet) == len(page) - 2 > 0
    assert list(sheet[0]) == list(rows[0])
    key = list(rows[0])[1]
    assert [str(row[key]) for row in rows] == [line[key] for line in sheet]


def test_one_recording_alone(stored: StoredRun) -> None:
    rows = [json.loads(line) for line in export_content(stored, "jsonl", recording="jfk.flac").splitlines()]
    assert [row["recording"] for row in rows] == ["a1"]
    with pytest.raises(WrongUse, match=r"no transcript of 'other\.wav'"):
        export_content(stored, "csv", recording="other.wav")
