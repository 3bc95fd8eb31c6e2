"""The company an edge keeps: against the sum written out, and who is raised by it."""

from __future__ import annotations

import numpy as np
import pytest

from kces.company import DOUBT, company_weight, suspicion_in_company
from kces.datasets.toys import thorny
from kces.kernel import RIDGE


@pytest.mark.parametrize("gathering", [1.4, 2.0, 7.0])
def test_suspicion_is_the_sum_over_the_other_links(gathering: float) -> None:
    edges = thorny().edges
    scores = np.random.default_rng(0).uniform(0.9, 2.2, len(edges))
    agreement = 2.0 / scores
    expected = []
    for edge, ends in enumerate(edges):
        testimony = [0.0]
        for end in ends:
            others = [at for at, pair in enumerate(edges) if end in pair and at != edge]
            testimony.append(sum(agreement[others] - np.median(agreement)) / (len(others) + DOUBT))
        company = min(testimony)
        expected.append(2.0 / max(agreement[edge] + company_weight(gathering) * company, RIDGE))
    assert np.allclose(suspicion_in_company(scores, edges, gathering), expected, atol=1e-12)


def test_noise_that_does_not_gather_changes_nothing() -> None:
    edges = thorny().edges
    scores = np.linspace(1.0, 2.0, len(edges))
    assert np.array_equal(suspicion_in_company(scores, edges, 1.0), scores)
    assert np.array_equal(suspicion_in_company(scores, edges, 0.3), scores)


def test_good_company_excuses_nobody() -> None:
    edges = thorny().edges
    scores = np.random.default_rng(1).uniform(0.9, 2.2, len(edges))
    assert (suspicion_in_company(scores, edges, 3.0) >= scores - 1e-12).all()
