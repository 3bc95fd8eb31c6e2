"""The company an edge keeps: where noise gathers, the other links at its ends testify too.

Noise that comes by chance says nothing about the next link of a node. An attack gathers at nodes, and there its edges
vouch for each other. So a cut that the scores decide weighs, beside an edge's own score, how little the other links at
its worse end agree, and the more so the more the noise gathers. The score itself is not changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kces.kernel import RIDGE
from kces.types import Array, Ints

__all__ = ["Company", "company_weight", "leads_at_nodes", "raised_scores", "suspicion_in_company"]

DOUBT = 5.0
"""Links of middling agreement that every node is taken to have besides: few links are little testimony."""

HEAVIEST = 1.0


def company_weight(gathering: float) -> float:
    """How much company counts: nothing where noise lies at random (1), in full from three times that.

    >>> company_weight(1.0), company_weight(2.0), company_weight(9.0)
    (0.0, 0.5, 1.0)
    """
    return min(max((gathering - 1.0) / 2.0, 0.0), HEAVIEST)


def suspicion_in_company(scores: Array, edges: Ints, gathering: float) -> Array:
    """Scores raised where the other links at the worse end of an edge agree less than the middling edge.

    Parameters
    ----------
    scores : (E,) of the robust score, ``2 / (1 + λ + κ)``.
    edges : (E, 2) the ends.
    gathering : how unevenly noise lies on the nodes, as :class:`kces.automatic_cut.Symptoms` has it.

    Examples
    --------
    >>> edges = np.array([[0, 1], [0, 2], [0, 3], [4, 5], [5, 6]])
    >>> suspicion_in_company(np.array([2.0, 2.0, 1.2, 1.2, 1.2]), edges, gathering=3.0).round(2).tolist()
    [2.21, 2.21, 1.35, 1.2, 1.2]
    """
    weight = company_weight(gathering)
    if weight == 0.0 or len(scores) == 0:
        return scores
    middling = float(np.median(2.0 / scores))
    degrees = np.bincount(edges.ravel())
    return raised_scores(scores, edges, weight, Company(middling, degrees, leads_at_nodes(scores, edges, middling)))


class Company(NamedTuple):
    """What is known of all edges together.

    Attributes
    ----------
    middling : the median agreement, ``2 / score``.
    degrees : (N,) edges at each node.
    leads : (N,) by how much they agree more than the middling edge, summed.
    """

    middling: float
    degrees: Ints
    leads: Array


def leads_at_nodes(scores: Array, edges: Ints, middling: float, n_nodes: int = 0) -> Array:
    """(N,) by how much some edges agree more than the middling one, summed at their ends."""
    lead = 2.0 / scores - middling
    return np.bincount(edges.ravel(), weights=np.repeat(lead, 2), minlength=n_nodes).astype(np.float64)


def raised_scores(scores: Array, edges: Ints, weight: float, company: Company) -> Array:
    """(E,) scores of some edges, raised by the company that they keep.

    Parameters
    ----------
    scores : (E,) of the edges.
    edges : (E, 2) their ends.
    weight : of company.
    company : what is known of all edges, of which these may be a part.
    """
    agreement = 2.0 / scores
    lead = agreement - company.middling
    others = (company.leads[edges] - lead[:, None]) / (company.degrees[edges] - 1.0 + DOUBT)
    raised: Array = 2.0 / np.maximum(agreement + weight * np.minimum(others.min(axis=1), 0.0), RIDGE)
    return raised
