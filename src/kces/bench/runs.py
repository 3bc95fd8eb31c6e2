"""The benchmarks: each returns plain rows for a table or JSON."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kces.bench.cases import ROBUST_CASES, open_graph
from kces.bench.ceilings import RUN_CEILINGS, Ceilings
from kces.bench.compare import agreement, growth_exponent
from kces.bench.measurement import RUN_JOB, Job
from kces.bench.work_counts import engine_work, robust_work, shares
from kces.errors import KCESError
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject
from kces.progress import Progress, silent

__all__ = [
    "CONTENDERS",
    "DEFAULT_GRAPHS",
    "Contenders",
    "bench_engines",
    "bench_exact",
    "bench_growth",
    "bench_limits",
    "bench_robust",
    "measure",
]

DEFAULT_GRAPHS = ("cora@metattack-0.25", "citeseer@metattack-0.25")
Contenders: TypeAlias = tuple[tuple[str, JsonObject], ...]
"""Engines with their options, in the order in which they are measured."""

CONTENDERS: Contenders = (
    ("local", {}),
    ("local", {"hops": 2}),
    ("gradient", {}),
    ("subgraph", {}),
    ("subgraph", {"hops": 2, "cap": 32}),
    ("montecarlo", {}),
)
_EXACT_AFFORDABLE = 5_000
"""Nodes up to which every edge is scored exactly; above, a sample is."""
GROWTH_SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
ROBUST_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)


def measure(job: Job) -> JsonObject:
    """Run one job in a fresh process."""
    answer = run_order(Order(RUN_JOB, asdict(job)))
    if answer.status != OK:
        raise KCESError(f"benchmark of {job.engine} on {job.graph} failed: {answer.message}")
    return answer.result


def bench_limits() -> Ceilings:
    """What this machine can do at best, measured in a fresh process."""
    answer = run_order(Order(RUN_CEILINGS))
    if answer.status != OK:
        raise KCESError(f"measuring the machine failed: {answer.message}")
    return Ceilings(**answer.result)


def bench_robust(
    graphs: Sequence[str] = ROBUST_CASES,
    *,
    ceilings: Ceilings | None = None,
    data_root: str | None = None,
    progress: Progress = silent,
) -> list[JsonObject]:
    """Preset robust: seconds of scoring and of the automatic cut, memory, and shares of the machine's ceilings."""
    rows = []
    for number, name in enumerate(graphs):
        progress("bench robust", number, len(graphs))
        found = measure(Job(name, "robust", data_root=data_root))
        row = {"graph": name, "cut_share": found["cut_seconds"] / found["seconds"], "cores": _cores(found)} | found
        if ceilings is not None:
            row |= shares(robust_work(open_graph(name, data_root)), found["seconds"], ceilings)
        rows.append(row)
    progress("bench robust", len(graphs), len(graphs))
    return rows


def _cores(found: JsonObject) -> float:
    """Cores that were busy on average."""
    return float(found["processor_seconds"]) / float(found["seconds"] + found["cut_seconds"])


def bench_exact(
    graph: str, *, sample: int = 12, data_root: str | None = None, progress: Progress = silent
) -> JsonObject:
    """The exact engine against Algorithm 1 as printed, timed on a sample of edges in the same run."""
    n_edges = open_graph(graph, data_root).n_edges
    edges = np.linspace(0, n_edges - 1, min(sample, n_edges)).astype(int).tolist()
    with tempfile.TemporaryDirectory() as folder:
        printed_file, exact_file = str(Path(folder) / "printed.npy"), str(Path(folder) / "exact.npy")
        progress("bench exact", 0, 2)
        printed = measure(Job(graph, "algorithm1", edges=edges, scores=printed_file, data_root=data_root))
        progress("bench exact", 1, 2)
        exact = measure(Job(graph, "exact", scores=exact_file, data_root=data_root))
        progress("bench exact", 2, 2)
        scores, truth = np.load(exact_file), np.load(printed_file)
    whole = printed["seconds"] / len(edges) * n_edges
    return {
        "graph": graph,
        "edges": n_edges,
        "sampled_edges": len(edges),
        "algorithm1_seconds_per_edge": printed["seconds"] / len(edges),
        "algorithm1_seconds_all_edges": whole,
        "exact_seconds": exact["seconds"],
        "speedup": whole / exact["seconds"],
        "processor_speedup": printed["processor_seconds"] / len(edges) * n_edges / exact["processor_seconds"],
        "largest_difference": float(np.abs(scores[edges] - truth).max() / np.abs(scores).max()),
        "peak_mb": exact["peak_mb"],
    }


def bench_engines(
    graph: str,
    *,
    contenders: Contenders = CONTENDERS,
    exact_sample: int = 1_000,
    with_gcn: bool = True,
    ceilings: Ceilings | None = None,
    data_root: str | None = None,
    progress: Progress = silent,
) -> list[JsonObject]:
    """Every engine on one graph: time, memory, agreement with exact, and 200 epochs of GCN beside them.

    ``label_seconds`` is for aggregation and pseudo labels, ``seconds`` for the engine that follows. ``ratio_to_gcn``
    counts both, as a user waits for both; ``engine_ratio_to_gcn`` the engine alone; ``processor_ratio_to_gcn`` both, in
    seconds of the processor.
    """
    loaded = open_graph(graph, data_root)
    affordable = loaded.n_nodes <= _EXACT_AFFORDABLE
    sample = None
    if not affordable and exact_sample:
        sample = np.sort(np.random.default_rng(0).permutation(loaded.n_edges)[:exact_sample]).tolist()
    total, done = len(contenders) + 2, 0
    rows: list[JsonObject] = []
    with tempfile.TemporaryDirectory() as folder:
        truth = None
        if affordable or sample:
            file = str(Path(folder) / "exact.npy")
            exact = measure(Job(graph, "exact", edges=sample, scores=file, data_root=data_root))
            truth = np.load(file)
            rows.append(_row(graph, "exact" if affordable else f"exact ({len(truth)} edges)", exact))
        done += 1
        progress(f"bench {graph}", done, total)
        gcn = measure(Job(graph, "gcn", data_root=data_root)) if with_gcn and loaded.train is not None else None
        done += 1
        progress(f"bench {graph}", done, total)
        for engine, options in contenders:
            file = str(Path(folder) / "scores.npy")
            result = measure(Job(graph, engine, options=options, scores=file, data_root=data_root))
            row = _row(graph, _label(engine, options), result)
            if truth is not None:
                scores = np.load(file)
                row |= agreement(truth, scores if sample is None else scores[sample])
            if affordable:
                row["speedup_over_exact"] = rows[0]["seconds"] / result["seconds"]
            work = None if ceilings is None or options else engine_work(loaded, engine)
            if ceilings is not None and work is not None:
                row |= shares(work, result["seconds"], ceilings)
            if gcn is not None:
                row["engine_ratio_to_gcn"] = result["seconds"] / gcn["seconds"]
                row["ratio_to_gcn"] = (result["label_seconds"] + result["seconds"]) / gcn["seconds"]
                used = result["label_processor_seconds"] + result["processor_seconds"]
                row["processor_ratio_to_gcn"] = used / gcn["processor_seconds"]
            rows.append(row)
            done += 1
            progress(f"bench {graph}", done, total)
    if gcn is not None:
        kept = {name: gcn[name] for name in ("seconds", "processor_seconds", "peak_mb")}
        rows.append({"graph": graph, "engine": "gcn, 200 epochs"} | kept)
    return rows


def bench_growth(
    engines: tuple[str, ...] = ("local", "gradient"),
    *,
    sizes: tuple[int, ...] = GROWTH_SIZES,
    progress: Progress = silent,
) -> list[JsonObject]:
    """Seconds and memory over synthetic graphs of growing size, and the exponent of the growth.

    ``peak_bytes_per_edge`` is the memory of the largest graph over its edges, the graph itself included.
    """
    rows = []
    for position, engine in enumerate(engines):
        results = []
        for step, n_edges in enumerate(sizes):
            graph = f"synthetic:n={n_edges // 4},degree=8,features=64,seed=0"
            results.append(measure(Job(graph, engine)))
            progress("bench growth", position * len(sizes) + step + 1, len(engines) * len(sizes))
        edges, seconds = [each["edges"] for each in results], [each["seconds"] for each in results]
        rows.append(
            {
                "engine": engine,
                "edges": edges,
                "seconds": seconds,
                "peak_mb": [each["peak_mb"] for each in results],
                "exponent": growth_exponent(edges, seconds),
                "peak_bytes_per_edge": results[-1]["peak_mb"] * 2**20 / edges[-1],
            }
        )
    return rows


def _label(engine: str, options: JsonObject) -> str:
    return engine + "".join(f" {key}={value}" for key, value in options.items())


def _row(graph: str, label: str, result: JsonObject) -> JsonObject:
    return {
        "graph": graph,
        "engine": label,
        "seconds": result["seconds"],
        "label_seconds": result["label_seconds"],
        "processor_seconds": result["processor_seconds"],
        "edges_per_second": result["edges"] / result["seconds"],
        "peak_mb": result["peak_mb"],
        "stages": result["stages"],
    }
