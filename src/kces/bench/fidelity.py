"""How well the approximate solve of large graphs ranks: ``local`` with it, against ``local`` with the true solution.

The true solution of ``(H + λI) a = y`` comes from conjugate gradients on the whole kernel, in single precision as the
approximate one: its tiles are kept where half the free memory holds them, else made anew for every product.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from kces.bench.cases import open_graph
from kces.bench.compare import agreement
from kces.engines.compact import compact
from kces.engines.conjugate_gradients import conjugate_gradients
from kces.engines.first_order import first_order
from kces.engines.linear_preconditioner import linear_preconditioner
from kces.engines.local import LocalEngine
from kces.engines.partition import solve_partitioned
from kces.engines.problem import Problem
from kces.engines.solve import Solution
from kces.engines.streamed_kernel import KeptKernel, StreamedKernel
from kces.errors import GraphWarning, KCESError
from kces.memory import available_memory, peak_memory
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject
from kces.progress import Progress, silent
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer
from kces.types import Array

__all__ = ["FIDELITY_GRAPHS", "bench_fidelity", "run_fidelity"]

FIDELITY_GRAPHS = ("coauthor_physics", "arxiv-part:nodes=40000")
_TOLERANCE = 1e-3
_STEPS = 200


def bench_fidelity(
    graphs: Sequence[str] = FIDELITY_GRAPHS, *, data_root: str | None = None, progress: Progress = silent
) -> list[JsonObject]:
    """A row for each graph and number of corrections: agreement of the scores, seconds of the solve."""
    rows: list[JsonObject] = []
    for number, graph in enumerate(graphs):
        progress("bench fidelity", number, len(graphs))
        answer = run_order(Order(f"{__name__}:run_fidelity", {"graph": graph, "data_root": data_root}))
        if answer.status != OK:
            raise KCESError(f"fidelity on {graph} failed: {answer.message}")
        rows += answer.result["rows"]
    progress("bench fidelity", len(graphs), len(graphs))
    return rows


def run_fidelity(graph: str, data_root: str | None = None) -> JsonObject:
    """The rows of one graph, in this process.

    >>> [row["corrections"] for row in run_fidelity("synthetic:n=200,seed=0")["rows"]]
    ['reference', 0, 2, 3, 4]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        problem, _ = PaperScorer(ScoreOptions(preset=PaperScorer.name)).pose(open_graph(graph, data_root))
    problem = compact(replace(problem, forced=replace(problem.regime, solver="partition", far_field="series")))
    truth, row = _scores(problem, lambda: _true_solution(problem))
    rows: list[JsonObject] = [{"graph": graph, "corrections": "reference"} | row]
    for times in (0, 2, 3, 4):
        scores, row = _scores(problem, partial(_approximate_solution, problem, times))
        known: JsonObject = {"graph": graph, "corrections": times, "used": times == problem.regime.corrections}
        rows.append(known | row | agreement(truth, scores))
    return {"rows": rows}


def _scores(problem: Problem, solve: Callable[[], Array]) -> tuple[Array, JsonObject]:
    began = time.perf_counter()
    a = solve()
    seconds = time.perf_counter() - began
    empty = problem.lengths == 0
    a[empty] = problem.codes[empty] / problem.ridge
    order = first_order(problem, curved=True, solution=Solution(a))
    scores = LocalEngine().score_with(problem, order)
    return scores, {"solve_seconds": seconds, "peak_mb": peak_memory() / 2**20}


def _right(problem: Problem) -> Array:
    """The codes, but of rows without features, which are coupled to no other."""
    return np.where((problem.lengths == 0)[:, None], 0.0, problem.codes)


def _approximate_solution(problem: Problem, corrections: int) -> Array:
    return solve_partitioned(problem.unit_singles, _right(problem), problem.ridge, 0, corrections)


def _true_solution(problem: Problem) -> Array:
    unit = problem.unit_singles
    kernel = (KeptKernel if 2 * len(unit) ** 2 < available_memory() / 2 else StreamedKernel)(unit)
    return conjugate_gradients(
        lambda vectors: kernel @ vectors + problem.ridge * vectors,
        _right(problem),
        tolerance=_TOLERANCE,
        steps=_STEPS,
        precondition=linear_preconditioner(unit, problem.ridge),
    )
