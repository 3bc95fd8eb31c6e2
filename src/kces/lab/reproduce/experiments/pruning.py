"""Pruning by the score: what it does to the scores themselves, and accuracy against the pruning ratio."""

from __future__ import annotations

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.plan import CEILING, FLOOR, Experiment, Plan, Slot

__all__ = ["FIGURE_MECHANISM", "SUPPLEMENT_ALPHA", "SUPPLEMENT_CLEAN"]

_FINE = tuple(round(0.05 * step, 2) for step in range(20))
_COARSE = tuple(round(0.1 * step, 1) for step in range(10))
_QUICK = (0.0, 0.3, 0.6, 0.9)
_QUANTILES = ("q50", "q75", "q90", "q95", "q99", "mean")
_ORDERS = {"high-KC": "high", "random": "random", "low-KC": "low"}


def _curves(plan: Plan, graph: str, ratios: tuple[float, ...], columns: dict[str, tuple[str, str]]) -> list[Slot]:
    """A row per ratio, a column per (method, order), between the floor and the ceiling."""
    wanted = _QUICK if plan.quick else ratios
    slots: list[Slot] = []
    if not plan.wants_graph(graph):
        return slots
    for title, (method, order) in columns.items():
        if not plan.wants_method(method):
            continue
        cells = tuple(
            Cell.of("curve", graph, method, seed, order=order, ratios=wanted, training=plan.training)
            for seed in range(plan.seeds)
        )
        slots.append(Slot(graph, FLOOR, title, plan.runs(graph, FLOOR)))
        slots += [Slot(graph, f"{ratio:.2f}", title, cells, f"accuracy@{ratio:g}") for ratio in wanted]
        slots.append(Slot(graph, CEILING, title, plan.runs(graph, CEILING)))
    return slots


def _mechanism(plan: Plan) -> list[Slot]:
    slots = []
    orders = {title: ("kces-paper", order) for title, order in _ORDERS.items()}
    for dataset in plan.datasets(("cora", "pubmed"), ("cora",)):
        slots += _distributions(plan, dataset)
        slots += _curves(plan, f"{dataset}@metattack-0.25", _FINE, orders)
    return slots


def _distributions(plan: Plan, dataset: str) -> list[Slot]:
    attacked = f"{dataset}@metattack-0.25"
    rows = {
        "clean": Cell.of("score", dataset, "kces-paper"),
        "attacked": Cell.of("score", attacked, "kces-paper"),
        "pruned": Cell.of("pruned-score", attacked, "kces-paper", trials=plan.trials, training=plan.training),
    }
    section = f"{dataset}: KC scores"
    return [
        Slot(section, row, name, (cell,), name)
        for row, cell in rows.items()
        if plan.wants_graph(cell.graph) and plan.wants_method(cell.method)
        for name in _QUANTILES
    ]


def _alpha(plan: Plan) -> list[Slot]:
    columns = {"KCES paper": ("kces-paper", "high"), "KCES robust": ("kces", "high")}
    graphs = [f"{name}@metattack-0.25" for name in plan.datasets(("cora", "citeseer", "polblogs"), ("citeseer",))]
    return [slot for graph in graphs for slot in _curves(plan, graph, _COARSE, columns)]


def _clean(plan: Plan) -> list[Slot]:
    columns = {title: ("kces-paper", order) for title, order in _ORDERS.items()}
    columns["high robust score"] = ("kces", "high")
    names = plan.datasets(("cora", "citeseer", "pubmed"), ("citeseer",))
    return [slot for name in names for slot in _curves(plan, name, _FINE, columns)]


FIGURE_MECHANISM = Experiment(
    "figure-mechanism",
    "KC scores on clean, attacked and pruned graphs; accuracy against the share of edges pruned",
    _mechanism,
    notes=(
        "(a) The pruned graph is cut at the ratio chosen on validation, and scored again.",
        "(b) Rows are pruning ratios; a GCN is trained on what is left.",
        "The paper shows curves without numbers; it claims high-KC > random > low-KC.",
    ),
    drawing="lines",
    has_distributions=True,
)
SUPPLEMENT_ALPHA = Experiment(
    "supplement-alpha",
    "accuracy at every pruning ratio under Metattack 25 %, both presets",
    _alpha,
    notes=("Rows are pruning ratios.",),
    drawing="lines",
)
SUPPLEMENT_CLEAN = Experiment(
    "supplement-clean",
    "what pruning costs on clean graphs",
    _clean,
    notes=("Rows are pruning ratios.",),
    drawing="lines",
)
