"""The method from graph to scores: aggregate, label, score (Algorithm 1, lines 1 to 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.automatic_cut import automatic_alpha
from kces.engines import choose_engine
from kces.engines.problem import Problem
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.interop.coerce import as_graph
from kces.kernel import aggregate, complexity, gram, normalize_rows
from kces.memory import require_memory
from kces.presets import Recipe, recipe_for
from kces.progress import Progress, silent
from kces.pseudo_labels import PseudoLabels, encode, pseudo_labels
from kces.ranking import check_alpha, edge_table, kept_edges
from kces.robust import RobustEvidence, robust_evidence

__all__ = ["PAIR_ENGINE", "Scored", "find_suspicious_edges", "gkc", "pose", "score", "score_edges"]

PAIR_ENGINE = "pair"


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of all edges (higher = more suspicious), with how they came about."""

    graph: Graph
    scores: npt.NDArray[np.float64]
    recipe: Recipe
    engine: str
    engine_reason: str
    pseudo: PseudoLabels | None = None
    evidence: RobustEvidence | None = None
    """What preset robust knows beyond the scores: the yardstick of an automatic cut."""

    def resolve_alpha(self, alpha: float | str) -> float:
        """The pruning ratio itself: ``auto`` becomes the share that looks like noise."""
        if alpha != "auto":
            return check_alpha(alpha)
        if self.evidence is None:
            raise InvalidParameterError("alpha auto needs preset robust; give a number in [0, 1] with preset paper")
        return automatic_alpha(self.evidence)


def pose(graph: Graph, recipe: Recipe, *, clusters: int | None = None, seed: int = 0) -> tuple[Problem, PseudoLabels]:
    """Aggregate and label: the problem that an engine solves."""
    Z = aggregate(graph)
    unit, _ = normalize_rows(Z)
    pseudo = pseudo_labels(graph, unit, recipe.labels, clusters=clusters, seed=seed)  # Algorithm 1, line 1
    return Problem(graph, encode(pseudo.clusters, pseudo.k, recipe.encoding), recipe.ridge), pseudo


def score(
    graph: Any,
    *,
    preset: str = "paper",
    engine: str = "auto",
    labels: str | npt.ArrayLike | None = None,
    encoding: str | None = None,
    clusters: int | None = None,
    ridge: float | None = None,
    signed: bool | None = None,
    seed: int = 0,
    engine_options: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Scored:
    """Score every edge and tell how: the full form of :func:`score_edges`."""
    graph = as_graph(graph)
    recipe = recipe_for(preset, labels=labels, encoding=encoding, ridge=ridge, signed=signed)
    if recipe.of_pairs:
        return _score_pairs(graph, recipe, engine, clusters, seed, progress)
    progress("pseudo labels", 0, 1)
    problem, pseudo = pose(graph, recipe, clusters=clusters, seed=seed)
    progress("pseudo labels", 1, 1)
    chosen, reason = choose_engine(engine, problem, dict(engine_options or {}), seed)
    change = chosen.score(problem, progress)  # Algorithm 1, lines 2 to 8
    scores = change if recipe.signed else np.abs(change)
    return Scored(graph, scores, recipe, chosen.name, reason, pseudo)


def _score_pairs(
    graph: Graph, recipe: Recipe, engine: str, clusters: int | None, seed: int, progress: Progress
) -> Scored:
    """Preset robust: one engine, linear in the edges; nothing is clustered."""
    if engine not in ("auto", PAIR_ENGINE):
        raise InvalidParameterError(
            f"preset robust has its own engine; leave out --engine {engine} or use --preset paper"
        )
    if clusters is not None:
        raise InvalidParameterError("preset robust has no clusters; use --preset paper for that")
    found = robust_evidence(graph, train_labels=recipe.labels == "train", seed=seed, progress=progress)
    return Scored(graph, found.scores, recipe, PAIR_ENGINE, "the robust preset's own", evidence=found)


def score_edges(graph: Any, **options: Any) -> npt.NDArray[np.float64]:
    """KC score of every edge, in the order of ``Graph.edges``; higher is more suspicious.

    Parameters
    ----------
    graph : :class:`kces.Graph`, scipy sparse adjacency, NetworkX graph or PyG ``Data``.
    preset : ``paper`` (|ΔGKC|, to the letter) or ``robust`` (complexity of the ends' agreement). The parameters
        below, but for the seed, belong to ``paper``; ``robust`` takes ``labels="train"`` to use the train labels.
    engine : ``exact``, ``auto`` or another name of ``kces.engines.ENGINES``.
    labels : ``kmeans``, ``gmm``, ``spectral``, ``given`` (the graph's own), or one class per node.
    encoding : ``linear`` or ``onehot``.
    clusters : number of clusters; default the number of classes, else chosen by silhouette.
    ridge : λ > 0 added to the kernel's diagonal, default 1e-3.
    signed : keep the sign: positive means that removing the edge lowers the complexity.
    seed : of the clustering (and of engines that sample).

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> scores = score_edges(graph)
    >>> graph.edges[scores.argmax()].tolist()
    [4, 5]
    """
    return score(graph, **options).scores


def find_suspicious_edges(graph: Any, alpha: float | str = 0.3, *, ranked: bool = False, **options: Any) -> Any:
    """Mask over ``Graph.edges`` of the ``ceil(αE)`` most suspicious edges, or with ``ranked`` a table of all.

    ``alpha="auto"`` (preset robust) takes the share of edges that look like noise; other options are those of
    :func:`score_edges`.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> int(find_suspicious_edges(barbell(), alpha=0.1).sum())
    3
    >>> table = find_suspicious_edges(barbell(), alpha=0.1, ranked=True)
    >>> table.columns.tolist()
    ['source', 'target', 'score', 'rank', 'suspicious']
    """
    scored = score(graph, **options)
    share = scored.resolve_alpha(alpha)
    if ranked:
        return edge_table(scored.graph, scored.scores, share)
    return ~kept_edges(scored.scores, share)


def gkc(
    graph: Any,
    *,
    preset: str = "paper",
    labels: str | npt.ArrayLike | None = None,
    encoding: str | None = None,
    clusters: int | None = None,
    ridge: float | None = None,
    seed: int = 0,
) -> float:
    """Graph Kernel Complexity of a graph for its pseudo labels: ``2 yᵀ (H + λI)⁻¹ y / N``.

    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> gkc(graph, labels=graph.labels) < gkc(graph, labels=[0, 1] * 5)
    True
    """
    graph = as_graph(graph)
    require_memory(
        3 * 8 * graph.n_nodes**2,
        "the Gram matrix",
        "score edges with --engine local, which keeps no N x N matrix",
    )
    recipe = recipe_for(preset, labels=labels, encoding=encoding, ridge=ridge)
    if recipe.of_pairs:
        raise InvalidParameterError("preset robust scores pairs and has no complexity of the whole graph; use paper")
    problem, _ = pose(graph, recipe, clusters=clusters, seed=seed)
    return complexity(gram(problem.Z), problem.codes, problem.ridge)
