"""Shared fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kces.cli import main
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path, star, thorny
from kces.graph import Graph
from kces.plugins import Registry
from program import Ran, RunKces


@pytest.fixture(autouse=True)
def registrations_end_with_their_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a plugin registers in one test is not there in the next, in whatever order they run."""
    made: list[tuple[Registry, str]] = []
    register = Registry.register

    def noted(self: Registry, name: str, entry: object, *, origin: str) -> None:
        register(self, name, entry, origin=origin)
        made.append((self, name))

    monkeypatch.setattr(Registry, "register", noted)
    yield
    for registry, name in made:
        registry.forget(name)


@pytest.fixture(params=["path", "star", "barbell", "thorny", "sparse", "dense-graph"])
def awkward_graph(request: pytest.FixtureRequest) -> Graph:
    """Hubs, triangles, twins, leaves, isolated and featureless nodes, dense and sparse features."""
    if request.param == "sparse":
        graph = synthetic(n=50, degree=5, seed=2)
        return Graph.from_scipy(graph.adjacency, None, labels=graph.labels, name="identity-features")
    if request.param == "dense-graph":
        return synthetic(n=40, degree=16, features=6, seed=4)
    return {"path": path(5), "star": star(), "barbell": barbell(), "thorny": thorny()}[request.param]


@pytest.fixture
def run_kces(capsys: pytest.CaptureFixture[str]) -> RunKces:
    """``run_kces("score", path, "--json")`` is ``kces score PATH --json``."""

    def run(*words: str | Path) -> Ran:
        capsys.readouterr()
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capsys.readouterr())

    return run
