"""Time and memory: of every defense on Pubmed, and of the score alone across scales."""

from __future__ import annotations

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.plan import FLOOR, Experiment, Plan, Slot
from kces.lab.reproduce.published_numbers import COST, METHODS, method_reported

__all__ = ["SUPPLEMENT_RUNTIME", "TABLE_COST"]

_MOST_REPETITIONS = 3
_SCALES = (
    "citeseer",
    "cora",
    "polblogs",
    "pubmed",
    "synthetic:n=25000,degree=8,features=64,seed=0",
    "flickr",
    "ogbn-arxiv",
)
_QUICK_SCALES = ("citeseer", "cora", "synthetic:n=2500,degree=8,features=64,seed=0")
_COST_COLUMNS = {"time, s": "seconds", "CPU time, s": "cpu_seconds", "memory, MB": "peak_mb"}


def _repetitions(plan: Plan, method: str) -> range:
    """A measurement repeats well; more of them than this cost time and teach nothing."""
    return range(min(plan.slow_seeds if plan.is_slow(method) else plan.seeds, _MOST_REPETITIONS))


def _cost(plan: Plan) -> list[Slot]:
    graph = "cora@metattack-0.1" if plan.quick else "pubmed@metattack-0.1"
    methods = plan.choose((FLOOR, *METHODS[:-1], "kces-paper", "kces"), (FLOOR, "gcn", "jaccard", "kces-paper", "kces"))
    return [
        Slot(
            graph,
            method,
            title,
            tuple(Cell.of("cost", graph, method, repetition) for repetition in _repetitions(plan, method)),
            quantity,
            # The paper measured Pubmed; a quick run on another graph has nothing to stand beside.
            None if plan.quick else method_reported(COST.get(quantity, {}), method),
        )
        for method in methods
        if plan.wants_method(method) and plan.wants_graph(graph)
        for title, quantity in _COST_COLUMNS.items()
    ]


def _runtime(plan: Plan) -> list[Slot]:
    columns = {"edges": "edges", **_COST_COLUMNS}
    return [
        Slot(
            method,
            graph,
            title,
            tuple(Cell.of("score-cost", graph, method, repetition) for repetition in _repetitions(plan, method)),
            quantity,
        )
        for method in ("kces-paper", "kces")
        if plan.wants_method(method)
        for graph in plan.choose(_SCALES, _QUICK_SCALES)
        if plan.wants_graph(graph)
        for title, quantity in columns.items()
    ]


TABLE_COST = Experiment(
    "table-cost",
    "time and memory of every defense on Pubmed under Metattack 10 %",
    _cost,
    notes=(
        "One training of 200 epochs with default hyper-parameters in a fresh process, with what a purifier takes "
        "before it; memory is the process's peak, with Python and torch. The paper measured on a GPU: ratios compare, "
        "seconds do not.",
    ),
    drawing="none",
    unit="seconds and megabytes",
)
SUPPLEMENT_RUNTIME = Experiment(
    "supplement-runtime",
    "time and memory of the score alone, from thousands to a million edges",
    _runtime,
    notes=("Engine auto, after a small run that compiles. One process has the machine to itself.",),
    drawing="scale",
    unit="seconds and megabytes",
)
