"""Choosing α without labels: how many edges look no better than pairs of unrelated nodes.

Random pairs of nodes are a yardstick that needs no label. Most of them are unrelated, some belong to one class; on a
graph with two classes that is every second pair. So the kernel values of random pairs are split into two groups, and
the lower one is the null distribution. An edge is kept when its ends are significantly more alike than that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from kces.cut import AlphaChoice
from kces.errors import InvalidParameterError
from kces.two_groups import two_groups
from kces.types import Array, Bools

__all__ = [
    "DEEPEST",
    "DEPTH",
    "SIGNIFICANCE",
    "SURE",
    "Yardstick",
    "automatic_choice",
    "informed_choice",
    "surely_better",
    "unrelated_pairs",
    "unrelated_share",
]


SIGNIFICANCE = 0.01
"""Share of unrelated pairs that would pass as edges."""

DEPTH = 2.0
"""How far beyond the estimated noise to cut. No ranking is perfect, and under a strong attack the few adversarial
edges that stay do more harm than as many good edges that go: the factor was chosen on the tuning graphs."""

DEEPEST = 0.5
"""Never more than half of the edges: where most edges look random, the score has little to say."""


SURE = 2.0
"""Standard errors by which one pruning must beat another on validation before its lead counts."""


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What tells how many edges look like noise.

    Attributes
    ----------
    scores : (E,) of the edges.
    random_scores : (R,) of random pairs that are not edges.
    own_features : whether the features can tell nodes apart at all.
    """

    scores: Array
    random_scores: Array
    own_features: bool = True


def automatic_choice(yardstick: Yardstick) -> AlphaChoice:
    """``DEPTH`` times the share of edges that look like unrelated pairs, at most ``DEEPEST``.

    Without features that tell nodes apart the answer is 0: good edges of sparse neighbourhoods then look as random
    as planted ones, and a node that loses its edges loses all that is known about it. Choose α on validation there.

    Examples
    --------
    >>> noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    >>> automatic_choice(Yardstick(np.array([2.0] + [1.0] * 9), noise)).alpha
    0.2
    """
    if not yardstick.own_features:
        return AlphaChoice(0.0, "the features cannot tell nodes apart, so nothing says which edges are noise")
    share = unrelated_share(yardstick.scores, yardstick.random_scores)
    return AlphaChoice(min(DEPTH * share, DEEPEST), f"{share:.1%} of the edges look no better than random pairs")


def informed_choice(right: Bools, none: int, automatic: int) -> int:
    """Which of several prunings to keep: validation decides where it can, the automatic cut where it cannot.

    A few hundred validation nodes are noisy, and blind to an attack on other nodes. If the best pruning is not surely
    better on them than no pruning, its lead is chance, and the automatic α is taken, unless that one surely harms.

    Parameters
    ----------
    right : ``(prunings, validation nodes)``, whether a model trained after the pruning gets the node right.
    none, automatic : which rows are no pruning and the automatic α.

    Examples
    --------
    >>> nodes = np.arange(100)
    >>> none, automatic, deep = nodes < 70, nodes < 69, nodes < 71
    >>> informed_choice(np.array([none, automatic, deep]), none=0, automatic=1)  # one node more is chance
    1
    >>> informed_choice(np.array([none, automatic, nodes < 90]), none=0, automatic=1)
    2
    """
    best = int(right.mean(axis=1).argmax())
    if surely_better(right[best], right[none]):
        return best
    return none if surely_better(right[none], right[automatic]) else automatic


def surely_better(candidate: Bools, reference: Bools) -> bool:
    """McNemar's comparison: nodes that both get right or both get wrong say nothing.

    >>> nodes = np.arange(100)
    >>> surely_better(nodes < 80, nodes < 70), surely_better(nodes < 71, nodes < 70)
    (True, False)
    """
    gained, lost = int(np.sum(candidate & ~reference)), int(np.sum(reference & ~candidate))
    return bool(gained - lost > SURE * np.sqrt(gained + lost))


def unrelated_share(scores: Array, random_scores: Array) -> float:
    """Share of edges whose ends are not significantly more alike than unrelated nodes: an estimate of the noise."""
    if len(scores) == 0:
        raise InvalidParameterError("there are no scores to cut; score a graph with edges first")
    if len(random_scores) < 2:  # a nearly complete graph: nothing to compare with, so no reason to cut
        return 0.0
    centre, spread = unrelated_pairs(random_scores)
    return float(np.mean(_agreement(scores) < centre - ndtri(SIGNIFICANCE) * spread))


def unrelated_pairs(random_scores: Array) -> tuple[float, float]:
    """Mean and standard deviation of the agreement, ``2 / score``, of the lower of two groups of random pairs."""
    agreement = _agreement(random_scores)
    if np.ptp(agreement) < 1e-9:
        return float(agreement[0]), 0.0
    means, spreads = two_groups(agreement)
    return float(means[0]), float(spreads[0])


def _agreement(scores: Array) -> Array:
    """1 + κ: the score is its inverse, which is skewed; κ of unrelated pairs is close to normal."""
    return 2.0 / np.asarray(scores, dtype=np.float64)
