"""How many threads to use: what the environment allows."""

from __future__ import annotations

import os

__all__ = ["thread_count"]


def thread_count() -> int:
    """``KCES_NUM_THREADS``, else ``OMP_NUM_THREADS``, else the cores this process may use.

    >>> thread_count() >= 1
    True
    """
    for name in ("KCES_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "")
        if text.isdigit() and int(text) > 0:
            return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
