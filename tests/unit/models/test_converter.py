"""The conversion: from MNN's own converter, in a process that neither connects nor installs."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.unit.models import small_whisper

from as2d.backend.models.convert_job import ConvertJob
from as2d.backend.models.graph_check import GraphDiffers, check_converted

LIST_PACKAGES = (
    "import importlib.metadata as m; print(sorted(f'{d.name} {d.version}' for d in m.distributions()))"
)


def packages() -> str:
    return subprocess.run(
        [sys.executable, "-c", LIST_PACKAGES], capture_output=True, text=True, check=True
    ).stdout


def job_for(folder: Path, graph: str, storage: str = "float16") -> ConvertJob:
    weights = folder / "model.bin"
    weights.write_bytes(small_whisper.weights())
    return ConvertJob.model_validate(
        {
            **{"weights": weights, "graph": graph, "alignment_heads": [[1, 0]], "storage": storage},
            **{"block": 64 if storage == "int8" else None, "precise_gelu": True},
            **{"onnx": folder / "graph.onnx", "mnn": folder / "graph.mnn"},
        }
    )


def run_job(job: ConvertJob, folder: Path, *prefix: str) -> subprocess.CompletedProcess[str]:
    (folder / "job.json").write_text(job.model_dump_json())
    command = [*prefix, sys.executable, "-m", "as2d.backend.models.convert_job", str(folder / "job.json")]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert child.stdout is not None
    output = child.stdout.read()
    child.communicate()
    return subprocess.CompletedProcess(command, child.returncode, output)


def test_converting_works_without_any_network_and_installs_nothing(tmp_path: Path) -> None:
    before = packages()
    result = run_job(job_for(tmp_path, "decoder"), tmp_path, "unshare", "--user", "--map-root-user", "--net")
    assert result.returncode == 0, result.stdout
    assert packages() == before
    assert (tmp_path / "graph.mnn").stat().st_size > 100_000
    assert not (tmp_path / "graph.onnx").exists()


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
    ],
)
def test_the_converting_process_may_not_connect_or_start_others(attempt: str) -> None:
    code = f"from as2d.backend.models.convert_job import refuse_network_and_processes as r; r(); {attempt}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "PermissionError: [Errno 1] the converter may not use" in result.stderr


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for storage in ("float16", "float16", "int8", "int8"):
        result = run_job(job_for(tmp_path, "cross", storage), tmp_path)
        assert result.returncode == 0, result.stdout
        contents.append((tmp_path / "graph.mnn").read_bytes())
    assert contents[0] == contents[1]
    assert contents[2] == contents[3]
    assert contents[0] != contents[2]


def test_a_converted_file_that_computes_something_else_is_refused(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        import _tools
        from as2d.backend.models.convert_job import ConvertJob, converter_arguments
        from as2d.backend.models.ct2 import CTranslate2File
        from as2d.backend.models.graphs.cross import write_cross
        from as2d.backend.models.graphs.weights import WhisperWeights
        for path in sys.argv[1:]:
            job = ConvertJob.model_validate_json(Path(path).read_text())
            write_cross(WhisperWeights(CTranslate2File(job.weights)), job.onnx)
            _tools.mnnconvert(converter_arguments(job))
    """)
    jobs = []
    for seed, name in enumerate(("one", "other")):
        folder = tmp_path / name
        folder.mkdir()
        job = job_for(folder, "cross")
        job.weights.write_bytes(small_whisper.weights(seed))
        (folder / "job.json").write_text(job.model_dump_json())
        jobs.append(job)
    files = [str(job.onnx.parent / "job.json") for job in jobs]
    subprocess.run([sys.executable, "-c", script, *files], check=True, capture_output=True)
    one, other = jobs
    check_converted(one.onnx, one.mnn, "float16")
    with pytest.raises(GraphDiffers, match="away from the graph it was converted from"):
        check_converted(one.onnx, other.mnn, "float16")
    whole = one.mnn.read_bytes()
    for size in (len(whole) - 4, len(whole) // 2, 1000, 0):
        one.mnn.write_bytes(whole[:size])
        with pytest.raises(GraphDiffers, match="not complete"):
            check_converted(one.onnx, one.mnn, "float16")


def test_an_unusable_source_ends_with_a_reason(tmp_path: Path) -> None:
    job = job_for(tmp_path, "encoder")
    job.weights.write_bytes(job.weights.read_bytes()[:-7])
    result = run_job(job, tmp_path)
    assert result.returncode == 3
    assert result.stdout.splitlines()[-1].startswith("NotCTranslate2Error: ends at byte")
