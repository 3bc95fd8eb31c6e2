"""The functions that people call first: rank, find, explain and remove suspicious edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from typing_extensions import Unpack

from kces.cut import Cut, checked_ratio
from kces.errors import InvalidGraphError
from kces.interop.adapters import Source
from kces.interop.coerce import as_graph, open_source
from kces.known_keywords import with_known_keywords
from kces.progress import Progress, silent
from kces.scorers import AUTO, Scored, ScoreOptions, make_scorer
from kces.scorers.score_options import EngineOptions, LabelSource, PaperKeywords
from kces.scorers.scored import table_without_edges
from kces.types import Array, Bools

if TYPE_CHECKING:
    import pandas as pd

    from kces.explanation import Explanation

__all__ = ["explain", "find_suspicious_edges", "gkc", "rank_edges", "sanitize", "score", "score_edges"]

Kind = TypeVar("Kind")


@with_known_keywords
def score(
    graph: object,
    *,
    preset: str = "robust",
    labels: LabelSource | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **paper: Unpack[PaperKeywords],
) -> Scored:
    """Score every edge and keep all that is known about the scores: the full form of :func:`score_edges`.

    Parameters
    ----------
    graph, preset, labels, seed, progress : as in :func:`score_edges`, whose other keywords ``paper`` takes too.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> scored.scorer, scored.cut(0.1).n_removed
    ('robust', 3)
    """
    options = ScoreOptions(preset=preset, labels=labels, seed=seed, **paper)
    return make_scorer(options).score(as_graph(graph), progress)


@with_known_keywords
def score_edges(
    graph: object,
    *,
    preset: str = "robust",
    engine: str = "auto",
    labels: LabelSource | None = None,
    encoding: str | None = None,
    clusters: int | None = None,
    ridge: float | None = None,
    signed: bool | None = None,
    seed: int = 0,
    engine_options: EngineOptions | None = None,
    progress: Progress = silent,
) -> Array:
    """Suspicion of every edge, in the order of the caller's own edges; higher is more suspicious.

    Both directions and all duplicates of an edge have its score; a self-loop has none (NaN).

    Parameters
    ----------
    graph : :class:`kces.Graph`, NetworkX or igraph graph, PyG ``Data``, table of edges (pandas, polars, Arrow), alone
        or as ``(edges, nodes)``, or a square matrix (scipy, NumPy).
    preset : ``robust`` (how complex it is to claim that the two ends agree) or ``paper`` (|ΔGKC|, to the letter).
    engine : of ``paper``: how it is computed, ``auto`` or a name of ``kces.engines.ENGINES``.
    labels : of ``paper``: ``kmeans``, ``gmm``, ``spectral``, ``given`` (the graph's own) or one class per node.
    encoding : of ``paper``: ``linear`` or ``onehot``.
    clusters : of ``paper``: number of clusters; default the number of classes, else chosen by silhouette.
    ridge : of ``paper``: λ > 0 added to the kernel's diagonal, default 1e-3.
    signed : of ``paper``: keep the sign; positive means that removing the edge lowers the complexity.
    seed : of everything random.
    engine_options : of ``paper``: extra arguments of the engine.
    progress : called with a description, the units done and the units in all.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[score_edges(graph).argmax()].tolist()
    [4, 5]
    """
    options = ScoreOptions(
        preset=preset,
        seed=seed,
        labels=labels,
        engine=engine,
        engine_options=engine_options,
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        signed=signed,
    )
    judged = _judge(graph, 0.0, options, progress)
    return judged.source.spread(judged.scored.scores if judged.scored else np.empty(0), np.nan)


@with_known_keywords
def find_suspicious_edges(
    graph: object,
    alpha: float | str = AUTO,
    *,
    preset: str = "robust",
    labels: LabelSource | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **paper: Unpack[PaperKeywords],
) -> Bools:
    """Mask over the caller's own edges: true for those that a cut at ``alpha`` removes.

    Parameters
    ----------
    graph, preset, labels, seed, progress : as in :func:`score_edges`, whose other keywords ``paper`` takes too.
    alpha : share of edges to mark, in [0, 1], ``auto``: as many as look like noise,
        or ``labels``: the same, corrected by the labels of train and validation nodes.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> int(find_suspicious_edges(barbell(), alpha=0.1).sum())
    3
    """
    judged = _judge(graph, alpha, ScoreOptions(preset=preset, labels=labels, seed=seed, **paper), progress)
    return judged.source.spread(~judged.kept, False)


@with_known_keywords
def sanitize(
    graph: Kind,
    alpha: float | str = AUTO,
    *,
    preset: str = "robust",
    labels: LabelSource | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **paper: Unpack[PaperKeywords],
) -> Kind:
    """The graph without its suspicious edges, of the kind that was handed in; the input is not changed.

    Parameters
    ----------
    graph, preset, labels, seed, progress : as in :func:`score_edges`, whose other keywords ``paper`` takes too.
    alpha : share of edges to remove, in [0, 1], ``auto``: as many as look like noise,
        or ``labels``: the same, corrected by the labels of train and validation nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from kces.interop import to_networkx
    >>> from kces.datasets.toys import barbell
    >>> clean = sanitize(to_networkx(barbell()), alpha=0.04)
    >>> type(clean).__name__, clean.has_edge(4, 5), clean.number_of_edges()
    ('Graph', False, 20)
    """
    judged = _judge(graph, alpha, ScoreOptions(preset=preset, labels=labels, seed=seed, **paper), progress)
    return judged.source.without(judged.kept)


@with_known_keywords
def rank_edges(
    graph: object,
    alpha: float | str = AUTO,
    *,
    preset: str = "robust",
    labels: LabelSource | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **paper: Unpack[PaperKeywords],
) -> pd.DataFrame:
    """All edges as a table, most suspicious first: ``source, target, score, rank, suspicious, why``.

    Parameters
    ----------
    graph, preset, labels, seed, progress : as in :func:`score_edges`, whose other keywords ``paper`` takes too.
    alpha : share of edges to mark as suspicious, in [0, 1], ``auto``: as many as look like noise,
        or ``labels``: the same, corrected by the labels of train and validation nodes.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> table = rank_edges(barbell(), alpha=0.1)
    >>> table.columns.tolist(), table[["source", "target"]].values[0].tolist()
    (['source', 'target', 'score', 'rank', 'suspicious', 'why'], [4, 5])
    """
    judged = _judge(graph, alpha, ScoreOptions(preset=preset, labels=labels, seed=seed, **paper), progress)
    if judged.scored is None or judged.cut is None:
        return table_without_edges()
    return judged.scored.table(judged.cut)


@with_known_keywords
def explain(
    graph: object,
    source: object,
    target: object,
    *,
    alpha: float | str = AUTO,
    preset: str = "robust",
    labels: LabelSource | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **paper: Unpack[PaperKeywords],
) -> Explanation:
    """Why the edge between two nodes is suspicious or not; ``print`` it, or take ``to_dict()``.

    Parameters
    ----------
    graph, preset, labels, seed, progress : as in :func:`score_edges`, whose other keywords ``paper`` takes too.
    source, target : the two ends, named as in the graph, in either order.
    alpha : the cut that decides about suspicious, as in :func:`rank_edges`.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> explain(barbell(), 4, 5).rank
    1
    """
    from kces.explanation import explain_edge

    judged = _judge(graph, alpha, ScoreOptions(preset=preset, labels=labels, seed=seed, **paper), progress)
    if judged.scored is None or judged.cut is None:
        raise InvalidGraphError("the graph has no edges, so there is nothing to explain")
    return explain_edge(judged.scored, judged.cut, source, target)


@with_known_keywords
def gkc(
    graph: object,
    *,
    labels: LabelSource | None = None,
    encoding: str | None = None,
    clusters: int | None = None,
    ridge: float | None = None,
    seed: int = 0,
) -> float:
    """Graph Kernel Complexity of a graph for its pseudo labels: ``2 yᵀ (H + λI)⁻¹ y / N``.

    Parameters
    ----------
    graph, labels, encoding, clusters, ridge, seed : as in :func:`score_edges` with ``preset="paper"``.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> gkc(graph, labels=graph.labels) < gkc(graph, labels=[0, 1] * 5)
    True
    """
    from kces.scorers.paper import PaperScorer

    options = ScoreOptions(
        preset=PaperScorer.name, labels=labels, encoding=encoding, clusters=clusters, ridge=ridge, seed=seed
    )
    return PaperScorer.checked(options).complexity(as_graph(graph))


@dataclass(frozen=True, eq=False)
class _Judged(Generic[Kind]):
    """A caller's graph, scored and cut; a graph without edges has neither scores nor cut."""

    source: Source[Kind]
    scored: Scored | None
    cut: Cut | None

    @property
    def kept(self) -> Bools:
        return np.ones(0, dtype=bool) if self.cut is None else self.cut.kept


def _judge(graph: Kind, alpha: float | str, options: ScoreOptions, progress: Progress) -> _Judged[Kind]:
    """Check what was asked for, then open, score and cut."""
    checked_ratio(alpha)
    scorer = make_scorer(options)
    source = open_source(graph)
    if not source.has_edges:
        return _Judged(source, None, None)
    scored = scorer.score(source.graph, progress)
    return _Judged(source, scored, scored.cut(alpha))
