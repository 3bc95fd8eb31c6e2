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

__all__ = ["SIGNIFICANCE", "automatic_alpha", "unrelated_pairs"]

Array = npt.NDArray[np.float64]

SIGNIFICANCE = 0.01
"""Share of unrelated pairs that would pass as edges."""


def automatic_alpha(scores: Array, random_scores: Array) -> float:
    """Share of edges whose ends are not significantly more alike than unrelated nodes.

    Parameters
    ----------
    scores, random_scores : of :func:`kces.robust.robust_evidence`.

    Examples
    --------
    >>> random_scores = np.random.default_rng(0).normal(2.0, 0.1, 1000)  # unrelated pairs
    >>> scores = np.array([1.0, 1.1, 1.2, 2.0])  # three good edges, one that looks like them
    >>> automatic_alpha(scores, random_scores)
    0.25
    """
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
