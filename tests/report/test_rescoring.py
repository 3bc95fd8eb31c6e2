"""Scoring again with marks: what is known of all edges stays aligned with them."""

from __future__ import annotations

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.report.held import Held
from kces.report.rescoring import score_without
from kces.scorers import ScoreOptions, make_scorer


@pytest.mark.parametrize(("preset", "alpha"), [("robust", 0.1), ("robust", "auto"), ("paper", 0.1)])
def test_a_second_look_can_be_cut_and_reported(preset: str, alpha: float | str) -> None:
    graph, injected = inject_cross_class_edges(synthetic(n=150, degree=5, seed=2), 0.3, seed=1)
    scorer = make_scorer(ScoreOptions(preset=preset))
    before = scorer.score(graph)
    harmful = np.zeros(graph.n_edges, dtype=bool)
    harmful[np.flatnonzero(injected)[:7]] = True
    after = score_without(scorer, before, harmful)
    cut = Held(fine=np.zeros_like(harmful), harmful=harmful).cut(after, alpha)
    assert not cut.kept[harmful].any()
    assert len(after.reasons()) == graph.n_edges
    again = scorer.score(graph.keep_edges(~harmful))
    np.testing.assert_array_equal(after.scores[~harmful], again.scores)
    np.testing.assert_array_equal(after.scores[harmful], before.scores[harmful])
