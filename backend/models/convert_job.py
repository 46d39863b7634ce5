"""A child process, `python -m as2d.backend.models.convert_job JOB`, that writes one graph and converts it.

It calls the converter function of the MNN package's extension. The package's console script `mnnconvert`
would first install a logging package; it isn't used. Connections and further processes are refused in this
process.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import threading
import traceback
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, PositiveInt

EXIT_DISK_FULL = 28
EXIT_FAILED = 3
_NETWORK = ("socket.connect", "socket.bind", "socket.send", "socket.getaddrinfo", "socket.gethostby")
_PROCESSES = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.spawn")
# A string of 36 characters in a FlatBuffer, in the part that comes before the operators.
_UUID = re.compile(rb"\x24\0\0\0([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\0")
_HEADER = 4096


class ConvertJob(BaseModel):
    """What to convert: `graph` of the model in `weights`, by way of `onnx`, into `mnn`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: Path
    graph: Literal["encoder", "cross", "decoder", "words"]
    alignment_heads: list[tuple[int, int]]
    storage: Literal["float32", "float16", "int8"]
    block: PositiveInt | None
    precise_gelu: bool
    onnx: Path
    mnn: Path


def converter_arguments(job: ConvertJob) -> list[str]:
    """The command line of MNN's converter for a job."""
    arguments = ["mnnconvert", "-f", "ONNX", "--modelFile", str(job.onnx), "--MNNModel", str(job.mnn)]
    arguments += ["--bizCode", "as2d", "--useGeluApproximation", "1"]
    if job.storage == "float16":
        arguments += ["--fp16"]
    if job.storage == "int8":
        arguments += ["--weightQuantBits", "8", "--weightQuantBlock", str(job.block)]
    return arguments


def refuse_network_and_processes() -> None:
    """From now on, a connection or a new process raises PermissionError in this process."""

    def hook(event: str, _arguments: tuple[Any, ...]) -> None:
        if event.startswith(_NETWORK + _PROCESSES):
            raise PermissionError(errno.EPERM, f"the converter may not use {event}")

    sys.addaudithook(hook)


def name_by_content(path: Path) -> None:
    """Replaces the random UUID that the converter writes by one that follows from the content.

    The same weights then give the same bytes on every machine.

    Raises:
        ValueError: the file does not begin as the converter's files do.
    """
    content = bytearray(path.read_bytes())
    found = [match.span(1) for match in _UUID.finditer(bytes(content[:_HEADER]))]
    if len(found) != 1:
        raise ValueError(f"{path.name} does not begin with one UUID")
    start, end = found[0]
    content[start:end] = bytes(end - start)
    name = uuid.uuid5(uuid.NAMESPACE_OID, hashlib.sha256(content).hexdigest())
    with path.open("r+b") as file:
        file.seek(start)
        file.write(str(name).encode())


def end_with_parent() -> None:
    """Ends this process when its standard input closes, that is when the parent is gone."""

    def wait() -> None:
        while os.read(0, 4096):
            continue
        os._exit(EXIT_FAILED)

    threading.Thread(target=wait, daemon=True).start()


def run(job: ConvertJob, convert: Callable[[Sequence[str]], object]) -> None:
    """Writes the ONNX graph, converts it, compares the two, deletes the ONNX graph."""
    from as2d.backend.models.ct2 import CTranslate2File
    from as2d.backend.models.graph_check import check_converted
    from as2d.backend.models.graphs.cross import write_cross
    from as2d.backend.models.graphs.decoder import write_decoder
    from as2d.backend.models.graphs.encoder import write_encoder
    from as2d.backend.models.graphs.weights import WhisperWeights
    from as2d.backend.models.graphs.words import write_words

    weights = WhisperWeights(CTranslate2File(job.weights))
    writers: dict[str, Callable[[], None]] = {
        "encoder": lambda: write_encoder(weights, job.onnx, job.precise_gelu),
        "cross": lambda: write_cross(weights, job.onnx),
        "decoder": lambda: write_decoder(weights, job.onnx, job.precise_gelu),
        "words": lambda: write_words(weights, job.alignment_heads, job.onnx, job.precise_gelu),
    }
    writers[job.graph]()
    convert(converter_arguments(job))
    name_by_content(job.mnn)
    check_converted(job.onnx, job.mnn, job.storage)
    job.onnx.unlink()


def main(arguments: Sequence[str]) -> int:
    """Runs the job in the named file; the exit status says how it went, the last line of stderr why."""
    end_with_parent()
    refuse_network_and_processes()
    try:
        job = ConvertJob.model_validate_json(Path(arguments[0]).read_bytes())
        import _tools

        run(job, _tools.mnnconvert)
    except Exception as error:  # noqa: BLE001 - the process boundary: every failure becomes a status and a line
        traceback.print_exc()
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
        return EXIT_DISK_FULL if full else EXIT_FAILED
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # The extension's static objects are not torn down: the work is done and on disk.
    os._exit(status)
