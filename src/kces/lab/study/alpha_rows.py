"""How α is chosen with and without labels, and what each choice is worth: the table behind ``alpha="labels"``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kces.cut import AlphaChoice
from kces.datasets.attacked import AttackedGraph
from kces.estimator import ALPHAS
from kces.lab.defenses import make_defense
from kces.lab.study.protocol import study_graph
from kces.scorers import Scored, ScoreOptions, make_scorer

__all__ = ["CHOSEN_ON", "LOOKED_AT", "AlphaRow", "alpha_rows"]

CHOSEN_ON: tuple[str, ...] = (
    "cora_ml",
    *(f"cora_ml@metattack-{budget}" for budget in (0.05, 0.1, 0.15, 0.2, 0.25)),
    *(f"cora_ml@dice-{budget}" for budget in (0.1, 0.25)),
    *(f"cora_ml@nettack-{budget}#0" for budget in (1, 3, 5)),
    "citeseer",
    *(f"citeseer@metattack-{budget}" for budget in (0.05, 0.1, 0.15, 0.2, 0.25)),
    *(f"citeseer@nettack-{budget}" for budget in (1, 3, 4, 5)),
    *(f"citeseer@dice-{budget}" for budget in (0.1, 0.25)),
    *(f"{name}@metattack-0.25 without features" for name in ("cora_ml", "citeseer")),
    *(f"{name} without features" for name in ("cora_ml", "citeseer")),
)
"""The graphs on which the rule and its constants were chosen."""

LOOKED_AT: tuple[str, ...] = (
    "cora",
    *(f"cora@metattack-{budget}" for budget in (0.1, 0.25)),
    "cora@nettack-5",
    "cora@dice-0.25",
    "polblogs",
    "polblogs@metattack-0.25",
    "polblogs@nettack-5",
    "pubmed",
    "pubmed@metattack-0.25",
    "pubmed@nettack-5",
)
"""Graphs that played no part in it."""

TRAININGS = len(ALPHAS)
"""How many trainings a search on validation takes."""


@dataclass(frozen=True)
class AlphaRow:
    """One graph. α without labels, with labels and by validation of trained GCNs; GCN accuracies there (percent).

    ``best`` is the highest accuracy on the grid, which nobody knows in advance. ``seconds`` is the time to choose by
    labels once edges are scored, ``trainings`` that of the ten trainings a search on validation needs.
    """

    graph: str
    true_share: float
    automatic: float
    labels: float
    validation: float | None = None
    undefended: float | None = None
    at_automatic: float | None = None
    at_labels: float | None = None
    at_validation: float | None = None
    best: float | None = None
    seconds: float | None = None
    trainings: float | None = None


def alpha_rows(names: Iterable[str], *, seeds: int = 0, data_root: str | Path | None = None) -> Iterator[AlphaRow]:
    """A row per graph; with ``seeds`` above 0, GCNs are trained at every ratio.

    Parameters
    ----------
    names : graphs of the study.
    seeds : trainings per ratio; the choice on validation is made with the first.
    data_root : folder of the data sets.

    Examples
    --------
    >>> row, = alpha_rows(["synthetic:n=300,seed=0"])
    >>> 0 <= row.labels <= 1
    True
    """
    for name in names:
        attacked = study_graph(name, data_root)
        scored = make_scorer(ScoreOptions()).score(attacked.graph)
        automatic, share = scored.automatic.alpha, float(attacked.is_added.mean())
        start = time.perf_counter()
        found = scored.labeled
        seconds = time.perf_counter() - start
        if not seeds:
            yield AlphaRow(name, share, automatic, found.choice.alpha, seconds=seconds)
            continue
        alphas = tuple(sorted({*found.alphas, found.choice.alpha}))
        validation, judged, training = _trained(attacked, scored, alphas, seeds)
        best_known = int(validation.argmax())
        yield AlphaRow(
            name,
            share,
            automatic,
            found.choice.alpha,
            alphas[best_known],
            judged[0],
            judged[alphas.index(automatic)],
            judged[alphas.index(found.choice.alpha)],
            judged[best_known],
            float(judged.max()),
            seconds,
            TRAININGS * training,
        )


def _trained(
    attacked: AttackedGraph, scored: Scored, alphas: tuple[float, ...], seeds: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """At each ratio, percent right on validation (first seed) and on the judged nodes (mean); seconds of a training."""
    graph = attacked.graph
    start = time.perf_counter()
    right = []
    for alpha in alphas:
        left = graph.keep_edges(scored.cut_by(AlphaChoice(alpha, "tried", "tried")).kept)
        right.append([make_defense("gcn").fit(left, seed).predict() == graph.labels for seed in range(seeds)])
    seconds = (time.perf_counter() - start) / (len(alphas) * seeds)
    found = 100.0 * np.array(right)
    return found[:, 0, graph.val].mean(axis=1), found[:, :, attacked.judged_nodes].mean(axis=(1, 2)), seconds
