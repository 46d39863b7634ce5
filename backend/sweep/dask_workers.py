"""Workers of dask.distributed do parts of some work, and what they give comes back in order."""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from as2d.backend.errors import HelperFailed, InputRefused, OutOfSpace, UserError, WrongUse
from as2d.backend.models.progress import Cancelled
from as2d.backend.sweep.identity import Identity, WorkersFailed, own_identity, require_same
from as2d.backend.sweep.work import RETRIES, Here, Notice, P, R, S, Work
from as2d.backend.words import counted

_LOOK_SECONDS = 1.0
_LONELY_SECONDS = 60.0
_PARTS_A_THREAD = 2

_PLAIN: dict[int, type[UserError]] = {
    error.exit_code: error for error in (InputRefused, WrongUse, HelperFailed, OutOfSpace)
}


class DaskWorkers:
    """See `Workers`: those of one client. `where` names their scheduler in sentences, null: this computer."""

    def __init__(self, client: Any, where: str | None, notice: Notice) -> None:  # noqa: ANN401  (untyped)
        self._client = client
        self._where = where
        self._notice = notice
        self._known: set[str] = set()
        self._threads = 0
        self._looked = 0.0
        self._last_seen = time.monotonic()
        with self._explained():
            self._look()

    def describe(self) -> str:
        """See `Workers.describe`."""
        place = "on this computer" if self._where is None else f"of the scheduler {self._where}"
        return f"{counted(len(self._known), 'worker')} {place}"

    def map(self, work: Work[S, P, R], shared: Sequence[S], parts: Iterable[P | None]) -> Generator[R]:
        """See `Workers.map`."""
        identity = own_identity()
        run = uuid.uuid4().hex
        waiting: deque[_Asked] = deque()
        common: list[Any] = []
        source = iter(parts)
        more = True
        number = 0
        try:
            with self._explained():
                for index, piece in enumerate(shared):
                    key = f"as2d-{run}-shared-{index}"
                    common.append(self._client.submit(_itself, piece, key=key))
            while True:
                while more and len(waiting) < max(self._threads, 1) * _PARTS_A_THREAD:
                    try:
                        part = next(source)
                    except StopIteration:
                        more = False
                        break
                    if part is None:
                        break
                    with self._explained():
                        waiting.append(self._give(f"as2d-{run}-{number}", work, identity, common, part))
                    number += 1
                if not waiting:
                    if more:
                        raise AssertionError("the parts wait for a result that nobody makes")
                    with self._explained():
                        self._look()
                    return
                with self._explained():
                    done = self._result(waiting[0])
                waiting.popleft()
                if isinstance(done, _Failed):
                    raise done.error
                result: R = done.result
                yield result
        finally:
            left = [*(asked.future for asked in waiting), *common]
            if left and self._client.status == "running":
                self._client.cancel(left, force=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of dask.distributed as sentences."""
        from distributed import CancelledError, KilledWorker
        from distributed.client import ClosedClientError

        try:
            yield
        except KilledWorker as error:
            raise WorkersFailed(
                "A part of the work ended every worker that took it on; their memory may be too small, or "
                "the workers of another version."
            ) from error
        except ModuleNotFoundError as error:
            raise WorkersFailed(
                f"A worker lacks the Python package {error.name}; install as2d on all computers."
            ) from error
        except (CancelledError, ClosedClientError, OSError, TimeoutError) as error:
            raise self._lost() from error

    def _give(self, key: str, *arguments: object) -> _Asked:
        future = self._client.submit(_work, *arguments, key=key, retries=RETRIES)
        done = threading.Event()
        future.add_done_callback(lambda _future: done.set())
        return _Asked(future, done)

    def _result(self, asked: _Asked) -> _Done | _Failed:
        """What became of a part, when it is done; looks after the workers meanwhile."""
        while not asked.done.wait(_LOOK_SECONDS):
            self._look()
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._look()
        done: _Done | _Failed = asked.future.result()
        return done

    def _look(self) -> None:
        """See which workers there are, and say which are no more."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        now = time.monotonic()
        gone = self._known - workers.keys()
        if gone:
            self._notice(f"{counted(len(gone), 'worker')} lost; what they were at is done again by others.")
        self._known = set(workers)
        self._threads = sum(worker["nthreads"] for worker in workers.values())
        self._looked = now
        if workers:
            self._last_seen = now
        elif now - self._last_seen > _LONELY_SECONDS:
            raise WorkersFailed(
                "No worker is left"
                + (f" at the scheduler {self._where}" if self._where is not None else "")
                + "; start some and run this again."
            )

    def _lost(self) -> WorkersFailed:
        if self._where is None:
            return WorkersFailed("The workers on this computer were lost; run this again.")
        return WorkersFailed(
            f"The connection to the scheduler {self._where} was lost; start it again and run this again."
        )


@dataclass(frozen=True)
class _Asked:
    """A part that was given away; `done` is set when it is done, well or not."""

    future: Any
    done: threading.Event


class _Failed:
    """An error that would come again: it is no reason to try once more."""

    def __init__(self, error: UserError) -> None:
        self.error = error


class _Done:
    """What a part gave."""

    def __init__(self, result: Any) -> None:  # noqa: ANN401  (what any work gives)
        self.result = result


def _itself(piece: S) -> S:
    """What parts share as a result that can be had again when the worker that holds it is lost."""
    return piece


def _work(work: Work[S, P, R], identity: Identity, shared: Sequence[S], part: P) -> _Done | _Failed:
    """On a worker: one part. Errors leave it as plain ones, which every process can read."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def left() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state != "executing"

    try:
        require_same(identity)
        return _Done(work(shared, part, Here(str(worker.local_directory), left)))
    except Cancelled:
        return _Failed(HelperFailed("The work was cancelled."))
    except UserError as error:
        plain = _PLAIN[error.exit_code](error.message)
        if isinstance(error, HelperFailed) and not isinstance(error, WorkersFailed):
            raise plain from None
        return _Failed(plain)
