"""Items computed by the workers of a Dask cluster, a local one or one that is there already.

Workers open the folders themselves and save what they compute; only the numbers of items go through the scheduler. A
worker that dies costs its items, which others compute again; a scheduler that is lost ends the run, and what is
finished stays in the run folder.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kces.errors import ClusterError
from kces.interop.limits import one_line
from kces.interop.optional import missing
from kces.memory import available_memory, format_bytes
from kces.threads import thread_count

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskExecutor", "dask_executor"]

_SHARE_OF_MEMORY = 0.9
"""Of what is free, for all workers of a local cluster together."""
_SAFE_SHARE = 0.6
"""Of a worker's limit; Dask holds back work from a worker at 80 % and ends it at 95 %."""
_CONNECT = 5.0
_POLL = 0.02
_ANSWER = 30.0
"""Seconds to wait for the result of an item that is finished, which is a number."""
_RETRIES = 1
_DEATHS = 2
"""Workers that one item may end before the run does: one death may be chance, three are not."""
_THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "KCES_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class DaskExecutor:
    """Computes items on a cluster.

    Attributes
    ----------
    client : connected to its scheduler.
    workers : how many there are.
    memory : bytes that an item may use on the smallest of them, or None where there is no limit.
    """

    client: Client
    workers: int
    memory: int | None = None

    @property
    def dashboard(self) -> str:
        """Where to watch the work in a browser."""
        return str(self.client.dashboard_link)

    def run(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Call ``work`` on every item; yield what it returns, as items are finished."""
        waiting: list[Any] = []
        try:
            waiting = self.client.map(work, list(items), pure=False, retries=_RETRIES)
            while waiting:
                ended = [future for future in waiting if future.status != "pending"]
                waiting = [future for future in waiting if future.status == "pending"]
                for future in ended:
                    yield future.result(timeout=_ANSWER)
                if not ended:  # asked again and again: a scheduler that is lost does not call back
                    self._check_connection()
                    time.sleep(_POLL)
        except Exception as error:
            raise self._in_words(error) from error
        finally:
            if waiting and self.client.status == "running":
                self.client.cancel(waiting)

    def _check_connection(self) -> None:
        if self.client.status != "running":
            raise OSError(f"the client is {self.client.status}")

    def _in_words(self, error: Exception) -> Exception:
        """What happened to the cluster, in one line; an error of the work itself stays what it is."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        if isinstance(error, KilledWorker):
            limit = "" if self.memory is None else f" (a part may use {format_bytes(self.memory)})"
            return ClusterError(
                f"a part of the work has ended {_DEATHS + 1} workers, most likely for their memory{limit};"
                " give each worker more memory or the run smaller chunks, and resume it"
            )
        lost = (FutureCancelledError, CommClosedError, OSError, asyncio.CancelledError, asyncio.TimeoutError)
        if isinstance(error, lost) or self.client.status != "running":
            return ClusterError("the connection to the scheduler is lost; what is finished is kept: resume the run")
        return error


@contextmanager
def dask_executor(
    *, workers: int | None = None, address: str | None = None, memory: int | None = None
) -> Iterator[DaskExecutor]:
    """Start a local cluster of processes, or connect to a scheduler.

    Parameters
    ----------
    workers : processes of a local cluster; they share the cores and, unless told otherwise, the free memory.
    address : of a scheduler, such as ``tcp://10.0.0.1:8786``, in place of a local cluster.
    memory : bytes that each local worker may use.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise missing("a cluster needs dask.distributed", extra="cluster") from error
    count = workers or 1
    threads = str(max(1, thread_count() // count))
    settings = {
        "distributed.nanny.environ": dict.fromkeys(_THREADS, threads),
        "distributed.comm.timeouts.connect": f"{_CONNECT}s",
        "distributed.scheduler.allowed-failures": _DEATHS,
    }
    with dask.config.set(settings):
        if address is not None:
            with _connected(lambda: Client(address, timeout=_CONNECT, set_as_default=False), address) as client:
                yield _of(client)
            return
        limit = memory or int(_SHARE_OF_MEMORY * available_memory() / count)
        with (
            LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                memory_limit=limit,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            _connected(lambda: Client(cluster, set_as_default=False), "the local cluster") as client,
        ):
            client.wait_for_workers(count)
            yield _of(client)


@contextmanager
def _connected(connect: Callable[[], Client], where: str) -> Iterator[Client]:
    _say_nothing()
    try:
        client = connect()
    except (OSError, asyncio.TimeoutError, ValueError) as error:
        raise ClusterError(f"cannot reach a scheduler at {where}: {one_line(error)}") from error
    try:
        yield client
    finally:
        client.close(timeout=2)


def _say_nothing() -> None:
    """What is lost is said in one line, by this program: loggers below that of distributed have levels of their own."""
    for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _of(client: Client) -> DaskExecutor:
    try:
        client.wait_for_workers(1, timeout=_CONNECT)
    except (OSError, asyncio.TimeoutError):
        raise ClusterError("the cluster has no workers; start some and run again") from None
    found = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [int(worker["memory_limit"]) for worker in found if worker["memory_limit"]]
    memory = int(_SAFE_SHARE * min(limits)) if limits else None
    return DaskExecutor(client, len(found), memory)
