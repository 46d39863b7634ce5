"""Kernels of one processor are linked with nothing that is compiled for another."""

from __future__ import annotations

import itertools
import subprocess

from as2d.backend.paths import helper_path

PROCESSORS = ("avx2", "avx512", "vnni", "neon", "dotprod")


def _weak(path: str) -> set[str]:
    """The functions of an object file of which the linker keeps one for the whole program."""
    lines = subprocess.run(["nm", "--demangle", path], check=True, capture_output=True, text=True).stdout
    symbols = (line.split(maxsplit=2)[1:] for line in lines.splitlines() if not line.startswith(" "))
    return {name for kind, name in symbols if kind in "WV" and "(anonymous namespace)" in name}


def test_what_is_compiled_for_one_processor_is_never_taken_for_another() -> None:
    objects = sorted(helper_path().parent.glob("CMakeFiles/as2d_*.dir/*/*.cpp.o"))
    kernels = [path for path in objects if path.name.partition(".")[0] in PROCESSORS]
    assert len(kernels) >= 2
    for one, other in itertools.combinations(kernels, 2):
        assert _weak(str(one)) & _weak(str(other)) == set(), f"{one.name} and {other.name}"
