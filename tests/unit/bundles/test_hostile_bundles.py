"""What is no bundle, or one made to do harm, is refused in a sentence; nothing is written."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.errors import InputRefused
from as2d.backend.runs.store import RunStore

RUN = "20260102-030405-abcd"
Files = dict[str, bytes]


def _files(bundle: Path) -> Files:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _described(files: Files) -> Files:
    """The files with a table of contents that fits them."""
    prefix = f"runs/{RUN}/"
    table = {
        name.removeprefix(prefix): {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
        if name != "bundle.json"
    }
    contents = {"kind": "as2d-bundle", "format": 1, "runs": [{"run": RUN, "files": table}]}
    return {**files, "bundle.json": json.dumps(contents).encode()}


def _pack(path: Path, files: Files, change: Callable[[zipfile.ZipInfo], None] | None = None) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if change is not None:
                change(info)
            archive.writestr(info, content)
    return path


def _refused(path: Path, store: RunStore) -> str:
    with pytest.raises(InputRefused) as refusal:
        open_bundle(path, store)
    assert not store.root.exists() or list(store.root.iterdir()) == []
    message = refusal.value.message
    assert "\n" not in message
    assert message.endswith((".", "…"))
    assert len(message) < 600
    return message


def test_a_repacked_bundle_opens(bundle: Path, elsewhere: RunStore, tmp_path: Path) -> None:
    """What the others change is all that is wrong with them."""
    assert open_bundle(_pack(tmp_path / "x.as2d", _described(_files(bundle))), elsewhere)[0].run == RUN


@pytest.mark.parametrize(
    "name",
    [
        "../outside.json",
        f"runs/{RUN}/../../../outside",
        "/etc/outside",
        "runs\\..\\outside",
        f"runs/{RUN}/audio/../../x.wav",
        f"runs/{RUN}/audio/.hidden",
        f"runs/{RUN}/other.txt",
        f"runs/{RUN}/audio/",
        "C:/outside",
    ],
)
def test_names_that_lead_elsewhere(bundle: Path, elsewhere: RunStore, tmp_path: Path, name: str) -> None:
    files = _described({**_files(bundle), name: b"x"})
    _refused(_pack(tmp_path / "x.as2d", files), elsewhere)
    unnamed = {**_described(_files(bundle)), name: b"x"}
    _refused(_pack(tmp_path / "y.as2d", unnamed), elsewhere)
    assert not list(tmp_path.rglob("outside*"))


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o644, stat.S_IFDIR | 0o755])
def test_links_pipes_and_folders(bundle: Path, elsewhere: RunStore, tmp_path: Path, mode: int) -> None:
    def change(info: zipfile.ZipInfo) -> None:
        if info.filename.endswith("labels.json"):
            info.create_system, info.external_attr = 3, mode << 16

    path = _pack(tmp_path / "x.as2d", _described(_files(bundle)), change)
    assert "no ordinary file" in _refused(path, elsewhere)


def test_a_name_twice(bundle: Path, elsewhere: RunStore, tmp_path: Path) -> None:
    path = tmp_path / "x.as2d"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in _described(_files(bundle)).items():
            archive.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(f"runs/{RUN}/manifest.json", b"{}")
    assert "twice" in _refused(path, elsewhere)


def test_bombs(bundle: Path, elsewhere: RunStore, tmp_path: Path) -> None:
    files = _files(bundle)
    stream = f"runs/{RUN}/events.jsonl.gz"
    zeros = {**files, f"runs/{RUN}/transcripts/a1.txt": bytes(40 << 20)}
    assert "would grow" in _refused(_pack(tmp_path / "a.as2d", _described(zeros)), elsewhere)
    endless = gzip.compress(bytes(80 << 20), 9)
    path = _pack(tmp_path / "b.as2d", _described({**files, stream: endless}), _stored)
    assert "a line in it has no end" in _refused(path, elsewhere)
    step = b'{"t":1,"host":"step","step":"x","done":0,"total":0}\n'
    many = gzip.compress(step * (30 * (1 << 20) // len(step)), 9)
    path = _pack(tmp_path / "c.as2d", _described({**files, stream: many}), _stored)
    assert "grows beyond" in _refused(path, elsewhere)
    huge = b'{"kind": "as2d-bundle", "runs": [' + b" " * (20 << 20) + b"]}"
    path = _pack(tmp_path / "d.as2d", {"bundle.json": huge}, _stored)
    assert "too large" in _refused(path, elsewhere)
    deep = {**files, f"runs/{RUN}/manifest.json": b"[" * 1_000_000}
    assert "manifest.json" in _refused(_pack(tmp_path / "e.as2d", _described(deep), _stored), elsewhere)


def _stored(info: zipfile.ZipInfo) -> None:
    info.compress_type = zipfile.ZIP_STORED


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("manifest.json", lambda text: text.replace('"format": 1', '"format": 2')),
        ("manifest.json", lambda text: text.replace(RUN, "../../x")),
        ("manifest.json", lambda text: text.replace(RUN, "20260102-030405-ffff")),
        ("manifest.json", lambda text: text.replace('"status": "done"', '"status": 7')),
        ("manifest.json", lambda text: text[:0] + "null"),
        ("labels.json", lambda text: text.replace('"Monday"', "17")),
        ("labels.json", lambda text: text.replace('"meeting"', '"two words"')),
        ("labels.json", lambda text: text.replace("Monday", "\\u001b[2J")),
    ],
)
def test_wrong_types(
    bundle: Path, elsewhere: RunStore, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    files = _files(bundle)
    entry = f"runs/{RUN}/{name}"
    files[entry] = change(files[entry].decode()).encode()
    _refused(_pack(tmp_path / "x.as2d", _described(files)), elsewhere)


@pytest.mark.parametrize(
    "line",
    [
        b'{"t":"soon","host":"run_ended","status":"done"}\n',
        b'{"t":1,"host":"run_ended","status":"done","more":1}\n',
        b'{"t":1,"event":"call"}\n',
    ],
)
def test_events_that_are_none(bundle: Path, elsewhere: RunStore, tmp_path: Path, line: bytes) -> None:
    files = _files(bundle)
    stream = f"runs/{RUN}/events.jsonl.gz"
    files[stream] = gzip.compress(gzip.decompress(files[stream]) + line)
    assert "events.jsonl.gz" in _refused(_pack(tmp_path / "x.as2d", _described(files)), elsewhere)
    files[stream] = b"no gzip at all"
    assert "not gzip" in _refused(_pack(tmp_path / "y.as2d", _described(files)), elsewhere)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table["runs"][0]["files"].pop("manifest.json"),
        lambda table: table["runs"][0]["files"]["manifest.json"].update(sha256="0" * 64),
        lambda table: table["runs"][0]["files"]["manifest.json"].update(size=1),
        lambda table: table["runs"][0]["files"]["manifest.json"].update(size="1"),
        lambda table: table["runs"][0].update(run="../up"),
        lambda table: table["runs"].append(table["runs"][0]),
        lambda table: table.update(runs=[]),
        lambda table: table.update(format=2),
        lambda table: table.update(kind="other"),
    ],
)
def test_a_table_of_contents_that_lies(
    bundle: Path, elsewhere: RunStore, tmp_path: Path, change: Callable[[Any], None]
) -> None:
    files = _described(_files(bundle))
    table = json.loads(files["bundle.json"])
    change(table)
    files["bundle.json"] = json.dumps(table).encode()
    _refused(_pack(tmp_path / "x.as2d", files), elsewhere)


def test_files_that_are_no_bundles(elsewhere: RunStore, tmp_path: Path, repository: Path) -> None:
    for name, content in {"empty": b"", "text": b"hello", "zip": b"PK\x05\x06" + bytes(18)}.items():
        (tmp_path / name).write_bytes(content)
        _refused(tmp_path / name, elsewhere)
    _refused(repository / "resources/sample/jfk.flac", elsewhere)
    _refused(tmp_path / "missing.as2d", elsewhere)
    _refused(tmp_path, elsewhere)
    os.mkfifo(tmp_path / "pipe")
    _refused(tmp_path / "pipe", elsewhere)


def test_every_truncation_is_refused(bundle: Path, elsewhere: RunStore, tmp_path: Path) -> None:
    content = bundle.read_bytes()
    path = tmp_path / "cut.as2d"
    for length in range(0, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:length])
        _refused(path, elsewhere)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_bundles_open_unchanged_or_not_at_all(
    bundle: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Bytes changed, taken out, put in or swapped anywhere, also in the zip's own headers."""
    original = bundle.read_bytes()
    content = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(("set", "cut", "put", "copy"))):
            case "set":
                content[place] = data.draw(st.integers(0, 255))
            case "cut":
                del content[place : place + data.draw(st.integers(1, 64))]
            case "put":
                content[place:place] = data.draw(st.binary(min_size=1, max_size=16))
            case _:
                begin = data.draw(st.integers(0, len(content) - 1))
                content[place : place + 24] = content[begin : begin + 24]
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "x.as2d").write_bytes(content)
    store = RunStore(folder / "runs")
    try:
        (opened,) = open_bundle(folder / "x.as2d", store)
    except InputRefused:
        assert not store.root.exists() or list(store.root.iterdir()) == []
        return
    files = _files(bundle)
    for name in ("manifest.json", "events.jsonl.gz", "labels.json"):
        assert (opened.folder / name).read_bytes() == files[f"runs/{RUN}/{name}"]
