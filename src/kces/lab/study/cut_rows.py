"""What the automatic cut says of graphs whose noise is known: the table of docs/robust.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.graph import Graph
from kces.lab.defenses import make_defense
from kces.lab.defenses.tuning import accuracy
from kces.lab.study.protocol import study_graph
from kces.scorers import ScoreOptions, make_scorer

__all__ = ["CHOSEN_ON", "LOOKED_AT", "CutRow", "cut_rows"]

CHOSEN_ON: tuple[str, ...] = (
    "cora_ml",
    *(f"cora_ml@metattack-{budget}" for budget in (0.05, 0.1, 0.15, 0.2, 0.25)),
    *(f"cora_ml@dice-{budget}" for budget in (0.1, 0.25)),
    "cora_ml with Gaussian features",
    "cora_ml with shuffled features",
    "citeseer",
    *(f"citeseer@metattack-{budget}" for budget in (0.05, 0.1, 0.15, 0.2, 0.25)),
    *(f"citeseer@nettack-{budget}" for budget in (1, 3, 5)),
    *(f"citeseer@dice-{budget}" for budget in (0.1, 0.25)),
)
"""The graphs on which the rule and its constants were chosen."""

LOOKED_AT: tuple[str, ...] = (
    "cora",
    "cora@metattack-0.1",
    "cora@metattack-0.25",
    "cora@nettack-5",
    "cora@dice-0.25",
    "pubmed",
    "pubmed@metattack-0.25",
    "pubmed@nettack-5",
    "polblogs",
    "digits",
    "synthetic:n=2000,seed=0",
    "synthetic:n=2000,seed=0,signal=0",
    "texas",
    "wisconsin",
    "cornell",
    "chameleon_filtered",
    "squirrel_filtered",
    "actor",
)
"""Graphs that played no part in it."""


@dataclass(frozen=True)
class CutRow:
    """One graph: the true share of noise, what the cut says, and a GCN without and behind it (percent, mean)."""

    graph: str
    true_share: float
    verdict: str
    noise: float | None
    lowest: float | None
    highest: float | None
    alpha: float
    undefended: float | None = None
    sanitized: float | None = None


def cut_rows(names: Iterable[str], *, seeds: int = 0, data_root: str | Path | None = None) -> Iterator[CutRow]:
    """A row per graph; with ``seeds`` above 0, GCNs are trained.

    Parameters
    ----------
    names : graphs of the study.
    seeds : trainings per accuracy.
    data_root : folder of the data sets.

    Examples
    --------
    >>> [row.verdict for row in cut_rows(["synthetic:n=300,signal=0"])]
    ['cannot judge']
    """
    for name in names:
        attacked = study_graph(name, data_root)
        scored = make_scorer(ScoreOptions()).score(attacked.graph)
        choice = scored.automatic
        low, high = choice.interval or (None, None)
        accuracies: tuple[float | None, float | None] = (None, None)
        if seeds:
            left = attacked.graph.keep_edges(scored.cut().kept)
            accuracies = _accuracy(attacked, attacked.graph, range(seeds)), _accuracy(attacked, left, range(seeds))
        share = float(attacked.is_added.mean())
        yield CutRow(name, share, choice.verdict or "", choice.noise, low, high, choice.alpha, *accuracies)


def _accuracy(attacked: AttackedGraph, graph: Graph, seeds: Sequence[int]) -> float:
    nodes = attacked.judged_nodes
    found = [accuracy(graph, make_defense("gcn").fit(graph, seed).predict(), nodes) for seed in seeds]
    return float(np.mean(found))
