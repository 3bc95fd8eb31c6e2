"""The estimator: fit on a graph, look at the scores, take the sanitized graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kces.classifier import sgc_accuracy
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.progress import Progress, silent
from kces.ranking import check_alpha, edge_table, kept_edges
from kces.scoring import Scored, score

__all__ = ["ALPHAS", "KCES"]

ALPHAS: tuple[float, ...] = tuple(round(0.1 * step, 1) for step in range(10))
"""The paper's grid 0.1 … 0.9, and 0: a clean graph may be best left alone."""


class KCES(BaseEstimator):
    """Kernel-Complexity Edge Sanitization.

    Parameters
    ----------
    alpha : share of edges to prune, in [0, 1], or ``"auto"`` (preset robust): as many as look like noise.
    preset, engine, labels, encoding, clusters, ridge, signed, seed : as in :func:`kces.score_edges`;
        None takes the preset's value.
    engine_options : extra arguments of the engine.

    Attributes
    ----------
    scores_ : score of each edge, higher = more suspicious.
    edge_index_ : ``(2, E)`` endpoints of each edge, in the order of the scores.
    kept_ : full-length mask of the edges that stay.
    threshold_ : lowest score among the pruned edges (infinite when none is pruned).
    labels_ : pseudo label of each node (None with preset robust, which has none).
    alpha_ : the share pruned, a number also when ``alpha`` is ``"auto"``.
    engine_ : name of the engine used.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> model = KCES(alpha=0.04).fit(barbell())
    >>> model.edge_index_[:, ~model.kept_].tolist()
    [[4], [5]]
    >>> model.sanitize()
    Graph(barbell, nodes=10, edges=20, features=2)
    """

    def __init__(
        self,
        alpha: float | str = 0.3,
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
    ) -> None:
        self.alpha = alpha
        self.preset = preset
        self.engine = engine
        self.labels = labels
        self.encoding = encoding
        self.clusters = clusters
        self.ridge = ridge
        self.signed = signed
        self.seed = seed
        self.engine_options = engine_options

    def fit(self, graph: Any, y: None = None, *, progress: Progress = silent) -> KCES:
        """Score the edges of ``graph`` and mark the ``ceil(αE)`` highest for pruning."""
        if self.alpha != "auto":
            check_alpha(self.alpha)
        options = {key: value for key, value in self.get_params(deep=False).items() if key != "alpha"}
        self._take(score(graph, **options, progress=progress))
        return self

    def _take(self, scored: Scored) -> None:
        self.graph_ = scored.graph
        self.scores_ = scored.scores
        self.edge_index_ = scored.graph.edges.T
        self.labels_ = None if scored.pseudo is None else scored.pseudo.clusters
        self.engine_ = scored.engine
        self._cut(scored.resolve_alpha(self.alpha))

    def _cut(self, alpha: float) -> None:
        self.alpha_ = alpha
        self.kept_ = kept_edges(self.scores_, alpha)
        self.threshold_ = float(self.scores_[~self.kept_].min(initial=np.inf))

    def sanitize(self, graph: Any = None) -> Graph:
        """The graph without its pruned edges; with an argument, fit on that graph first."""
        if graph is not None:
            self.fit(graph)
        check_is_fitted(self, "kept_")
        return self.graph_.keep_edges(self.kept_)

    def table(self) -> pd.DataFrame:
        """Ranked edges: ``source, target, score, rank, suspicious``."""
        check_is_fitted(self, "scores_")
        return edge_table(self.graph_, self.scores_, self.alpha_)

    def select_alpha(
        self,
        graph: Any,
        evaluate: Callable[[Graph], float] | None = None,
        *,
        alphas: Sequence[float] = ALPHAS,
        progress: Progress = silent,
    ) -> pd.DataFrame:
        """Set ``alpha`` to the best of ``alphas`` by ``evaluate(sanitized graph)``, higher is better.

        Without ``evaluate``, the validation accuracy of a training-free classifier decides (needs labels and
        a split). Scores are computed once. Returns the table of ``alpha, edges, value``; the estimator is left
        fitted at the winner. Of equal values the smallest α wins: no edge goes without a reason.

        >>> from kces.datasets.toys import barbell
        >>> model = KCES()
        >>> model.select_alpha(barbell(), alphas=[0.0, 0.1])["alpha"].tolist(), model.alpha
        ([0.0, 0.1], 0.0)
        """
        if len(alphas) == 0:
            raise InvalidParameterError("alphas is empty; give at least one pruning ratio")
        grid = sorted({check_alpha(alpha) for alpha in alphas})
        judge = sgc_accuracy if evaluate is None else evaluate
        self.fit(graph, progress=progress)
        rows = []
        for position, alpha in enumerate(grid):
            candidate = self.graph_.keep_edges(kept_edges(self.scores_, alpha))
            rows.append((alpha, candidate.n_edges, float(judge(candidate))))
            progress("choose alpha", position + 1, len(grid))
        table = pd.DataFrame(rows, columns=["alpha", "edges", "value"])
        if table["value"].isna().any():
            raise InvalidParameterError("evaluate returned NaN; it must return a number for every graph")
        self.alpha = float(table["alpha"].iloc[int(table["value"].to_numpy().argmax())])
        self._cut(self.alpha)
        return table
