"""Choosing α without labels: how many edges look no better than pairs of unrelated nodes.

Random pairs of nodes are a yardstick that needs no label. Most of them are unrelated, some belong to one class; on a
graph with two classes that is every second pair. So the kernel values of random pairs are split into two groups, and
the lower one is the null distribution. An edge is kept when its ends are significantly more alike than that.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from kces.errors import InvalidParameterError
from kces.robust import RobustEvidence

__all__ = ["DEEPEST", "DEPTH", "SIGNIFICANCE", "automatic_alpha", "guided_alpha", "unrelated_pairs", "unrelated_share"]

Array = npt.NDArray[np.float64]

SIGNIFICANCE = 0.01
"""Share of unrelated pairs that would pass as edges."""

DEPTH = 2.0
"""How far beyond the estimated noise to cut. No ranking is perfect, and under a strong attack the few adversarial
edges that stay do more harm than as many good edges that go: the factor was chosen on the tuning graphs."""

DEEPEST = 0.5
"""Never more than half of the edges: where most edges look random, the score has little to say."""


def automatic_alpha(evidence: RobustEvidence) -> float:
    """``DEPTH`` times the share of edges that look like unrelated pairs, at most ``DEEPEST``.

    Without features that tell nodes apart the answer is 0: good edges of sparse neighbourhoods then look as random
    as planted ones, and a node that loses its edges loses all that is known about it. Choose α on validation there.

    Examples
    --------
    >>> from kces.builtin import digits
    >>> from kces.robust import robust_evidence
    >>> round(automatic_alpha(robust_evidence(digits())), 2)  # a clean graph loses little
    0.0
    """
    if not evidence.own_features:
        return 0.0
    return min(DEPTH * unrelated_share(evidence.scores, evidence.random_scores), DEEPEST)


def guided_alpha(alphas: Sequence[float], accuracies: Sequence[float], n_validation: int, automatic: float) -> float:
    """The α nearest to the automatic one among those that validation cannot tell from the best.

    Validation accuracy on a few hundred nodes is noisy, and blind to an attack on other nodes; within one standard
    error of the best it has no say, and the automatic α decides. Ties go to the smaller α.

    Examples
    --------
    >>> guided_alpha([0.0, 0.2, 0.4], [0.81, 0.80, 0.60], n_validation=100, automatic=0.25)
    0.2
    >>> guided_alpha([0.0, 0.2, 0.4], [0.50, 0.60, 0.80], n_validation=100, automatic=0.25)
    0.4
    """
    if len(alphas) == 0 or len(alphas) != len(accuracies) or n_validation < 1:
        raise InvalidParameterError("guided_alpha needs one accuracy per alpha and at least one validation node")
    best = max(accuracies)
    error = np.sqrt(best * (1.0 - best) / n_validation)
    candidates = [alpha for alpha, accuracy in zip(alphas, accuracies, strict=True) if accuracy >= best - error]
    return min(sorted(candidates), key=lambda alpha: round(abs(alpha - automatic), 12))


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
