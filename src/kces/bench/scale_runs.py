"""What graphs on disk cost: made, converted and scored in fresh processes, beside the same graph in memory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kces.bench.made_tables import make_tables
from kces.bench.scale_jobs import CONVERT_JOB, DISK_JOB, MEMORY_JOB
from kces.errors import KCESError
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject
from kces.progress import Progress, silent

__all__ = ["bench_scale"]


def bench_scale(
    n_nodes: int,
    n_edges: int,
    n_features: int,
    *,
    workers: Sequence[int] = (0,),
    memory: float | None = None,
    chunk: int | None = None,
    in_memory: bool = False,
    place: Path | None = None,
    progress: Progress = silent,
) -> JsonObject:
    """Make a graph of this size, convert it, and score it on disk; a row for each number of workers.

    Parameters
    ----------
    n_nodes, n_edges, n_features : sizes of the made graph.
    workers : 0 is this process's own threads, others are Dask processes.
    memory : GiB that each process may use.
    chunk : edges at a time.
    in_memory : also score it in memory.
    place : a folder on a disk with room; default where temporary files go. What is made there is deleted.
    progress : told about the steps.
    """
    folder = Path(tempfile.mkdtemp(prefix="kces-bench-", dir=place))
    steps = 2 + len(workers) + in_memory
    try:
        progress("measure", 0, steps)
        edges, nodes = make_tables(folder, n_nodes, n_edges, n_features)
        progress("measure", 1, steps)
        graph = str(folder / "made.kces")
        found: JsonObject = {"nodes": n_nodes, "features": n_features}
        found["convert"] = _measured(CONVERT_JOB, {"edges": edges, "nodes": nodes, "output": graph})
        for table in folder.glob("*.parquet"):
            table.unlink()
        found["disk"] = []
        for done, count in enumerate(workers, start=2):
            progress("measure", done, steps)
            job = {"graph": graph, "run": str(folder / "run"), "workers": count, "memory": memory, "chunk": chunk}
            found["disk"].append({"workers": count, "allowed": memory} | _measured(DISK_JOB, job))
        if in_memory:
            progress("measure", steps - 1, steps)
            found["memory"] = _measured(MEMORY_JOB, {"graph": graph})
        progress("measure", steps, steps)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(function: str, arguments: JsonObject) -> JsonObject:
    answer = run_order(Order(function, arguments))
    if answer.status != OK:
        raise KCESError(f"a measurement ended badly: {answer.message}")
    return answer.result
