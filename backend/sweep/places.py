"""Where the workers of dask.distributed are: on this computer, or those of a scheduler."""

from __future__ import annotations

import importlib.util
import logging
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

from as2d.backend.devices.this_computer import usable_cores
from as2d.backend.errors import WrongUse
from as2d.backend.sweep.dask_workers import DaskWorkers
from as2d.backend.sweep.identity import WorkersFailed
from as2d.backend.sweep.lone_worker import LoneWorker
from as2d.backend.sweep.wanted import WorkersWanted
from as2d.backend.sweep.work import Notice, Workers

_PACKAGE = "as2d-studio"
_ALIKE = ("dask", "distributed", "cloudpickle", "numpy")
_CONNECT_SECONDS = 10
_FIRST_WORKER_SECONDS = 60
_CLOSE_SECONDS = 5
_LOGGERS = ("distributed", "distributed.client", "bokeh", "tornado", "tornado.application", "asyncio")
# Ctrl-C in a terminal reaches every process of the group; this one alone answers it and ends the others.
_KEPT_SIGNALS = {signal.SIGINT, signal.SIGHUP}


@contextmanager
def open_workers(wanted: WorkersWanted, notice: Notice) -> Iterator[Workers]:
    """The workers while they are needed. One on this computer is this process; more are processes that end
    with the block.

    Raises:
        WrongUse: dask.distributed is not installed, or the address is none.
        WorkersFailed: the scheduler cannot be reached, has no workers, or they are of other versions.
    """
    count = wanted.count or usable_cores()
    if wanted.scheduler is None and count == 1:
        yield LoneWorker()
        return
    _prepare()
    if wanted.scheduler is not None:
        with _client_of(wanted.scheduler, wanted.scheduler) as client:
            try:
                _wait_for_workers(client, wanted.scheduler, notice)
                _require_alike(client, wanted.scheduler)
            except (OSError, TimeoutError) as error:
                raise _unreachable(wanted.scheduler, error) from error
            yield DaskWorkers(client, wanted.scheduler, notice)
        return
    with _local_cluster(count) as cluster, _client_of(cluster, None) as client:
        yield DaskWorkers(client, None, notice)


def _prepare() -> None:
    """Load dask.distributed for the first time, with nothing of it on the terminal.

    Raises:
        WrongUse: it is not installed.
    """
    if importlib.util.find_spec("distributed") is None:
        raise WrongUse(
            "This needs the Python package distributed, which is not installed; in a checkout `make sweeps` "
            "brings it, elsewhere install as2d-studio with its part 'sweep'; --workers 1 does without."
        )
    import dask

    levels = dict.fromkeys(_LOGGERS, "critical")
    dask.config.set({"logging": levels})
    environment = {f"DASK_LOGGING__{name.upper().replace('.', '_')}": "critical" for name in _LOGGERS[:1]}
    dask.config.set({"distributed.nanny.pre-spawn-environ": environment})
    importlib.import_module("distributed")
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = list(logging.getLogger("as2d").handlers)
        logger.propagate = False


@contextmanager
def _local_cluster(count: int) -> Iterator[Any]:
    """Processes on this computer, which nobody else can reach: they speak TLS with a key of their own."""
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    with (
        tempfile.TemporaryDirectory(prefix="as2d-workers-", ignore_cleanup_errors=True) as folder,
        dask.config.set(
            {
                "temporary-directory": folder,
                "distributed.scheduler.http.routes": [],
                "distributed.worker.http.routes": [],
                "distributed.worker.profile.enabled": False,
            }
        ),
    ):
        cluster = None
        try:
            with _kept_from_children():
                cluster = LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    memory_limit=0,
                    security=Security.temporary(),
                    silence_logs=logging.CRITICAL,
                )
            yield cluster
        except (OSError, RuntimeError) as error:
            if cluster is not None:
                raise
            raise WorkersFailed(
                f"The workers could not be started on this computer ({error}); try fewer with --workers."
            ) from error
        finally:
            if cluster is not None:
                with suppress(TimeoutError):
                    cluster.close(timeout=_CLOSE_SECONDS)


@contextmanager
def _kept_from_children() -> Iterator[None]:
    """Threads that begin here, and processes that they start, later ones too, do not get `_KEPT_SIGNALS`."""
    resource_tracker.ensure_running()  # it lets signals through again when it starts
    signal.pthread_sigmask(signal.SIG_BLOCK, _KEPT_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _KEPT_SIGNALS)


@contextmanager
def _client_of(cluster: Any, address: str | None) -> Iterator[Any]:  # noqa: ANN401  (untyped)
    from distributed import Client

    class ClosedHere(Client):  # type: ignore[misc]
        """Is closed below, and not once more, with noise, when it is deleted."""

        def __del__(self) -> None:
            """Leave it as it is."""

    client = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions: they are compared below
            client = ClosedHere(cluster, timeout=_CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        if address is None:
            raise
        raise _unreachable(address, error) from error
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CLOSE_SECONDS)


def _unreachable(address: str, error: Exception) -> WrongUse | WorkersFailed:
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return WrongUse(f"--scheduler takes an address such as tcp://192.168.1.20:8786, not '{address}'.")
    if isinstance(error, OSError | TimeoutError):
        return WorkersFailed(
            f"The scheduler {address} cannot be reached; start one there with `dask scheduler`, and look at "
            "the address and the firewall."
        )
    return WorkersFailed(
        f"What answers at {address} is no scheduler that this version of dask.distributed understands "
        f"({type(error).__name__}); install the same version on all computers."
    )


def _wait_for_workers(client: Any, address: str, notice: Callable[[str], None]) -> None:  # noqa: ANN401
    if client.scheduler_info(n_workers=-1)["workers"]:
        return
    notice(f"The scheduler {address} has no workers yet; waiting for the first.")
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER_SECONDS)
    except TimeoutError as error:
        raise WorkersFailed(
            f"The scheduler {address} has no workers; start some with `dask worker {address}`."
        ) from error


def _require_alike(client: Any, address: str) -> None:  # noqa: ANN401  (untyped)
    """Refuse workers that could not read what they are sent, or might compute something else.

    Raises:
        WorkersFailed: their versions are others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = client.get_versions(packages=[_PACKAGE])
    here = _versions(found["client"])
    sides: list[tuple[str, Any, tuple[str, ...]]] = [
        (f"The scheduler {address}", found["scheduler"], ("python", "dask", "distributed"))
    ]
    sides += [(f"The worker {name}", said, tuple(here)) for name, said in found["workers"].items()]
    for who, said, names in sides:
        there = _versions(said)
        for name in names:
            if there[name] != here[name]:
                raise WorkersFailed(
                    f"{who} has {name} {there[name] or '(not installed)'}, and this computer {here[name]}; "
                    "install the same version on all computers."
                )


def _versions(said: Any) -> dict[str, str | None]:  # noqa: ANN401  (untyped)
    packages = said["packages"]
    python = packages.get("python") or ""
    return {
        "python": ".".join(python.split(".")[:2]),
        **{name: packages.get(name) for name in (*_ALIKE, _PACKAGE)},
    }
