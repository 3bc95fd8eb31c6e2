"""Where parts are computed, by name: in this process, or by Dask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kces.errors import InvalidParameterError
from kces.scale.executors import Executor, InThisProcess

__all__ = ["BACKENDS", "open_backend"]

BACKENDS = ("threads", "dask")


@contextmanager
def open_backend(
    backend: str | None = None, *, workers: int | None = None, cluster: str | None = None, memory: int | None = None
) -> Iterator[Executor]:
    """Yield the executor of a backend, which ends with the block.

    Parameters
    ----------
    backend : ``threads``, the compiled loops of this process, or ``dask``; default by what else is given.
    workers : processes of a local Dask cluster.
    cluster : address of a Dask scheduler, in their place.
    memory : bytes that each local worker may use.

    Examples
    --------
    >>> with open_backend("threads") as executor:
    ...     list(executor.run(abs, [-2]))
    [2]
    """
    chosen = backend or ("dask" if workers or cluster else "threads")
    if chosen not in BACKENDS:
        raise InvalidParameterError(f"backend must be one of {', '.join(BACKENDS)}; got {chosen!r}")
    if workers is not None and cluster is not None:
        raise InvalidParameterError("workers start a cluster and cluster names one; give one of them")
    if chosen == "threads":
        if workers or cluster:
            raise InvalidParameterError("workers and cluster go with backend dask")
        yield InThisProcess()
        return
    from kces.scale.dask_cluster import dask_executor

    with dask_executor(workers=workers or (None if cluster else 1), address=cluster, memory=memory) as executor:
        yield executor
