"""How much of what preset paper prunes depends on the seed: the table of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from kces.datasets.attacked import AttackedGraph
from kces.graph import Graph
from kces.kernel import aggregate, normalize_rows
from kces.lab.defenses import make_defense
from kces.lab.defenses.tuning import accuracy
from kces.lab.study.protocol import ranking_auc, study_graph
from kces.scorers import Scored, ScoreOptions, make_scorer
from kces.types import Bools, Ints

__all__ = ["GRAPHS", "SeedRow", "seed_rows"]

GRAPHS = ("digits", "cora_ml@metattack-0.25", "citeseer@metattack-0.25", "cora@metattack-0.25")
_ALPHA = 0.3


@dataclass(frozen=True)
class SeedRow:
    """One graph with one rule of codes, over the seeds: shares of pruned edges that two seeds have in common."""

    graph: str
    codes: str
    mean_overlap: float
    lowest_overlap: float
    auc: float | None
    accuracy: float | None = None


def seed_rows(
    names: Iterable[str], *, seeds: int = 5, trainings: int = 0, data_root: str | Path | None = None
) -> Iterator[SeedRow]:
    """Two rows per graph: codes by the numbers that K-means hands out, and by the order of the centers.

    Parameters
    ----------
    names : graphs of the study, with labels.
    seeds : of the clustering; 30 % of the edges are pruned with each.
    trainings : GCNs for each seed, on the pruned graph; 0 trains none.
    data_root : folder of the data sets.

    Examples
    --------
    >>> by_number, by_centers = seed_rows(["synthetic:n=120,seed=0,classes=4"], seeds=3)
    >>> by_number.mean_overlap <= by_centers.mean_overlap
    True
    """
    for name in names:
        attacked = study_graph(name, data_root)
        graph = attacked.graph
        for codes, clusters in (("by number", _numbered_by_chance), ("by centers", None)):
            scored = [
                _scored(graph, seed, None if clusters is None else clusters(graph, seed)) for seed in range(seeds)
            ]
            pruned = [~each.cut(_ALPHA, ties="index").kept for each in scored]
            overlaps = [float((first & second).sum() / first.sum()) for first, second in combinations(pruned, 2)]
            found = [auc for each in scored if (auc := ranking_auc(attacked, each.scores)) is not None]
            yield SeedRow(
                name,
                codes,
                float(np.mean(overlaps)),
                min(overlaps),
                float(np.mean(found)) if found else None,
                _accuracy(attacked, pruned, trainings) if trainings else None,
            )


def _scored(graph: Graph, seed: int, clusters: Ints | None) -> Scored:
    return make_scorer(ScoreOptions(preset="paper", engine="local", seed=seed, labels=clusters)).score(graph)


def _numbered_by_chance(graph: Graph, seed: int) -> Ints:
    """(N,) clusters under the numbers that ten restarts of K-means end with."""
    unit, _ = normalize_rows(aggregate(graph))
    return KMeans(graph.n_classes, n_init=10, random_state=seed, algorithm="elkan").fit_predict(unit).astype(np.int64)


def _accuracy(attacked: AttackedGraph, pruned: list[Bools], trainings: int) -> float:
    """Percent right of GCNs behind each of the cuts, mean."""
    graph = attacked.graph
    found = [
        accuracy(graph, make_defense("gcn").fit(graph.keep_edges(~mask), seed).predict(), attacked.judged_nodes)
        for mask in pruned
        for seed in range(trainings)
    ]
    return float(np.mean(found))
