"""The second order of the far field."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.far_field import far_field
from kces.engines.fast_kernel import kernel_curvature
from kces.engines.solve import Solution
from problems import alike_nodes, in_regime, problem_for


@pytest.mark.parametrize("flat", [False, True])
def test_curvature_is_the_hessian_of_f(flat: bool) -> None:
    """Along a combination of Z_k, X_k and X_m; flat where the kernel is taken as c/4 + c²/2π."""
    problem = problem_for(alike_nodes(60, seed=2))
    a = np.random.default_rng(0).standard_normal((60, 1))
    posed = in_regime(problem, far_field="series" if flat else "pairs")
    curvature = far_field(posed, Solution(a), curved=True).curvature
    assert curvature is not None
    assert curvature.flat == flat
    unit, X, Z = problem.unit, problem.graph.features, problem.Z
    indptr, indices = problem.graph.adjacency.indptr, problem.graph.adjacency.indices
    for k in np.flatnonzero(np.diff(indptr))[:8]:
        at = indptr[k]
        m, others = indices[at], np.arange(60) != k
        c = unit @ unit[k]
        second = np.full(60, 1.0 / np.pi) if flat else np.array([kernel_curvature(value) for value in c])
        weights = 0.5 * a[:, 0] * second * (1.0 if flat else others)
        u, v, w = 0.3, -0.2, 0.5
        expected = float(weights @ (unit @ (u * Z[k] + v * X[k] + w * X[m])) ** 2)
        found = u * u * curvature.zz[k] + v * v * curvature.xx[k] + w * w * curvature.neighbor_xx[at]
        found += 2 * (
            u * v * curvature.zx[k] + u * w * curvature.neighbor_zx[at] + v * w * curvature.neighbor_cross[at]
        )
        assert found[0] == pytest.approx(expected, rel=1e-3, abs=1e-3)
