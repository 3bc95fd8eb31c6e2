"""How scores are spread: edges against random pairs, as a whole and view by view."""

from __future__ import annotations

import numpy as np

from kces.report.numbers import Json, short, shorts
from kces.scorers.evidence import RobustEvidence
from kces.scorers.scored import Scored
from kces.types import Array, Bools

__all__ = ["agreement", "score_distribution", "view_summaries"]

_BINS = 60
_DECILES = np.linspace(0.0, 1.0, 11)


def score_distribution(scored: Scored, kept: Bools) -> Json:
    """Histograms of edges and random pairs in the same bins, and where the cut is.

    Scores with a yardstick are shown as the agreement that they are the inverse of, which is close to normal for
    unrelated pairs; others as they are, without random pairs.

    Parameters
    ----------
    scored : the scores.
    kept : (E,) mask of the edges that stay.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> found = score_distribution(Scored(barbell(), np.arange(21.0)), np.arange(21) < 20)
    >>> found["label"], sum(found["edges"]), found["threshold"]
    ('score', 21, 20.0)
    """
    yardstick = None if scored.evidence is None else scored.evidence.yardstick
    gone = scored.scores[~kept]
    border = float(gone.min()) if len(gone) else None
    if yardstick is None:
        return _histograms(scored.scores, np.empty(0)) | {"label": "score", "threshold": short(border)}
    threshold = None if border is None else short(float(agreement(np.array([border]))[0]))
    found = _histograms(agreement(scored.scores), agreement(yardstick.random_scores))
    return found | {"label": "agreement", "threshold": threshold}


def agreement(scores: Array) -> Array:
    """How alike the two ends are: about 1 where they agree in everything, 0 where they are unrelated.

    >>> agreement(np.array([1.0, 2.0])).tolist()
    [1.0, 0.0]
    """
    return 2.0 / scores - 1.0


def view_summaries(scored: Scored) -> list[Json]:
    """Name, weight and deciles of each view over the links and over random pairs; none for scores without views.

    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> len(view_summaries(score(barbell()))[0]["links"])
    11
    """
    evidence = scored.evidence
    if not isinstance(evidence, RobustEvidence):
        return []
    return [
        {
            "name": name,
            "weight": short(float(evidence.weights[column])),
            "links": _deciles(evidence.edge_views[:, column]),
            "random": _deciles(evidence.random_views[:, column]),
        }
        for column, name in enumerate(evidence.columns)
    ]


def _histograms(edges: Array, random: Array) -> Json:
    both = np.concatenate([edges, random])
    bins = np.histogram_bin_edges(both, bins=_BINS)
    counts = {"edges": edges, "random": random}
    return {"bins": shorts(bins)} | {name: np.histogram(values, bins)[0].tolist() for name, values in counts.items()}


def _deciles(values: np.ndarray) -> list[float | None]:
    return shorts(np.quantile(values, _DECILES)) if len(values) else []
