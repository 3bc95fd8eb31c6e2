"""An order carried out by a worker of a Dask cluster, seen from the process that wants its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kces.errors import ClusterError
from kces.processes.answers import ERROR, Answer
from kces.processes.orders import Order
from kces.processes.process import Limits, run_order

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["RemoteOrder"]

_ANSWER = 30.0


class RemoteOrder:
    """One order under way in a fresh interpreter beside a worker; to be asked and ended like a local one."""

    def __init__(self, order: Order, limits: Limits, client: Client) -> None:
        self._client = client
        self._future: Any = client.submit(run_order, order, limits, pure=False)

    def poll(self) -> Answer | None:
        """The answer once there is one; None before. A lost scheduler is an error, a lost worker an answer."""
        from distributed import KilledWorker

        if self._client.status != "running" or self._future.status in ("cancelled", "lost"):
            raise ClusterError(
                "the connection to the scheduler is lost; finished cells are kept: run the command again"
            )
        if self._future.status == "pending":
            return None
        try:
            answer: Answer = self._future.result(timeout=_ANSWER)
        except KilledWorker:
            return Answer(ERROR, message="it has ended several workers, most likely for their memory")
        return answer

    def kill(self) -> None:
        """Do not wait for it any more; the worker may finish it, and nobody listens."""
        if self._client.status == "running":
            self._future.cancel()
