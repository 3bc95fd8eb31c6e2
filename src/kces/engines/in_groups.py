"""Work dealt to a fixed number of groups, each with sums of its own: no rounding depends on the number of threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import threadpool_limits

from kces.threads import thread_count

__all__ = ["GROUPS", "in_groups"]

GROUPS = 4
"""At most so many threads are busy."""


def in_groups(work: Callable[[int], object]) -> None:
    """Call ``work`` with each group's number, on all threads, with BLAS on one thread each.

    >>> done = []
    >>> in_groups(done.append)
    >>> sorted(done)
    [0, 1, 2, 3]
    """
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count()) as pool:
        for _ in pool.map(work, range(GROUPS)):
            pass
