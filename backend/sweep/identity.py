"""Whether a worker would compute what this process would."""

from __future__ import annotations

import functools
import socket
from dataclasses import dataclass
from pathlib import Path

import as2d
from as2d.backend.errors import HelperFailed
from as2d.backend.helper.version import helper_build
from as2d.backend.paths import helper_path


class WorkersFailed(HelperFailed):
    """The workers or their scheduler cannot be had, were lost, or are of another version."""


@dataclass(frozen=True)
class Identity:
    """The version of this package and the build of the helper program."""

    as2d: str
    helper: str


def own_identity() -> Identity:
    """Those of this process.

    Raises:
        HelperFailed: there is no helper program.
    """
    return Identity(as2d.__version__, _build(helper_path()))


def require_same(expected: Identity) -> None:
    """On a worker: refuse to compute something else than whoever asked would.

    Raises:
        WorkersFailed: version or build are others.
    """
    own = own_identity()
    for what, here, there in (("as2d", own.as2d, expected.as2d), ("the helper", own.helper, expected.helper)):
        if here != there:
            raise WorkersFailed(
                f"The worker on {socket.gethostname()} has {here} of {what} and not {there}; "
                "install the same version on all computers."
            )


@functools.cache
def _build(program: Path) -> str:
    return helper_build(program)
