"""The estimator: fit on a graph, look at scores and reasons, take the sanitized graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kces.api import score
from kces.cut import LABELS, Cut, checked_ratio
from kces.errors import InvalidParameterError
from kces.explanation import Explanation, explain_edge
from kces.graph import Graph
from kces.interop.adapters import Source
from kces.interop.coerce import open_source
from kces.known_keywords import with_known_keywords
from kces.progress import Progress, silent
from kces.ranking import check_alpha, check_ties
from kces.scorers import AUTO, Scored
from kces.scorers.score_options import EngineOptions, LabelSource
from kces.types import Array, Ints

__all__ = ["ALPHAS", "KCES"]

Kind = TypeVar("Kind")

ALPHAS: tuple[float, ...] = tuple(round(0.1 * step, 1) for step in range(10))
"""The paper's grid 0.1 … 0.9, and 0: a clean graph may be best left alone."""


class KCES(BaseEstimator):
    """Kernel-Complexity Edge Sanitization with scikit-learn's manners. The samples are the edges of a graph.

    Parameters
    ----------
    alpha : share of edges to prune, in [0, 1], ``"auto"``: as many as look like noise, or ``"labels"``: the same,
        corrected by the labels of train and validation nodes.
    preset, engine, labels, encoding, clusters, ridge, signed : as in :func:`kces.score_edges`; None takes the
        preset's value.
    random_state : seed of everything random, or a generator of numpy's to draw one from.
    engine_options : extra arguments of the engine.
    ties : ``whole``: a cut among equal scores takes none of them; ``index``: those of the lower numbers (Algorithm 1).

    Attributes
    ----------
    scores_ : (R,) score of each of the caller's own edges, higher = more suspicious; NaN for self-loops.
    edge_index_ : (2, R) endpoints of each, in the order of the scores: that of ``graph.edges`` for a
        :class:`kces.Graph`, of ``data.edge_index`` for PyG.
    kept_ : (R,) mask of the edges that stay.
    threshold_ : lowest score among the pruned edges (infinite when none is pruned).
    labels_ : pseudo label of each node (None with preset robust, which has none).
    alpha_ : the share pruned, a number also when ``alpha`` is a word.
    alpha_reason_ : why it is that share.
    verdict_ : ``clean``, ``noisy`` or ``cannot judge`` where the scores decided how many edges go; else None.
    noise_, noise_interval_ : the estimated share of noise among the edges, and its bounds; None without an estimate.
    engine_ : name of the engine used.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> model = KCES(alpha=0.04).fit(barbell())
    >>> model.edge_index_[:, ~model.kept_].tolist()
    [[4], [5]]
    >>> model.sanitize()
    Graph(barbell, nodes=10, edges=20, features=2)
    >>> model.explain(4, 5).rank
    1
    """

    @with_known_keywords
    def __init__(
        self,
        alpha: float | str = AUTO,
        *,
        preset: str = "robust",
        engine: str = "auto",
        labels: LabelSource | None = None,
        encoding: str | None = None,
        clusters: int | None = None,
        ridge: float | None = None,
        signed: bool | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        engine_options: EngineOptions | None = None,
        ties: str = "whole",
    ) -> None:
        self.alpha = alpha
        self.preset = preset
        self.engine = engine
        self.labels = labels
        self.encoding = encoding
        self.clusters = clusters
        self.ridge = ridge
        self.signed = signed
        self.random_state = random_state
        self.engine_options = engine_options
        self.ties = ties

    # -- fitting --------------------------------------------------------------------------------------

    @with_known_keywords
    def fit(self, graph: object, y: object = None, *, progress: Progress = silent) -> KCES:
        """Score the edges of ``graph`` and mark for pruning as many of the highest as ``alpha`` says."""
        checked_ratio(self.alpha)
        check_ties(self.ties)
        self.source_: Source[Any] = open_source(graph)
        self.scored_ = self._score(self.source_.graph, progress)
        self.scores_ = self.source_.spread(self.scored_.scores, np.nan)
        self.edge_index_: Ints = self.source_.pairs.T
        self.engine_ = self.scored_.engine
        pseudo = getattr(self.scored_.evidence, "pseudo", None)
        self.labels_ = None if pseudo is None else pseudo.clusters
        self._take(self.scored_.cut(self.alpha, ties=self.ties), self.alpha)
        return self

    def _score(self, graph: Graph, progress: Progress) -> Scored:
        return score(
            graph,
            preset=self.preset,
            engine=self.engine,
            labels=self.labels,
            encoding=self.encoding,
            clusters=self.clusters,
            ridge=self.ridge,
            signed=self.signed,
            seed=self._seed(),
            engine_options=self.engine_options,
            progress=progress,
        )

    def _seed(self) -> int:
        """A number stays itself, so that a seed means the same as in the functions; a generator gives one."""
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(2**31))
        return int(check_random_state(self.random_state).randint(2**31))

    def _take(self, cut: Cut, asked: float | str) -> None:
        self.cut_ = cut
        self._asked = asked
        self.alpha_ = cut.alpha
        self.alpha_reason_ = cut.choice.reason
        self.verdict_, self.noise_, self.noise_interval_ = cut.choice.verdict, cut.choice.noise, cut.choice.interval
        self.kept_ = self.source_.spread(cut.kept, True)
        self.threshold_ = cut.threshold

    # -- results --------------------------------------------------------------------------------------

    def sanitize(self, graph: object = None) -> Any:
        """The graph of :meth:`fit` without its pruned edges, of the kind it came in; an argument is fitted first."""
        if graph is not None:
            self.fit(graph)
        check_is_fitted(self, "kept_")
        return self.source_.without(self.cut_.kept)

    def transform(self, graph: Kind) -> Kind:
        """``graph`` without the edges that its own scores condemn: the graph of :meth:`fit` is not scored again.

        >>> from kces.datasets.toys import barbell
        >>> graph = barbell()
        >>> KCES(alpha=0.1).fit(graph).transform(graph).n_edges
        18
        """
        source, _, cut = self._judged(graph)
        return source.without(cut.kept)

    @with_known_keywords
    def fit_transform(self, graph: Kind, y: object = None) -> Kind:
        """Fit, and return the sanitized graph: what a ``Pipeline`` hands to its next step."""
        return self.fit(graph).transform(graph)

    @with_known_keywords
    def fit_predict(self, graph: object, y: object = None) -> Ints:
        """(R,) -1 for pruned edges and 1 for the others, as scikit-learn's outlier detectors say it.

        >>> from kces.datasets.toys import barbell
        >>> KCES(alpha=0.1).fit_predict(barbell()).tolist().count(-1)
        3
        """
        self.fit(graph)
        return np.where(self.kept_, 1, -1)

    def decision_function(self, graph: object) -> Array:
        """(R,) how far each edge is from being pruned: negative for pruned edges, as in scikit-learn."""
        source, _, cut = self._judged(graph)
        return source.spread(_border(cut) - cut.decisive, np.nan)

    def _judged(self, graph: Kind) -> tuple[Source[Kind], Scored, Cut]:
        check_is_fitted(self, "kept_")
        source = open_source(graph)
        if _is_same(graph, self.source_.original) and np.array_equal(source.pairs, self.source_.pairs):
            return source, self.scored_, self.cut_
        scored = self._score(source.graph, silent)
        return source, scored, scored.cut(self._asked, ties=self.ties)

    def table(self) -> pd.DataFrame:
        """Ranked edges: ``source, target, score, rank, suspicious, why``."""
        check_is_fitted(self, "kept_")
        return self.scored_.table(self.cut_)

    def explain(self, source: object, target: object) -> Explanation:
        """Why the edge between two nodes is suspicious or not."""
        check_is_fitted(self, "kept_")
        return explain_edge(self.scored_, self.cut_, source, target)

    def report(self, path: str | Path, *, force: bool = False) -> int:
        """Write a page about the fitted graph, to look at and to hand on; returns its size in bytes.

        Parameters
        ----------
        path : the HTML file.
        force : replace a file that exists.
        """
        check_is_fitted(self, "kept_")
        from kces.report import report_payload, write_report

        return write_report(path, report_payload(self.scored_, self.cut_, seed=self._seed()), force=force)

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        """What a notebook shows: scikit-learn's diagram, and once fitted what was found."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "cut_"):
            from kces.report.notebook import fitted_html

            bundle["text/html"] = fitted_html(self.scored_, self.cut_)
        return bundle

    # -- choosing alpha -------------------------------------------------------------------------------

    def select_alpha(
        self,
        graph: object,
        evaluate: Callable[[Graph], float] | None = None,
        *,
        alphas: Sequence[float] = ALPHAS,
        progress: Progress = silent,
    ) -> pd.DataFrame:
        """Choose one of ``alphas`` by ``evaluate(sanitized graph)``, higher is better, and cut there.

        Without ``evaluate`` the labels of train and validation nodes decide in closed form, as ``alpha="labels"`` does;
        the value is then minus the mean squared error of predicting a labeled node from the others, and the automatic
        ratio is among those tried. Scores are computed once. Returns the table of ``alpha, edges, value``; the
        estimator is left fitted at the ratio taken, ``alpha_``. With ``evaluate`` that is the best, and of equal values
        the smallest: no edge goes without a reason.

        >>> from kces.datasets.toys import barbell
        >>> model = KCES()
        >>> model.select_alpha(barbell(), alphas=[0.0, 0.1])["alpha"].tolist(), model.alpha_, model.alpha
        ([0.0, 0.1], 0.0, 'auto')
        """
        if len(alphas) == 0:
            raise InvalidParameterError("alphas is empty; give at least one pruning ratio")
        grid = sorted({check_alpha(alpha) for alpha in alphas})
        self.fit(graph, progress=progress)
        if evaluate is None:
            return self._select_by_labels(grid)
        rows = []
        for position, alpha in enumerate(grid):
            candidate = self.scored_.graph.keep_edges(self.scored_.cut(alpha, ties=self.ties).kept)
            rows.append((alpha, candidate.n_edges, float(evaluate(candidate))))
            progress("choose alpha", position + 1, len(grid))
        table = pd.DataFrame(rows, columns=["alpha", "edges", "value"])
        if table["value"].isna().any():
            raise InvalidParameterError("evaluate returned NaN; it must return a number for every graph")
        best = grid[int(table["value"].to_numpy().argmax())]
        self._take(self.scored_.cut(best, ties=self.ties), best)
        self.alpha_reason_ = "best of the ratios tried"
        return table

    def _select_by_labels(self, grid: Sequence[float]) -> pd.DataFrame:
        found = self.scored_.asked_of_labels(grid)
        self._take(self.scored_.cut_by(found.choice), LABELS)
        edges = [int(self.scored_.cut_by(replace(found.choice, alpha=alpha)).kept.sum()) for alpha in found.alphas]
        return pd.DataFrame({"alpha": found.alphas, "edges": edges, "value": -found.errors})


def _is_same(graph: object, other: object) -> bool:
    """The very same object, or a tuple of the very same: ``(edges, nodes)`` is made anew with every call."""
    if isinstance(graph, tuple) and isinstance(other, tuple) and len(graph) == len(other):
        return all(one is two for one, two in zip(graph, other, strict=True))
    return graph is other


def _border(cut: Cut) -> float:
    """A score between the last edge that stays and the first that goes."""
    highest_kept = float(cut.decisive[cut.kept].max(initial=-np.inf))
    lowest_removed = float(cut.decisive[~cut.kept].min(initial=np.inf))
    if np.isinf(lowest_removed):
        return highest_kept
    return lowest_removed if np.isinf(highest_kept) else (lowest_removed + highest_kept) / 2.0
