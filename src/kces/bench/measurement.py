"""One measurement, to be made in a process of its own, so that its peak memory is its own.

Compiled code is warmed up before the clock starts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp

from kces.bench.cases import open_graph
from kces.bench.stages import StageClock
from kces.datasets.builtin import load_builtin
from kces.engines import ENGINES
from kces.engines.exact import SINGLE_FROM, ExactEngine
from kces.engines.problem import Problem
from kces.engines.regime import DIRECT_LIMIT, ITERATIVE_LIMIT, Regime
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.memory import peak_memory
from kces.processes.answers import JsonObject
from kces.progress import Progress, silent
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer
from kces.scorers.robust import RobustScorer

__all__ = ["RUN_JOB", "Job", "run", "run_job"]

RUN_JOB = f"{__name__}:run_job"
"""What an order for a measurement calls, with the fields of a :class:`Job`."""


@dataclass(frozen=True)
class Job:
    """What to measure: an engine on a graph, ``algorithm1`` on a sample of edges, the preset ``robust`` with its
    automatic cut, or 200 epochs of ``gcn``."""

    graph: str
    engine: str
    options: JsonObject = field(default_factory=dict)
    edges: list[int] | None = None
    scores: str | None = None
    data_root: str | None = None


def run_job(
    graph: str,
    engine: str,
    options: JsonObject,
    edges: list[int] | None,
    scores: str | None,
    data_root: str | None,
) -> JsonObject:
    """:func:`run` of the job with these fields."""
    return run(Job(graph, engine, options, edges, scores, data_root))


def run(job: Job) -> JsonObject:
    """Seconds, in all and by stage, peak memory and, where asked for, the scores in a file.

    ``processor_seconds`` are summed over all cores: on a busy machine they say more than the clock.

    >>> result = run(Job("synthetic:n=60,seed=0", "exact"))
    >>> sorted(result)
    ['edges', 'label_processor_seconds', 'label_seconds', 'peak_mb', 'processor_seconds', 'seconds', 'stages']
    """
    graph = open_graph(job.graph, job.data_root)
    if job.engine == "gcn":
        return _train_gcn(graph)
    if job.engine == "robust":
        return _robust(graph, job)
    score = _algorithm1 if job.engine == "algorithm1" else _engine
    score(_pose(_small_like(graph, job.engine)), job, None, silent)
    began, used = time.perf_counter(), time.process_time()
    problem = _pose(graph)
    label_seconds, label_used = time.perf_counter() - began, time.process_time() - used
    clock = StageClock()
    scores = score(problem, job, job.edges, clock)
    clock.stop()
    all_used = time.process_time() - used
    if job.scores is not None:
        np.save(job.scores, scores)
    return {
        "seconds": sum(clock.seconds.values()),
        "stages": clock.seconds,
        "label_seconds": label_seconds,
        "processor_seconds": all_used - label_used,
        "label_processor_seconds": label_used,
        "peak_mb": peak_memory() / 2**20,
        "edges": len(scores),
    }


def _pose(graph: Graph) -> Problem:
    problem, _ = PaperScorer(ScoreOptions(preset=PaperScorer.name)).pose(graph)
    return problem


def _small_like(graph: Graph, engine: str) -> Graph:
    """The smallest graph on which the engine takes the same compiled code as on this one."""
    needed = SINGLE_FROM if engine == ExactEngine.name and graph.n_nodes >= SINGLE_FROM else 40
    if engine not in ("exact", "algorithm1") and not Regime.of(graph).all_pairs:
        needed = ITERATIVE_LIMIT + 1 if graph.n_nodes > ITERATIVE_LIMIT else DIRECT_LIMIT + 1
    small = load_builtin(f"synthetic:n={needed},degree=3,features=8,seed=0")
    if not sp.issparse(graph.features):
        return small
    width = 128  # wide enough that the aggregated features are sparse too
    nodes = np.arange(needed + 1, dtype=np.int32)
    one_hot = (np.ones(needed), nodes[:-1] % width, nodes)
    return replace(small, features=sp.csr_array(one_hot, shape=(needed, width)))


def _engine(problem: Problem, job: Job, edges: list[int] | None, progress: Progress) -> np.ndarray:
    engine = ENGINES[job.engine](**job.options)
    if edges is None:
        return engine.score(problem, progress)
    if not isinstance(engine, ExactEngine):
        raise InvalidParameterError(f"engine {engine.name} scores all edges or none; give no edges")
    return engine.score_some(problem, np.asarray(edges), progress)


def _algorithm1(problem: Problem, job: Job, edges: list[int] | None, progress: Progress) -> np.ndarray:
    """Algorithm 1 as printed: remove the edge, rebuild the kernel, solve; for the given edges only."""
    from kces.kernel import aggregate, complexity, gram

    graph = problem.graph
    base = complexity(gram(problem.Z), problem.codes, problem.ridge)
    scores = []
    for edge in edges if edges is not None else range(min(2, graph.n_edges)):
        kept = np.ones(graph.n_edges, dtype=bool)
        kept[edge] = False  # line 5
        H = gram(aggregate(graph.keep_edges(kept)))  # line 6
        scores.append(base - complexity(H, problem.codes, problem.ridge))  # line 7, with its sign
    return np.array(scores)


def _robust(graph: Graph, job: Job) -> JsonObject:
    """The preset robust and its automatic cut: the quicker of two runs, the first of which may compile."""
    scorer = RobustScorer(ScoreOptions())
    runs = []
    for _ in range(2):
        began, used = time.perf_counter(), time.process_time()
        scored = scorer.score(graph)
        middle = time.perf_counter()
        scored.cut()
        ended = time.perf_counter()
        runs.append((middle - began, ended - middle, time.process_time() - used))
    seconds, cut, processor = min(runs)
    if job.scores is not None:
        np.save(job.scores, scored.scores)
    return {
        "seconds": seconds,
        "cut_seconds": cut,
        "processor_seconds": processor,
        "stages": {"score": seconds, "cut": cut},
        "peak_mb": peak_memory() / 2**20,
        "edges": graph.n_edges,
    }


def _train_gcn(graph: Graph) -> JsonObject:
    from kces.lab.defenses import make_defense

    make_defense("gcn").fit(load_builtin("synthetic:n=60,seed=0"), seed=0)
    began, used = time.perf_counter(), time.process_time()
    make_defense("gcn").fit(graph, seed=0)
    return {
        "seconds": time.perf_counter() - began,
        "processor_seconds": time.process_time() - used,
        "peak_mb": peak_memory() / 2**20,
        "edges": graph.n_edges,
    }
