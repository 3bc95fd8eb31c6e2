"""Measurements of graphs on disk, each to be made in a process of its own."""

from __future__ import annotations

import shutil
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from kces.memory import peak_memory
from kces.processes.answers import JsonObject

__all__ = ["CONVERT_JOB", "DISK_JOB", "MEMORY_JOB", "convert_job", "disk_job", "memory_job"]

CONVERT_JOB, DISK_JOB, MEMORY_JOB = (f"{__name__}:{name}" for name in ("convert_job", "disk_job", "memory_job"))


def convert_job(edges: str, nodes: str, output: str) -> JsonObject:
    """Convert tables to a folder: seconds, peak memory, sizes."""
    from kces.scale.convert_graph import convert

    began = time.perf_counter()
    folder = convert(edges, output, nodes=nodes, force=True)
    size = sum(stored.bytes for stored in folder.manifest.files.values())
    return {"seconds": time.perf_counter() - began, "edges": folder.n_edges, "bytes": size, **_memory()}


def disk_job(graph: str, run: str, workers: int, memory: float | None, chunk: int | None) -> JsonObject:
    """Score and cut a folder on disk: seconds in all and by stage, peak memory, bytes read and written."""
    from kces.scale.dask_cluster import dask_executor
    from kces.scale.executors import InThisProcess
    from kces.scale.graph_folder import GraphFolder
    from kces.scale.robust_on_disk import score_folder
    from kces.scale.streamed_cut import cut_folder

    limit = None if memory is None else int(memory * 2**30)
    folder = GraphFolder.open(graph)
    _warm_up(Path(run))
    place: Any = dask_executor(workers=workers, memory=limit) if workers else nullcontext(InThisProcess())
    with place as executor:
        if workers:
            list(executor.run(_warm_worker, [str(Path(run)) + f".warm{number}" for number in range(4 * workers)]))
        clock, before, began = _Stages(), _traffic(), time.perf_counter()
        scored = score_folder(folder, run, executor=executor, memory=limit, chunk=chunk, progress=clock)
        clock("cut", 0, 1)
        cut = cut_folder(scored)
        removed = cut.n_removed
        clock.stop()
        seconds = time.perf_counter() - began
    stored = sum(file.stat().st_size for file in Path(run).iterdir())
    shutil.rmtree(run)
    return {
        "seconds": seconds,
        "edges": folder.n_edges,
        "edges_per_second": folder.n_edges / seconds,
        "alpha": cut.choice.alpha,
        "removed": removed,
        "stages": clock.seconds,
        "layout": scored.state.layout.to_json(),
        "run_bytes": stored,
        **{name: value - before[name] for name, value in _traffic().items()},
        **_memory(),
    }


def memory_job(graph: str) -> JsonObject:
    """Score and cut the same folder in memory."""
    from kces.api import score
    from kces.scale.graph_folder import GraphFolder

    loaded = GraphFolder.open(graph).to_graph()
    _warm_in_memory()
    began = time.perf_counter()
    cut = score(loaded).cut()
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "edges": loaded.n_edges,
        "edges_per_second": loaded.n_edges / seconds,
        "alpha": cut.alpha,
        "removed": cut.n_removed,
        **_memory(),
    }


class _Stages:
    """Adds up the seconds from the first report of each stage to that of the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._current, self._since = "", time.perf_counter()

    def __call__(self, what: str, done: int, total: int) -> None:
        if what != self._current:
            self.stop()
            self._current = what

    def stop(self) -> None:
        now = time.perf_counter()
        if self._current:
            self.seconds[self._current] = self.seconds.get(self._current, 0.0) + now - self._since
        self._since = now


def _warm_up(place: Path) -> None:
    """Compile what will be used, on a small graph."""
    from kces.datasets.builtin import synthetic
    from kces.scale.from_graph import write_graph_folder
    from kces.scale.robust_on_disk import score_folder
    from kces.scale.streamed_cut import cut_folder

    small = place.with_name(place.name + ".small")
    small.mkdir()
    try:
        folder = write_graph_folder(synthetic(n=100, seed=0), small / "g.kces")
        cut_folder(score_folder(folder, small / "run"))
    finally:
        shutil.rmtree(small)


def _warm_worker(place: str) -> int:
    _warm_up(Path(place))
    return 0


def _warm_in_memory() -> None:
    from kces.api import score
    from kces.datasets.builtin import synthetic

    score(synthetic(n=5000, seed=0, features=64)).cut()


def _memory() -> dict[str, float]:
    return {"peak_mb": peak_memory() / 1e6}


def _traffic() -> dict[str, int]:
    """Bytes that this process has read and written so far, by calls; Linux only."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return {}
    said = dict(line.split(": ") for line in lines)
    return {"bytes_read": int(said["rchar"]), "bytes_written": int(said["wchar"])}
