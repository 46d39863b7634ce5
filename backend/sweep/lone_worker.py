"""One worker: this process, which needs nobody to hand out the work."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterable, Sequence

from as2d.backend.errors import HelperFailed
from as2d.backend.sweep.work import RETRIES, Here, P, R, S, Work


class LoneWorker:
    """See `Workers`: each part is done when its result is asked for."""

    def describe(self) -> str:
        """See `Workers.describe`."""
        return "1 worker on this computer"

    def map(self, work: Work[S, P, R], shared: Sequence[S], parts: Iterable[P | None]) -> Generator[R]:
        """See `Workers.map`."""
        with tempfile.TemporaryDirectory(prefix="as2d-worker-", ignore_cleanup_errors=True) as folder:
            here = Here(folder, lambda: False)
            for part in parts:
                if part is not None:  # else the result it waits for was taken meanwhile
                    yield _done(work, shared, part, here)


def _done(work: Work[S, P, R], shared: Sequence[S], part: P, here: Here) -> R:
    for _ in range(RETRIES):
        try:
            return work(shared, part, here)
        except HelperFailed:  # once more, as with other workers; the last time it counts
            continue
    return work(shared, part, here)
