"""Two groups in a list of numbers: a mixture of two normal distributions, fitted by expectation and maximization.

The fit of scikit-learn's ``GaussianMixture(2, random_state=0)`` on one column, to rounding (a test compares them). Here
because importing scikit-learn takes longer than scoring a small graph.
"""

from __future__ import annotations

import numpy as np

from kces.types import Array, Bools

__all__ = ["two_groups"]

_ROUNDS = 100
_TOLERANCE = 1e-3
"""The fit ends when the mean log-likelihood grows by less."""
_SMALLEST_VARIANCE = 1e-6
_SPLIT_ROUNDS = 300
_SPLIT_TOLERANCE = 1e-4
"""The first split ends when the squared moves of its centers sum to less than this share of the variance."""


def two_groups(values: Array) -> tuple[Array, Array]:
    """Means and standard deviations of two groups, the lower one first.

    Parameters
    ----------
    values : (n,) at least two numbers, not all the same.

    Examples
    --------
    >>> draw = np.random.default_rng(0)
    >>> means, spreads = two_groups(np.concatenate([draw.normal(0, 1, 900), draw.normal(8, 2, 100)]))
    >>> means.round(1), spreads.round(1)
    (array([-0. ,  7.6]), array([1. , 1.8]))
    """
    upper = _split(values - values.mean())
    weights = np.stack([~upper, upper]).astype(np.float64)
    shares, means, variances = _maximise(values, weights)
    likelihood = -np.inf
    for _ in range(_ROUNDS):
        before = likelihood
        weights, likelihood = _expect(values, shares, means, variances)
        shares, means, variances = _maximise(values, weights)
        if abs(likelihood - before) < _TOLERANCE:
            break
    order = np.argsort(means)
    return means[order], np.sqrt(variances[order])


def _split(values: Array) -> Bools:
    """Two-means from a k-means++ start: which values belong to the second center."""
    centers = _first_centers(values)
    upper = np.zeros(0, dtype=bool)
    for _ in range(_SPLIT_ROUNDS):
        before, upper = upper, _nearer_second(values, centers)
        if np.array_equal(before, upper):
            break
        moved = np.array([values[~upper].mean(), values[upper].mean()])
        shift, centers = float(((moved - centers) ** 2).sum()), moved
        if shift <= _SPLIT_TOLERANCE * values.var():
            return _nearer_second(values, centers)
    return upper


def _first_centers(values: Array) -> Array:
    """A value drawn at random, and the better of two drawn in proportion to the squared distance from it."""
    draw = np.random.RandomState(0)
    n = len(values)
    first = values[draw.choice(n, p=np.full(n, 1 / n))]
    distances = (values - first) ** 2
    candidates = np.searchsorted(np.cumsum(distances), draw.uniform(size=2) * distances.sum()).clip(max=n - 1)
    costs = [np.minimum(distances, (values - values[each]) ** 2).sum() for each in candidates]
    return np.array([first, values[candidates[int(np.argmin(costs))]]])


def _nearer_second(values: Array, centers: Array) -> Bools:
    return np.abs(values - centers[1]) < np.abs(values - centers[0])


def _maximise(values: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Share, mean and variance of each group, given how much of every value belongs to it."""
    sizes = weights.sum(axis=1) + 10 * np.finfo(np.float64).eps
    means = weights @ values / sizes
    variances = (weights * (values - means[:, None]) ** 2).sum(axis=1) / sizes
    return sizes / len(values), means, variances + _SMALLEST_VARIANCE


def _expect(values: Array, shares: Array, means: Array, variances: Array) -> tuple[Array, float]:
    """How much of every value belongs to each group, and the mean log-likelihood."""
    distances = (values - means[:, None]) ** 2 / variances[:, None]
    logs = np.log(shares / np.sqrt(2 * np.pi * variances))[:, None] - distances / 2
    total = np.logaddexp(logs[0], logs[1])
    return np.exp(logs - total), float(total.mean())
