"""New links against a known graph: exact where the graph is unchanged, near the full score where it is not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kces.api import score
from kces.datasets.builtin import synthetic
from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.scale.added_links import score_added
from kces.scale.from_graph import write_graph_folder
from kces.scale.robust_on_disk import score_folder
from kces.scale.robust_steps import pair_views
from kces.scale.score_model import ScoreModel, model_of
from kces.scale.streamed_cut import cut_folder
from kces.scorers.robust import pair_complexity
from program import RunKces

GRAPH = synthetic(n=300, seed=0, degree=10.0, features=20)


@pytest.mark.parametrize("features", [GRAPH.features, np.ones((300, 2))])
def test_known_and_unlinked_pairs_have_the_scores_of_the_folder(tmp_path: Path, features: np.ndarray) -> None:
    folder = write_graph_folder(replace(GRAPH, features=features), tmp_path / "g.kces")
    scored = score_folder(folder, tmp_path / "run")
    cut = cut_folder(scored)
    model = model_of(cut, 0)
    known = score_added(folder, model, GRAPH.edges[:, ::-1])
    np.testing.assert_allclose(known.scores, scored.all_scores(), rtol=1e-9)
    assert known.known.all()
    assert known.suspicious.sum() == cut.n_removed
    pairs = np.array([[1, 250], [3, 17], [8, 8]])
    fresh = score_added(folder, model, pairs)
    expected = pair_complexity(pair_views(scored.state, pairs[:2], linked=False) @ scored.weights)
    np.testing.assert_allclose(fresh.scores[:2], expected, rtol=1e-9)
    assert np.isnan(fresh.scores[2])
    assert not fresh.suspicious[2]


def test_new_links_come_near_the_score_of_the_grown_graph(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    new = np.sort(draw.integers(0, 300, (40, 2)), axis=1)
    new = new[new[:, 0] != new[:, 1]]
    folder = write_graph_folder(GRAPH, tmp_path / "g.kces")
    model = model_of(cut_folder(score_folder(folder, tmp_path / "run")), 0)
    found = score_added(folder, model, new)
    grown = Graph.from_edges(np.concatenate([GRAPH.edges, new]), GRAPH.features, n_nodes=300)
    full = {tuple(edge): value for edge, value in zip(grown.edges.tolist(), score(grown).scores, strict=True)}
    rescored = np.array([full[tuple(edge)] for edge in new.tolist()])
    assert np.corrcoef(found.scores, rescored)[0, 1] > 0.97
    np.testing.assert_allclose(found.scores, rescored, rtol=0.25)


def test_a_node_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = write_graph_folder(GRAPH, tmp_path / "g.kces")
    model = model_of(cut_folder(score_folder(folder, tmp_path / "run")), 0)
    with pytest.raises(InvalidGraphError, match="outside 0…299"):
        score_added(folder, model, np.array([[0, 300]]))
    other = write_graph_folder(synthetic(n=50, seed=1), tmp_path / "other.kces")
    model.save(tmp_path / "model.npz")
    assert ScoreModel.load(tmp_path / "model.npz", folder) is not None
    assert ScoreModel.load(tmp_path / "model.npz", other) is None


def test_the_command_scores_the_graph_once(tmp_path: Path, run_kces: RunKces) -> None:
    write_graph_folder(GRAPH, tmp_path / "g.kces")
    (tmp_path / "new.csv").write_text("payer,payee,amount\n1,250,5\n3,17,9\n")
    words = ("score", "--added", tmp_path / "new.csv", tmp_path / "g.kces")
    first, second = (json.loads(run_kces(*words, "--json").out) for _ in range(2))
    assert (first["remembered"], second["remembered"]) == (False, True)
    assert first["scores"] == second["scores"]
    assert list(first["scores"][0]) == ["payer", "payee", "amount", "score", "above_percent", "suspicious", "known"]
    out = tmp_path / "scores.csv"
    assert run_kces(*words, "-o", out).code == 0
    assert len(pd.read_csv(out)) == 2
    (tmp_path / "new.csv").write_text("payer,payee\n1,999\n2,3\n")
    refused = run_kces(*words)
    assert refused.code == 2
    assert "names node 999" in refused.err
