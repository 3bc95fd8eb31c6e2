"""The split of random pairs into two groups."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from kces.two_groups import two_groups

DRAW = np.random.default_rng(5)
SAMPLES = {
    "two": np.array([0.0, 1.0]),
    "three": np.array([0.1, 0.9, 0.2]),
    "ties": np.repeat([0.0, 1.0, 5.0], [40, 20, 5]),
    "apart": np.concatenate([DRAW.normal(0, 1, 900), DRAW.normal(8, 2, 100)]),
    "together": DRAW.normal(0, 1, 5000),
    "skewed": DRAW.beta(2, 5, 20_000),
    "narrow": 1 + 1e-4 * DRAW.random(1000),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_fit_is_that_of_scikit_learn(name: str) -> None:
    values = SAMPLES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = GaussianMixture(2, random_state=0).fit(values[:, None])
    order = known.means_.ravel().argsort()
    means, spreads = two_groups(values)
    assert means == pytest.approx(known.means_.ravel()[order], abs=1e-9)
    assert spreads == pytest.approx(np.sqrt(known.covariances_.ravel()[order]), abs=1e-9)
