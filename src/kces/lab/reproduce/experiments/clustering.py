"""How KCES depends on its pseudo labels: the number of clusters and the clustering algorithm."""

from __future__ import annotations

from kces.lab.reproduce.cells import Option
from kces.lab.reproduce.plan import CEILING, FLOOR, Experiment, Plan, Slot
from kces.lab.reproduce.published_numbers import CLUSTERING, K_SENSITIVITY, Reported

__all__ = ["TABLE_CLUSTERING", "TABLE_K"]

_K_OF_CLUSTERING_TABLE = 6
_SECTION = "Metattack 25 %, KCES paper before a GCN"


def _table_k(plan: Plan) -> list[Slot]:
    rows: dict[str, dict[str, Option]] = {
        f"K = {k}": {"clusters": k} for k in ((2, 10) if plan.quick else (2, 5, 10, 15, 20, 30))
    }
    return [
        slot
        for dataset in plan.datasets(K_SENSITIVITY, ("citeseer",))
        for slot in _slots(plan, dataset, rows, {f"K = {k}": value for k, value in K_SENSITIVITY[dataset].items()})
    ]


def _table_clustering(plan: Plan) -> list[Slot]:
    names = plan.choose(("spectral", "gmm", "kmeans"), ("gmm", "kmeans"))
    rows: dict[str, dict[str, Option]] = {name: {"labels": name, "clusters": _K_OF_CLUSTERING_TABLE} for name in names}
    return [
        slot
        for dataset in plan.datasets(CLUSTERING, ("citeseer",))
        for slot in _slots(plan, dataset, rows, CLUSTERING[dataset])
    ]


def _slots(plan: Plan, dataset: str, rows: dict[str, dict[str, Option]], paper: dict[str, Reported]) -> list[Slot]:
    graph = f"{dataset}@metattack-0.25"
    if not plan.wants_graph(graph):
        return []
    settings = [
        Slot(_SECTION, row, dataset, plan.runs(graph, "kces-paper", **options), paper=paper[row])
        for row, options in rows.items()
        if plan.wants_method("kces-paper")
    ]
    before, after = (
        [
            Slot(_SECTION, method, dataset, plan.runs(graph, method), paper=paper.get(method))
            for method in methods
            if plan.wants_method(method)
        ]
        for methods in ((FLOOR, "gcn"), (CEILING,))
    )
    return before + settings + after


TABLE_K = Experiment("table-k", "accuracy of KCES for K = 2 to 30 clusters", _table_k)
TABLE_CLUSTERING = Experiment(
    "table-clustering", "accuracy of KCES with spectral clustering, GMM and K-means, K = 6", _table_clustering
)
