"""Preset paper in parts: the scores in memory to the last bit, kept, resumed, and on the workers of a cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kces.api import score
from kces.datasets.builtin import synthetic
from kces.errors import InvalidParameterError, OutputError, UnreadableFileError
from kces.scale.backends import open_backend
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.paper_in_parts import score_paper_in_parts
from kces.scale.stored_state import load_state, save_state
from kces.scorers.score_options import ScoreOptions

GRAPH = synthetic(n=120, seed=0, degree=8.0)


def options(engine: str) -> ScoreOptions:
    return ScoreOptions(preset="paper", engine=engine, labels="given")


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    return write_graph_folder(GRAPH, tmp_path / "g.kces")


@pytest.mark.parametrize("engine", ["gradient", "local"])
def test_parts_are_the_whole(engine: str, folder: GraphFolder, tmp_path: Path) -> None:
    expected = score(GRAPH, preset="paper", engine=engine, labels="given")
    found = score_paper_in_parts(folder, tmp_path / "run", options(engine), chunk=37)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-11)  # sums end in another order
    again = score_paper_in_parts(folder, tmp_path / "run", options(engine), chunk=50, resume=True)
    np.testing.assert_array_equal(again.scores, found.scores)
    other = "local" if engine == "gradient" else "gradient"
    with pytest.raises(OutputError, match="engine is"):
        score_paper_in_parts(folder, tmp_path / "run", options(other), resume=True)


def test_workers_read_the_shared_state(folder: GraphFolder, tmp_path: Path) -> None:
    with open_backend("dask", workers=1, memory=2**30) as executor:
        for engine in ("gradient", "local"):
            run = tmp_path / engine
            found = score_paper_in_parts(folder, run, options(engine), executor=executor, chunk=100)
            expected = score(GRAPH, preset="paper", engine=engine, labels="given")
            np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9, atol=1e-15)


def test_engines_that_need_the_whole_are_refused(folder: GraphFolder, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="does not work in parts"):
        score_paper_in_parts(folder, tmp_path / "run", options("exact"))


def test_state_on_disk_runs_nothing(tmp_path: Path) -> None:
    save_state((np.arange(3), None), tmp_path / "state")
    description = tmp_path / "state" / "state.json"
    said = description.read_text().replace('"kind": null', '"kind": "os:system"')
    description.write_text(said)
    with pytest.raises(UnreadableFileError, match="os is no module of engines"):
        load_state(tmp_path / "state")


def test_backends_are_known_by_name() -> None:
    for wrong in ({"backend": "spark"}, {"backend": "threads", "workers": 2}, {"workers": 1, "cluster": "tcp://x"}):
        with pytest.raises(InvalidParameterError), open_backend(**wrong):  # type: ignore[arg-type]
            pass
