"""Shared fixtures."""

from __future__ import annotations

import pytest

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path, star, thorny
from kces.graph import Graph


@pytest.fixture(params=["path", "star", "barbell", "thorny", "sparse", "dense-graph"])
def awkward_graph(request: pytest.FixtureRequest) -> Graph:
    """Hubs, triangles, twins, leaves, isolated and featureless nodes, dense and sparse features."""
    if request.param == "sparse":
        graph = synthetic(n=50, degree=5, seed=2)
        return Graph.from_scipy(graph.adjacency, None, labels=graph.labels, name="identity-features")
    if request.param == "dense-graph":
        return synthetic(n=40, degree=16, features=6, seed=4)
    return {"path": path(5), "star": star(), "barbell": barbell(), "thorny": thorny()}[request.param]
