"""The references that fidelity is measured against."""

from __future__ import annotations

import numpy as np
import pytest

from kces.bench import fidelity
from kces.datasets.builtin import synthetic
from problems import problem_for


def test_the_streamed_reference_is_the_true_one() -> None:
    problem = fidelity._with_all_features(problem_for(synthetic(n=300, seed=0)))
    stored, of_stored = fidelity._scores(problem, fidelity._true_solution)
    streamed, of_streamed = fidelity._scores(problem, fidelity._streamed_solution)
    assert max(of_stored["left"], of_streamed["left"]) < 2e-3
    assert np.corrcoef(stored, streamed)[0, 1] > 0.999


def test_what_does_not_fit_into_memory_is_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity, "triangle_memory", lambda n_nodes: 2**60)
    monkeypatch.setattr(fidelity, "_true_solution", None)
    rows = fidelity.run_fidelity("synthetic:n=200,seed=0")["rows"]
    assert rows[-1]["solve"] == "reference"
    assert all(row["rho_signed"] > 0.9 for row in rows[2:-1])
