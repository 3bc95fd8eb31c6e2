"""Graphs in memory in parts: the scores in memory to the last bit, kept, resumed, and on the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kces.api import score
from kces.datasets.builtin import synthetic
from kces.datasets.toys import thorny
from kces.engines.local import LocalEngine
from kces.errors import GraphWarning, InvalidParameterError, OutputError, UnreadableFileError
from kces.graph import Graph
from kces.scale.backends import open_backend
from kces.scale.executors import InThisProcess
from kces.scale.expected_time import LONG, expected_seconds
from kces.scale.score_in_run import score_in_run
from kces.scale.stored_state import is_sound, load_state, save_state
from kces.scorers.score_options import ScoreOptions

GRAPH = synthetic(n=120, seed=0, degree=8.0)
ENGINES = ("exact", "local", "gradient", "subgraph", "montecarlo")


def options(engine: str) -> ScoreOptions:
    return ScoreOptions(preset="paper", engine=engine, labels="given")


class StoppedError(Exception):
    """A run that was stopped."""


class StopsAfter(InThisProcess):
    """Computes some items and then fails."""

    def __init__(self, items: int) -> None:
        super().__init__()
        object.__setattr__(self, "left", [items])

    def run(self, work: Any, items: Any) -> Any:
        left: list[int] = object.__getattribute__(self, "left")
        for item in items:
            if not left[0]:
                raise StoppedError
            left[0] -= 1
            yield work(item)


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_are_the_whole(engine: str, tmp_path: Path) -> None:
    expected = score(GRAPH, preset="paper", engine=engine, labels="given")
    found = score_in_run(GRAPH, tmp_path / "run", options(engine), chunk=37)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9, atol=1e-15)  # sums end in another order
    again = score_in_run(GRAPH, tmp_path / "run", options(engine), chunk=50, resume=True)
    np.testing.assert_array_equal(again.scores, found.scores)
    np.testing.assert_array_equal(score_in_run(GRAPH, tmp_path / "other", options(engine)).scores, expected.scores)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_that_was_stopped_ends_with_the_same_bits_and_solves_once(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, chosen = thorny(), ScoreOptions(preset="paper", engine=engine)
    whole = score_in_run(graph, tmp_path / "whole", chosen, chunk=4)
    with pytest.raises(StoppedError):
        score_in_run(graph, tmp_path / "run", chosen, chunk=4, executor=StopsAfter(2))
    solving = [f"kces.engines.{name}.compact" for name in ("local", "gradient", "subgraph")]
    for made_once in (*solving, "kces.engines.exact._state", "kces.scorers.paper.pseudo_labels"):
        monkeypatch.setattr(made_once, _never)
    resumed = score_in_run(graph, tmp_path / "run", chosen, resume=True)
    np.testing.assert_array_equal(resumed.scores, whole.scores)
    assert resumed.reasons().tolist() == whole.reasons().tolist()


def _never(*arguments: object, **named: object) -> None:
    raise AssertionError("this is known")


@pytest.mark.parametrize("kind", ["dense", "no features", "wide"])
def test_robust_keeps_its_parts(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, chosen = GRAPH, ScoreOptions()
    if kind == "no features":
        graph = Graph.from_edges(GRAPH.edges)
    if kind == "wide":
        wide = sp.csr_array(np.hstack([np.maximum(GRAPH.features, 0.0), np.zeros((120, 2048))]))
        graph = Graph.from_edges(GRAPH.edges, wide)
    expected = score(graph)
    found = score_in_run(graph, tmp_path / "run", chosen)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9)
    np.testing.assert_array_equal(found.cut().kept, expected.cut().kept)
    assert found.reasons().tolist() == expected.reasons().tolist()
    monkeypatch.setattr("kces.scorers.views.leave_edge_out_cosines", _never)
    monkeypatch.setattr("kces.scale.robust_steps.add_products", _never)
    again = score_in_run(graph, tmp_path / "run", chosen, resume=True)
    np.testing.assert_array_equal(again.scores, found.scores)


def test_another_graph_or_parameter_is_refused_with_the_difference(tmp_path: Path) -> None:
    score_in_run(GRAPH, tmp_path / "run", options("local"))
    with pytest.raises(OutputError, match="unfinished run"):
        score_in_run(GRAPH, tmp_path / "run", options("local"))
    others = {
        "engine is 'local' there and 'exact' here": (GRAPH, options("exact")),
        "preset is 'paper' there and 'robust' here": (GRAPH, ScoreOptions()),
        "labels is 'given' there": (GRAPH, ScoreOptions(preset="paper", engine="local", labels=GRAPH.labels)),
        "graph is": (GRAPH.keep_edges(np.arange(GRAPH.n_edges) > 0), options("local")),
    }
    for said, (graph, chosen) in others.items():
        with pytest.raises(OutputError, match=said):
            score_in_run(graph, tmp_path / "run", chosen, resume=True)


def test_the_hash_of_an_input_knows_where_entries_stand(tmp_path: Path) -> None:
    links, ones = [[0, 1], [1, 2]], np.ones(3)
    first, second = (sp.csr_array((ones, (range(3), columns)), shape=(3, 4)) for columns in ((0, 1, 2), (0, 1, 3)))
    score_in_run(Graph.from_edges(links, first), tmp_path / "run")
    with pytest.raises(OutputError, match="graph is"):
        score_in_run(Graph.from_edges(links, second), tmp_path / "run", resume=True)


def test_workers_read_the_shared_state(tmp_path: Path) -> None:
    with open_backend("dask", workers=1, memory=2**30) as executor:
        for engine in ENGINES:
            found = score_in_run(GRAPH, tmp_path / engine, options(engine), executor=executor, chunk=100)
            expected = score(GRAPH, preset="paper", engine=engine, labels="given")
            np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9, atol=1e-15)
        with pytest.raises(InvalidParameterError, match="leave out workers"):
            score_in_run(Graph.from_edges(GRAPH.edges), tmp_path / "bare", executor=executor)
        assert not (tmp_path / "bare").exists()


def test_a_flipped_byte_in_what_was_made_once_is_noticed(tmp_path: Path) -> None:
    whole = score_in_run(GRAPH, tmp_path / "run", options("local"), chunk=100)
    file = next((tmp_path / "run" / "state").glob("*.npy"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    (tmp_path / "run" / "score edges-00001.json").unlink()
    with pytest.warns(GraphWarning, match="state is damaged"):
        again = score_in_run(GRAPH, tmp_path / "run", options("local"), resume=True)
    np.testing.assert_array_equal(again.scores, whole.scores)


def test_state_on_disk_runs_nothing(tmp_path: Path) -> None:
    save_state((np.arange(3), None), tmp_path / "state")
    assert is_sound(tmp_path / "state")
    description = tmp_path / "state" / "state.json"
    said = description.read_text().replace('"kind": null', '"kind": "os:system"')
    description.write_text(said)
    with pytest.raises(UnreadableFileError, match="os is no module of engines"):
        load_state(tmp_path / "state")


def test_long_runs_are_told_from_short_ones_by_size() -> None:
    assert expected_seconds(GRAPH, options("exact")) < 1
    assert expected_seconds(GRAPH, ScoreOptions()) < 1
    large = synthetic(n=20_000, seed=0)
    assert expected_seconds(large, options("exact")) > LONG
    assert expected_seconds(large, options(LocalEngine.name)) < LONG


def test_backends_are_known_by_name() -> None:
    for wrong in ({"backend": "spark"}, {"backend": "threads", "workers": 2}, {"workers": 1, "cluster": "tcp://x"}):
        with pytest.raises(InvalidParameterError), open_backend(**wrong):  # type: ignore[arg-type]
            pass
