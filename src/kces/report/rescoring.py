"""Scoring again when some edges are known to be harmful: they no longer testify about the others."""

from __future__ import annotations

from dataclasses import replace

from kces.scorers.evidence import RobustEvidence
from kces.scorers.grounds import Evidence
from kces.scorers.paper import PaperEvidence
from kces.scorers.scored import Scored
from kces.scorers.scorer import Scorer
from kces.types import Bools

__all__ = ["score_without"]


def score_without(scorer: Scorer, before: Scored, harmful: Bools) -> Scored:
    """Scores of all edges, those that are not harmful scored on the graph without the harmful ones.

    Parameters
    ----------
    scorer : the one that made ``before``.
    before : scores of the whole graph; harmful edges keep theirs.
    harmful : (E,) mask of the edges that are known to be harmful.

    Examples
    --------
    >>> import numpy as np
    >>> from kces.datasets.toys import barbell
    >>> from kces.scorers import ScoreOptions, make_scorer
    >>> scorer = make_scorer(ScoreOptions())
    >>> before = scorer.score(barbell())
    >>> after = score_without(scorer, before, np.arange(21) == 10)
    >>> bool(after.scores[10] == before.scores[10]), bool((after.scores == before.scores).all())
    (True, False)
    """
    if not harmful.any() or harmful.all():
        return before
    found = scorer.score(before.graph.keep_edges(~harmful))
    scores = before.scores.copy()
    scores[~harmful] = found.scores
    return replace(before, scores=scores, evidence=_merged(before.evidence, found.evidence, ~harmful))


def _merged(before: Evidence | None, found: Evidence | None, scored: Bools) -> Evidence | None:
    """What is known after the second look, with what was known of the other edges before."""
    if isinstance(before, RobustEvidence) and isinstance(found, RobustEvidence) and before.columns == found.columns:
        views, scores = before.edge_views.copy(), before.scores.copy()
        views[scored], scores[scored] = found.edge_views, found.scores
        return replace(found, edges=before.edges, edge_views=views, scores=scores)
    if isinstance(before, PaperEvidence) and isinstance(found, PaperEvidence):
        change = before.change.copy()
        change[scored] = found.change
        return replace(found, change=change)
    return before
