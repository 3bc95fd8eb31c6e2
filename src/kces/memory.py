"""How much memory there is, asked before a large array is made, and how much a process has held."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from kces.errors import MemoryLimitError

__all__ = ["available_memory", "format_bytes", "peak_memory", "require_memory"]


def available_memory() -> int:
    """Bytes that can be allocated now; ``KCES_MEMORY_LIMIT`` (bytes) lowers it, for shared machines.

    >>> available_memory() > 0
    True
    """
    limits = [value for value in (_meminfo(), _cgroup_room(), _environment_limit()) if value is not None]
    return min(limits) if limits else 8 * 2**30


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (ValueError, OSError, AttributeError):
            return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def _cgroup_room() -> int | None:
    """Room left under a container's limit, where there is one (cgroup v2)."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text().strip()
        return None if limit == "max" else max(int(limit) - int(used), 0)
    except (OSError, ValueError):
        return None


def _environment_limit() -> int | None:
    text = os.environ.get("KCES_MEMORY_LIMIT", "")
    return int(text) if text.isdigit() else None


def peak_memory() -> int:
    """The most bytes this process has held at once so far; 0 where the platform does not tell.

    On Linux from ``/proc``: what ``getrusage`` reports there begins, in a process that another one started, at
    the peak of that other process.

    >>> peak_memory() > 2**20
    True
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return _peak_of_usage()
    found = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(found[0]) * 1024 if found else _peak_of_usage()


def _peak_of_usage() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def format_bytes(count: float) -> str:
    """
    >>> format_bytes(3 * 2**30)
    '3.0 GiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def require_memory(needed: int, what: str, instead: str) -> None:
    """Refuse a job that does not fit, naming what it needs and what to do instead.

    >>> require_memory(2**60, "the exact engine", "use the local engine")
    Traceback (most recent call last):
        ...
    kces.errors.MemoryLimitError: the exact engine needs 1048576.0 TiB of memory, ... available; use the local engine
    """
    available = available_memory()
    if needed > available:
        raise MemoryLimitError(
            f"{what} needs {format_bytes(needed)} of memory, {format_bytes(available)} are available; {instead}"
        )
