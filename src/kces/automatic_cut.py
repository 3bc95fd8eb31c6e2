"""Choosing α without labels: how many edges look no better than pairs of unrelated nodes.

Random pairs of nodes are a yardstick that needs no label. Most of them are unrelated, some belong to one class; on a
graph with two classes that is every second pair. So the kernel values of random pairs are split into two groups, and
the lower one is the null distribution. An edge is kept when its ends are significantly more alike than that.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from kces.errors import InvalidParameterError

__all__ = ["DEEPEST", "DEPTH", "SIGNIFICANCE", "automatic_alpha", "unrelated_pairs", "unrelated_share"]

Array = npt.NDArray[np.float64]

SIGNIFICANCE = 0.01
"""Share of unrelated pairs that would pass as edges."""

DEPTH = 2.0
"""How far beyond the estimated noise to cut. No ranking is perfect, and under a strong attack the few adversarial
edges that stay do more harm than as many good edges that go: the factor was chosen on the tuning graphs."""

DEEPEST = 0.5
"""Never more than half of the edges: where most edges look random, the score has little to say."""


def automatic_alpha(scores: Array, random_scores: Array) -> float:
    """``DEPTH`` times the share of edges that look like unrelated pairs, at most ``DEEPEST``.

    Parameters
    ----------
    scores, random_scores : of :func:`kces.robust.robust_evidence`.

    Examples
    --------
    >>> random_scores = np.random.default_rng(0).normal(2.0, 0.1, 1000)  # unrelated pairs
    >>> scores = np.array([1.0, 1.1, 1.2, 1.3, 2.0])  # four good edges, one that looks like them
    >>> automatic_alpha(scores, random_scores)
    0.4
    """
    return min(DEPTH * unrelated_share(scores, random_scores), DEEPEST)


def unrelated_share(scores: Array, random_scores: Array) -> float:
    """Share of edges whose ends are not significantly more alike than unrelated nodes: an estimate of the noise."""
    if len(scores) == 0:
        raise InvalidParameterError("there are no scores to cut; score a graph with edges first")
    if len(random_scores) < 2:  # a nearly complete graph: nothing to compare with, so no reason to cut
        return 0.0
    centre, spread = unrelated_pairs(random_scores)
    return float(np.mean(_agreement(scores) < centre + norm.isf(SIGNIFICANCE) * spread))


def unrelated_pairs(random_scores: Array) -> tuple[float, float]:
    """Mean and standard deviation of the agreement, ``2 / score``, of the lower of two groups of random pairs."""
    agreement = _agreement(random_scores)
    if np.ptp(agreement) < 1e-9:
        return float(agreement[0]), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unconverged fit is still a usable split
        mixture = GaussianMixture(2, random_state=0).fit(agreement[:, None])
    lower = int(mixture.means_.argmin())
    return float(mixture.means_[lower, 0]), float(np.sqrt(mixture.covariances_[lower, 0, 0]))


def _agreement(scores: Array) -> Array:
    """1 + κ: the score is its inverse, which is skewed; κ of unrelated pairs is close to normal."""
    return 2.0 / np.asarray(scores, dtype=np.float64)
