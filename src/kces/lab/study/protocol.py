"""What a variant is judged by, and on which graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from kces.datasets import load, load_attacked, parse_name, published_attacks
from kces.datasets.attacked import AttackedGraph
from kces.estimator import ALPHAS
from kces.lab.attacks.dice import dice
from kces.lab.defenses import make_defense
from kces.scorers import Scored
from kces.types import Array, Features
from kces.validated_choice import informed_choice

__all__ = [
    "HELD_OUT",
    "TUNING",
    "Curve",
    "accuracy_curve",
    "held_out_graphs",
    "precision",
    "ranking_auc",
    "study_graph",
]


TUNING: tuple[str, ...] = (
    *(f"cora_ml@metattack-{budget}" for budget in (0.05, 0.15, 0.25)),
    *(f"citeseer@metattack-{budget}" for budget in (0.05, 0.15, 0.25)),
    "citeseer@nettack-1",
    "citeseer@nettack-5",
    "cora_ml@dice-0.25",
    "citeseer@dice-0.25",
    "cora_ml",
    "citeseer",
    "cora_ml@metattack-0.25 without features",
    "citeseer@metattack-0.25 without features",
)
"""The only graphs on which choices were made. "Without features" stands for graphs such as Polblogs."""

HELD_OUT: tuple[str, ...] = ("cora", "polblogs", "pubmed")


def held_out_graphs() -> list[str]:
    """Every graph of the one look: clean, and all published attacks."""
    return [name for dataset in HELD_OUT for name in (dataset, *published_attacks(dataset))]


def study_graph(name: str, data_root: str | Path | None = None) -> AttackedGraph:
    """A graph by its name; DICE is made here (seed 1), and "… without features" and its like change the features."""
    for ending, change in _CHANGED.items():
        if name.endswith(ending):
            return change(study_graph(name.removesuffix(ending), data_root), name)
    parsed = parse_name(name)
    if parsed.method == "dice" and parsed.budget is not None:
        return dice(load(parsed.dataset, data_root), parsed.budget, seed=1)
    return load_attacked(name, data_root)


def _with_features(attacked: AttackedGraph, name: str, features: Features) -> AttackedGraph:
    graph = replace(attacked.graph, features=features, name=name)
    return replace(attacked, graph=graph, clean=replace(attacked.clean, features=features))


def _without_features(attacked: AttackedGraph, name: str) -> AttackedGraph:
    return _with_features(attacked, name, sp.csr_array(sp.eye_array(attacked.graph.n_nodes)))


def _gaussian_features(attacked: AttackedGraph, name: str) -> AttackedGraph:
    drawn = np.random.default_rng(0).standard_normal((attacked.graph.n_nodes, 64))
    return _with_features(attacked, name, drawn)


def _shuffled_features(attacked: AttackedGraph, name: str) -> AttackedGraph:
    order = np.random.default_rng(0).permutation(attacked.graph.n_nodes)
    return _with_features(attacked, name, attacked.graph.features[order])


_CHANGED = {
    " without features": _without_features,
    " with Gaussian features": _gaussian_features,
    " with shuffled features": _shuffled_features,
}
"""Endings of names, and what they do to the features."""


def ranking_auc(attacked: AttackedGraph, scores: Array) -> float | None:
    """Chance that an adversarial edge is ranked above another; None on a clean graph."""
    truth = attacked.is_added
    return float(roc_auc_score(truth, scores)) if truth.any() else None


def precision(attacked: AttackedGraph, scores: Array) -> float | None:
    """Share of adversarial edges among as many top-ranked edges as there are adversarial ones."""
    truth = attacked.is_added
    if not truth.any():
        return None
    return float(truth[np.argsort(-scores, kind="stable")[: truth.sum()]].mean())


@dataclass(frozen=True)
class Curve:
    """GCN accuracy, mean over seeds, on the validation and on the judged nodes at each α.

    ``right`` tells which validation nodes the GCN of the first seed gets right, a row per α.
    """

    alphas: tuple[float, ...]
    validation: tuple[float, ...]
    judged: tuple[float, ...]
    right: npt.NDArray[np.bool_]

    def best_alpha(self) -> float:
        """The α with the best validation accuracy; of equals the smallest."""
        return self.alphas[int(np.argmax(self.validation))]

    def informed_alpha(self, automatic: float) -> float:
        """The choice of validation and of the automatic cut together; both 0 and ``automatic`` must be on the curve."""
        return self.alphas[informed_choice(self.right, self.alphas.index(0.0), self.alphas.index(automatic))]

    def at(self, alpha: float) -> float:
        """Accuracy on the judged nodes."""
        return self.judged[self.alphas.index(alpha)]


def accuracy_curve(
    attacked: AttackedGraph, scores: Array, *, seeds: Sequence[int] = (0,), alphas: Sequence[float] = ALPHAS
) -> Curve:
    """Prune at each α, in increasing order, and train a GCN per seed."""
    grid = sorted(set(alphas))
    scored = Scored(attacked.graph, scores)
    graphs = [attacked.graph.keep_edges(scored.cut(alpha).kept) for alpha in grid]
    right = np.array([[make_defense("gcn").fit(graph, seed).predict() for seed in seeds] for graph in graphs])
    right = right == attacked.graph.labels
    validation, judged = right[:, :, attacked.graph.val], right[:, :, attacked.judged_nodes]
    means = [tuple(float(mean) for mean in nodes.mean(axis=(1, 2))) for nodes in (validation, judged)]
    return Curve(tuple(grid), means[0], means[1], validation[:, 0])
