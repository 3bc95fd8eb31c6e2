"""How well ``local`` ranks the edges of a large graph with each solve, against the true solution from all features.

The reference solves ``(H + λI) a = y`` by conjugate gradients on the whole kernel, kept where half of the free memory
holds it, and takes the far field from the stored kernel. Both see all features: what a graph loses where its sparse
features are reduced to fewer is part of what is measured. Where not even a stored kernel fits, the reference descends
on the streamed kernel until hardly anything is left, and looks at all pairs for the far field. Each row says how much
of the codes is left: ``|y − (H + λI) a| / |y|``.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

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
from kces.engines.regime import ITERATIVE_LIMIT, Regime
from kces.engines.solve import Solution, solve_codes
from kces.engines.streamed_kernel import KeptKernel, StreamedKernel
from kces.engines.triangle import KernelTriangle, triangle_memory
from kces.errors import GraphWarning, KCESError
from kces.memory import available_memory, peak_memory
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject
from kces.progress import Progress, silent
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer
from kces.types import Array

__all__ = ["FIDELITY_GRAPHS", "bench_fidelity", "run_fidelity"]

FIDELITY_GRAPHS = ("coauthor_physics", "arxiv-part:nodes=40000", "arxiv-part:nodes=60000")
_PRODUCTS = 0, 1, 2
_TOLERANCE = 1e-3
_STEPS = 200
_PRODUCTS_OF_REFERENCE = 8
"""Where it is streamed: each leaves a third to a fifth of the error."""

Solve: TypeAlias = Callable[[Problem], Solution]


def bench_fidelity(
    graphs: Sequence[str] = FIDELITY_GRAPHS, *, data_root: str | None = None, progress: Progress = silent
) -> list[JsonObject]:
    """A row for each graph and solve: agreement of the scores, seconds of the solve."""
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
    """The rows of one graph, in this process; the reference comes last, so that its memory is in no other row.

    >>> [row["solve"] for row in run_fidelity("synthetic:n=200,seed=0")["rows"]]
    ['0 products', '1 product', '2 products', 'stored kernel', 'reference']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        problem, _ = PaperScorer(ScoreOptions(preset=PaperScorer.name)).pose(open_graph(graph, data_root))
    taken = _taken(problem.regime)
    reduced = compact(problem)
    ours = {name: _scores(replace(reduced, forced=regime), solve_codes) for name, regime in _ways(problem.regime)}
    fits = triangle_memory(problem.graph.n_nodes) < available_memory() / 2
    whole = _with_all_features(problem)
    truth, last = _scores(whole, _true_solution if fits else _streamed_solution)
    rows = [
        {"graph": graph, "solve": name, "taken": name == taken} | row | agreement(truth, scores)
        for name, (scores, row) in ours.items()
    ]
    return {"rows": [*rows, {"graph": graph, "solve": "reference"} | last]}


def _ways(taken: Regime) -> list[tuple[str, Regime]]:
    """Few products with the streamed kernel; where ``auto`` would store it, also that."""
    regime = replace(taken, far_field="series")
    split = [replace(regime, solver="partition", products=products) for products in _PRODUCTS]
    stored = [] if regime.nodes > ITERATIVE_LIMIT else [replace(regime, solver="iterative")]
    return [(_name(each), each) for each in (*split, *stored)]


def _name(regime: Regime) -> str:
    if regime.solver != "partition":
        return "stored kernel"
    return "1 product" if regime.products == 1 else f"{regime.products} products"


def _taken(regime: Regime) -> str | None:
    """What ``auto`` takes; None for small graphs, which are factored."""
    return None if regime.solver == "direct" else _name(regime)


def _with_all_features(problem: Problem) -> Problem:
    regime = replace(problem.regime, solver="iterative", far_field="series", width=problem.regime.features)
    return replace(problem, forced=regime)


def _scores(problem: Problem, solve: Solve) -> tuple[Array, JsonObject]:
    began = time.perf_counter()
    solution = solve(problem)
    order = first_order(problem, curved=True, solution=solution)
    row = {"seconds": time.perf_counter() - began, "peak_mb": peak_memory() / 2**20}
    row["left"] = _left_of_codes(problem, solution.a)
    return LocalEngine().score_with(problem, order), row


def _left_of_codes(problem: Problem, a: Array) -> float:
    """``|y − (H + λI) a| / |y|``, by one more product with the true kernel."""
    left = problem.codes - StreamedKernel(problem.unit_singles) @ a - problem.ridge * a
    return float(np.linalg.norm(left) / np.linalg.norm(problem.codes))


def _true_solution(problem: Problem) -> Solution:
    unit, right = problem.unit_singles, _right_side(problem)
    triangle = KernelTriangle(unit)
    kernel = (KeptKernel if 2 * len(unit) ** 2 < available_memory() / 2 else StreamedKernel)(unit)
    a = conjugate_gradients(
        lambda vectors: kernel @ vectors + problem.ridge * vectors,
        right,
        tolerance=_TOLERANCE,
        steps=_STEPS,
        precondition=linear_preconditioner(unit, problem.ridge),
    )
    return Solution(_with_empty_rows(problem, a), triangle)


def _streamed_solution(problem: Problem) -> Solution:
    a = solve_partitioned(problem.unit_singles, _right_side(problem), problem.ridge, 0, _PRODUCTS_OF_REFERENCE)
    return Solution(_with_empty_rows(problem, a), sees_pairs=True)


def _right_side(problem: Problem) -> Array:
    """The codes, but for rows without features: those are coupled to no other."""
    return np.where((problem.lengths == 0)[:, None], 0.0, problem.codes)


def _with_empty_rows(problem: Problem, a: Array) -> Array:
    empty = problem.lengths == 0
    a[empty] = problem.codes[empty] / problem.ridge
    return a
