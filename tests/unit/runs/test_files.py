"""Files are whole or as they were; links lead on, and what is no file is written into."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from as2d.backend.runs.files import atomic_file, is_ordinary, storage_error, write_atomically


def test_a_link_stays_one_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.txt").write_text("old")
    for name, leads_to in (("link", "there/real.txt"), ("new", "there/not-yet.txt")):
        (tmp_path / name).symlink_to(leads_to)
        write_atomically(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / leads_to).read_bytes() == b"new"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["not-yet.txt", "real.txt"]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"content")
    reader.join()
    assert read == [b"content"]
    assert pipe.is_fifo()
    assert not is_ordinary(pipe)


def test_standard_output_is_written_into_whatever_it_is(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom as2d.backend.runs.files import write_atomically\n"
        "write_atomically(Path(sys.argv[1]), b'content')\n"
    )
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        piped = subprocess.run([sys.executable, "-c", program, name], stdout=subprocess.PIPE, check=True)
        assert piped.stdout == b"content"
        file = tmp_path / "out"
        file.write_bytes(b"before ")
        with file.open("ab") as out:
            subprocess.run([sys.executable, "-c", program, name], stdout=out, check=True)
        assert file.read_bytes() == b"before content"


def test_a_device_stays_one_and_a_full_one_is_told() -> None:
    write_atomically(Path("/dev/null"), b"content")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="space") as error:
        write_atomically(Path("/dev/full"), b"content")
    assert storage_error(error.value, Path("/dev/full"), "the traces").exit_code == 4


def test_a_folder_is_refused_in_a_sentence_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as error:
        write_atomically(tmp_path, b"content")
    assert "which is a folder" in storage_error(error.value, tmp_path, "the traces").message


def test_what_a_killed_program_left_is_removed_at_the_next_writing_of_that_file(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom as2d.backend.runs.files import atomic_file\n"
        "with atomic_file(Path(sys.argv[1])) as file:\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    for name in ("one", "other"):
        subprocess.run([sys.executable, "-c", program, str(tmp_path / name)], check=False)
    assert len(list(tmp_path.glob(".as2d-*.tmp"))) == 2
    with atomic_file(tmp_path / "one") as first:
        assert len(list(tmp_path.glob(".as2d-*.tmp"))) == 2
        write_atomically(tmp_path / "one", b"second")  # another that is being written is no remnant
        first.write(b"first")
    assert (tmp_path / "one").read_bytes() == b"first"
    assert len(list(tmp_path.glob(".as2d-*.tmp"))) == 1


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with atomic_file(path) as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
