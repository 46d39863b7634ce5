"""Sweeps on real workers of dask.distributed: the same results however many there are, whatever happens."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.conftest import CommandLine

from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.models.store import InstalledModel

OPTIONS = ("--methods", "target-only,sd,specasr,as2d,as2d-resync", "--budgets", "2,4,7", "--format", "csv")
REPEATS = 400
MEASURED = ("encoder", "prefill_ms", "call_ms")

Remember = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def traces(two_traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real traces of two short recordings, many times under other names: some seconds of work."""
    lines = [json.loads(line) for line in two_traces.read_text().splitlines()]
    path = tmp_path_factory.mktemp("traces") / "many.jsonl"
    with path.open("w") as file:
        for repeat in range(REPEATS):
            for line in lines:
                file.write(json.dumps({**line, "recording": f"{repeat}/{line['recording']}"}) + "\n")
    return path


@pytest.fixture(scope="module")
def profiles(installed: dict[str, InstalledModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cost profiles of two devices that differ in what wide calls cost, and one of other models."""
    folder = tmp_path_factory.mktemp("profiles")
    target, drafter = (installed[name].digest for name in ("whisper-base", "whisper-tiny.en"))
    for name, models, wide in (
        ("steep", (target, drafter), 3.0),
        ("flat", (target, drafter), 0.2),
        ("foreign", ("1" * 64, drafter), 1.0),
    ):
        (folder / f"cost-{name}.json").write_text(_profile(name, models, wide).model_dump_json())
    return folder


def _profile(name: str, models: tuple[str, str], wide: float) -> CostProfile:
    """A device on which each further token of a target call costs `wide` ms."""

    def cost(k: int, threads: int, base: float, step: float) -> dict[str, Any]:
        ms = (base + step * (k - 1)) * 2 / threads
        return {"threads": threads, "context": 60, "k": k, "ms_mean": ms, "ms_median": ms, "ms_deviation": 0}

    steps = [cost(k, 1, 2.0, 0.5) for k in (1, 4)]
    return CostProfile.model_validate(
        {
            "device": name, "cpu": "none", "cores": 4, "helper": "none", "measured": "2026-01-01T00:00:00Z",
            "repeats": 9, "target": models[0], "drafter": models[1], "threads": 2, "shared_threads": 1,
            "drafter_threads": 1, "drafter_shared_threads": 1, "encoders": [],
            "target_calls": [cost(k, threads, 10.0, wide) for k in (1, 8) for threads in (1, 2)],
            "target_turns": [cost(k, 2, 11.0, wide) for k in (1, 8)],
            "drafter_steps": steps, "drafter_turns": [{**steps[0], "turn": 1}],
            "interference": {"target": 1.1, "drafter": 1.1, "k": 4},
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def swept(as2d_program: Any, traces: Path, profiles: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The table that one worker gives, for which dask.distributed need not be there."""
    without = tmp_path_factory.mktemp("without")
    (without / "distributed.py").write_text("raise ImportError\n")
    paths = [str(without), os.environ.get("PYTHONPATH", "")]
    alone = CommandLine(as2d_program.folder)
    alone.environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    done = alone.run("sweep", traces, "--profile", profiles, *OPTIONS, "--workers", "1")
    assert done.code == 0, done.err
    assert "1 worker on this computer" in done.err
    assert "cost-foreign" in done.err
    return str(done.out)


def descendants(watch: Any, pid: int) -> list[int]:
    children = watch.children_of(pid)
    return [*children, *(below for child in children for below in descendants(watch, child))]


def working(watch: Any, pid: int) -> list[int]:
    """The workers below a process that a helper works for now."""
    return [child for child in watch.children_of(pid) if watch.helpers_of(child)]


@pytest.mark.parametrize("workers", ["2", "4"])
def test_any_number_of_workers_gives_the_same_bytes(
    as2d: Any, traces: Path, profiles: Path, swept: str, workers: str
) -> None:
    done = as2d.run("sweep", traces, "--profile", profiles, *OPTIONS, "--workers", workers)
    assert done.code == 0, done.err
    assert f"{workers} workers on this computer" in done.err
    assert done.out == swept


def test_a_sweep_has_the_rows_of_a_replay_and_names_the_best_settings(
    as2d: Any, traces: Path, profiles: Path, swept: str
) -> None:
    rows = list(csv.DictReader(io.StringIO(swept)))
    assert {row["windows"] for row in rows} == {str(2 * REPEATS)}
    for name in ("steep", "flat"):
        own = [row for row in rows if row["profile"] == f"cost-{name}"]
        assert {row["device"] for row in own} == {name}
        replayed = as2d.run("replay", traces, "--profile", profiles / f"cost-{name}.json", *OPTIONS)
        assert replayed.code == 0, replayed.err
        shown = [
            {key: row[key] for key in row if key not in ("traces", "profile", "device", "best")}
            for row in own
        ]
        assert shown == list(csv.DictReader(io.StringIO(replayed.out)))
        for condition in ("request-start", "pre-drafted"):
            as2d_rows = [row for row in own if (row["method"], row["start_condition"]) == ("as2d", condition)]
            (best,) = [row for row in as2d_rows if row["best"] == "true"]
            assert float(best["tps"]) == max(float(row["tps"]) for row in as2d_rows)
    best = {
        row["profile"]: int(row["budget"])
        for row in rows
        if (row["method"], row["start_condition"], row["best"]) == ("as2d", "pre-drafted", "true")
    }
    assert best["cost-steep"] < best["cost-flat"]  # wide calls are dear on one of them


def test_the_work_of_a_killed_worker_is_done_again(
    as2d: Any, traces: Path, profiles: Path, swept: str, watch: Any, processes: Remember
) -> None:
    child = processes(as2d.start("sweep", traces, "--profile", profiles, *OPTIONS, "--workers", "2"))
    os.kill(watch.wait_until(lambda: working(watch, child.pid), "a worker replays")[0], signal.SIGKILL)
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err.decode()
    assert out.decode() == swept
    assert b"1 worker lost" in err
    assert b"Traceback" not in err


def test_an_interrupt_leaves_no_process_and_no_folder(
    as2d: Any, traces: Path, profiles: Path, watch: Any, processes: Remember, tmp_path: Path
) -> None:
    # As Ctrl-C in a terminal: every process of the group gets the signal.
    child = processes(
        subprocess.Popen(
            [
                sys.executable, "-m", "as2d.backend.cli.entry", "sweep", traces, "--profile", profiles,
                *OPTIONS, "--workers", "2",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**as2d.environment, "TMPDIR": str(tmp_path)},
            start_new_session=True,
        )
    )  # fmt: skip
    watch.wait_until(lambda: working(watch, child.pid), "a worker replays")
    below = descendants(watch, child.pid)
    assert len(below) >= 2  # two workers, and the helpers that work for them just now
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=300)
    assert (child.returncode, out) == (130, b""), err.decode()
    assert b"Interrupted." in err
    assert b"Traceback" not in err
    watch.wait_until(lambda: not any(map(watch.is_running, below)), "all processes ended")
    assert list(tmp_path.iterdir()) == []


class Cluster:
    """A scheduler and its workers as users start them, each a program of its own."""

    def __init__(self, folder: Path, environment: dict[str, str], remember: Remember) -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder
        self._environment = environment
        self._remember = remember
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--no-dashboard", "--no-show")

    def _start(self, module: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        return self._remember(
            subprocess.Popen(
                [
                    sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--host", "127.0.0.1",
                    "--scheduler-file", str(self._file),
                ],
                cwd=self._folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**self._environment, **environment},
            )
        )  # fmt: skip

    def add_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        return self._start(
            "dask_worker", "--nthreads", "2", "--no-nanny", "--no-dashboard", "--memory-limit", "0",
            "--local-directory", str(self._folder), **environment,
        )  # fmt: skip

    def address(self, watch: Any) -> str:
        return str(watch.wait_until(self._told, "the scheduler runs"))

    def _told(self) -> str:
        """What the scheduler's file says, once it is written to its end; nothing before."""
        try:
            address: str = json.loads(self._file.read_text())["address"]
        except (FileNotFoundError, ValueError):
            return ""
        return address


@pytest.fixture
def cluster(as2d: Any, processes: Remember, tmp_path: Path) -> Cluster:
    """A scheduler without workers yet."""
    return Cluster(tmp_path, as2d.environment, processes)


def test_the_workers_of_a_scheduler_give_the_same_bytes(
    as2d: Any, traces: Path, profiles: Path, swept: str, watch: Any, cluster: Cluster
) -> None:
    address = cluster.address(watch)
    cluster.add_worker()
    done = as2d.run("sweep", traces, "--profile", profiles, *OPTIONS, "--scheduler", address)
    assert done.code == 0, done.err
    assert f"1 worker of the scheduler {address}" in done.err
    assert done.out == swept


def test_a_scheduler_that_goes_away_is_told(
    as2d: Any, traces: Path, profiles: Path, watch: Any, cluster: Cluster, processes: Remember
) -> None:
    address = cluster.address(watch)
    worker = cluster.add_worker()
    child = processes(as2d.start("sweep", traces, "--profile", profiles, *OPTIONS, "--scheduler", address))
    watch.wait_until(lambda: watch.helpers_of(worker.pid) != [], "the worker replays")
    cluster.scheduler.kill()
    out, err = child.communicate(timeout=300)
    assert (child.returncode, out) == (3, b""), err.decode()
    assert f"connection to the scheduler {address} was lost" in err.decode()
    assert b"Traceback" not in err


@pytest.mark.parametrize("what", ["version", "helper"])
def test_workers_of_another_version_are_refused(
    as2d: Any, traces: Path, profiles: Path, watch: Any, cluster: Cluster, tmp_path: Path, what: str
) -> None:
    if what == "version":
        other = tmp_path / "other" / "as2d_studio-9.9.dist-info"
        other.mkdir(parents=True)
        (other / "METADATA").write_text("Metadata-Version: 2.1\nName: as2d-studio\nVersion: 9.9\n")
        paths = [str(other.parent), os.environ.get("PYTHONPATH", "")]
        cluster.add_worker(PYTHONPATH=os.pathsep.join(filter(None, paths)))
    else:
        helper = tmp_path / "as2d-helper"
        helper.write_text("#!/bin/sh\necho as2d-helper 9.9+0, MNN 3.6.1, protocol 3\n")
        helper.chmod(0o755)
        cluster.add_worker(AS2D_HELPER=str(helper))
    address = cluster.address(watch)
    done = as2d.run("sweep", traces, "--profile", profiles, "--scheduler", address)
    assert (done.code, done.out) == (3, ""), done.err
    assert "has " + ("as2d-studio 9.9" if what == "version" else "9.9+0 of the helper") in done.err
    assert "install the same version on all computers" in done.err
    assert "Traceback" not in done.err


def test_what_cannot_be_swept_is_refused(as2d: Any, traces: Path, profiles: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    lines = traces.read_text().splitlines()[:2]
    second = json.loads(lines[1])
    second["tokens"] = [second["end_token"], *second["tokens"]]
    second["margins"] = [1.0, *second["margins"]]
    damaged.write_text(f"{lines[0]}\n{json.dumps(second)}\n")
    own = ("--profile", profiles / "cost-flat.json", "--workers", "1")
    for arguments, code, words in (
        ((damaged, *own), 1, f"Line 2 of {damaged} is no trace"),
        ((traces, "--profile", profiles / "cost-foreign.json"), 2, "No cost profile is of the models"),
        ((traces, "--profile", tmp_path), 1, "holds no cost profile"),
        ((traces, *own, "--scheduler", "tcp://127.0.0.1:1"), 2, "give one of them"),
        ((traces, *own[:2], "--scheduler", "tcp://127.0.0.1:1"), 3, "cannot be reached"),
        ((traces, *own[:2], "--scheduler", "nowhere"), 2, "takes an address"),
        ((traces, *own, "--confidences", "0.5,2"), 2, "numbers from 0 to 1"),
    ):
        done = as2d.run("sweep", *arguments)
        assert (done.code, words in done.err) == (code, True), done.err
        assert done.out == ""
        assert "Traceback" not in done.err


def test_traces_by_workers_are_those_of_one_helper(
    as2d: Any, clips: Path, watch: Any, processes: Remember, tmp_path: Path
) -> None:
    """A worker is killed meanwhile; the languages of the recordings are detected, one has several windows."""
    names = ("aishell_S0764_0121-0130.opus", "cv_en_651325.mp3", "libri_198-209-0000.ogg")
    recordings = [clips / name for name in names]
    alone = as2d.run("trace", *recordings, "--threads", "1", "-o", tmp_path / "alone.jsonl")
    assert alone.code == 0, alone.err
    child = processes(as2d.start("trace", *recordings, "--workers", "2", "-o", tmp_path / "shared.jsonl"))
    os.kill(watch.wait_until(lambda: working(watch, child.pid), "a worker records")[0], signal.SIGKILL)
    _, err = child.communicate(timeout=600)
    assert child.returncode == 0, err.decode()
    assert b"Traceback" not in err

    def known(path: Path) -> list[dict[str, Any]]:
        lines = map(json.loads, path.read_text().splitlines())
        return [{name: line[name] for name in line if name not in MEASURED} for line in lines]

    assert known(tmp_path / "shared.jsonl") == known(tmp_path / "alone.jsonl")
    lines = known(tmp_path / "shared.jsonl")
    assert [Path(line["recording"]).name for line in lines] == [names[0], *names]
    assert [line["language"] for line in lines] == ["zh", "zh", "en", "en"]
