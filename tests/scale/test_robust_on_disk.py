"""The robust score over a folder: the scores, the cut and the bytes that memory gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces.api import score
from kces.datasets.builtin import digits, synthetic
from kces.datasets.toys import barbell
from kces.errors import InvalidGraphError, MemoryLimitError
from kces.graph import Graph
from kces.scale.from_graph import write_graph_folder
from kces.scale.robust_layout import RobustLayout, memory_bound, plan_layout
from kces.scale.robust_on_disk import FolderScores, score_folder
from kces.scale.streamed_cut import cut_folder


def noisy(n: int = 300, seed: int = 0) -> Graph:
    """A synthetic graph with random links among its own: the automatic cut removes some."""
    graph, draw = synthetic(n=n, seed=seed, degree=8.0, features=20), np.random.default_rng(seed)
    return Graph.from_edges(np.concatenate([graph.edges, draw.integers(0, n, (n, 2))]), graph.features, n_nodes=n)


def gathered() -> Graph:
    """Random links that gather at a few nodes, as those of an attack: company counts beside the score."""
    graph, draw = synthetic(n=300, seed=1, degree=8.0, features=20), np.random.default_rng(1)
    strange = np.stack([draw.integers(0, 12, 150), draw.integers(12, 300, 150)], axis=1)
    return Graph.from_edges(np.concatenate([graph.edges, strange]), graph.features, n_nodes=300)


def without_some_features() -> Graph:
    """Nodes without features at single links: rows that cancel when the link is cut."""
    graph = noisy()
    features = graph.features.copy()
    features[::7] = 0.0
    leaves = np.stack([np.arange(0, 280, 7), np.arange(300, 340)], axis=1)
    return Graph.from_edges(
        np.concatenate([graph.edges, leaves]), np.vstack([features, np.zeros((40, 20))]), n_nodes=340
    )


def sparse_words() -> Graph:
    graph = noisy()
    return replace(graph, features=sp.csr_array(np.where(graph.features > 0.8, graph.features, 0.0)))


def with_strangers() -> Graph:
    """Nodes without a link, all alike: they have no say."""
    graph = noisy()
    return Graph.from_edges(graph.edges, np.vstack([graph.features, np.tile(graph.features[:2], (60, 1))]), n_nodes=420)


GRAPHS = {
    "noisy": noisy,
    "strangers": with_strangers,
    "gathered": gathered,
    "digits": digits,
    "toy": barbell,
    "empty rows": without_some_features,
    "sparse": sparse_words,
    "one column": lambda: replace(noisy(), features=noisy().features[:, :1].copy()),
    "constant": lambda: replace(noisy(), features=np.ones((300, 3))),
    "complete": lambda: Graph.from_edges(np.argwhere(np.triu(np.ones((5, 5)), 1)), np.eye(5)[:, :3] + 0.1),
}


def on_disk(graph: Graph, place: Path, **parts: int) -> FolderScores:
    folder = write_graph_folder(graph, place / "g.kces")
    return score_folder(folder, place / "run", **parts)


@pytest.mark.parametrize("kind", GRAPHS)
def test_scores_and_cuts_are_those_in_memory(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS[kind]()
    monkeypatch.setattr("kces.scale.robust_layout._WIDEST", 7)
    monkeypatch.setattr("kces.scale.robust_layout._ROW_ENTRIES", 2_000)
    expected = score(graph)
    found = on_disk(graph, tmp_path, chunk=97)
    assert found.n_chunks == -(-graph.n_edges // 97)
    np.testing.assert_allclose(found.all_scores(), expected.scores, atol=1e-9 * expected.scores.max())
    for alpha in ("auto", 0.0, 0.1, 0.5, 1.0):
        whole, parts = expected.cut(alpha), cut_folder(found, alpha)
        np.testing.assert_array_equal(np.concatenate(list(parts.kept())), whole.kept)
        assert parts.n_removed == whole.n_removed
        assert parts.choice.alpha == pytest.approx(whole.choice.alpha)
        assert (parts.choice.verdict, parts.warning) == (whole.choice.verdict, whole.warning)


def test_company_counts_where_noise_gathers() -> None:
    scored = score(gathered())
    assert not np.array_equal(scored.suspicion, scored.scores)
    assert scored.cut().n_removed > 0


def test_the_words_of_the_columns_are_those_in_memory(tmp_path: Path) -> None:
    for name, graph in (("own", noisy()), ("constant", replace(noisy(), features=np.ones((300, 3))))):
        (tmp_path / name).mkdir()
        evidence = score(graph).evidence
        assert on_disk(graph, tmp_path / name).columns == evidence.columns


def test_how_it_is_parted_changes_nothing(tmp_path: Path) -> None:
    graph = noisy()
    folder = write_graph_folder(graph, tmp_path / "g.kces")
    whole = score_folder(folder, tmp_path / "whole")
    parts = score_folder(folder, tmp_path / "parts", chunk=50)
    np.testing.assert_allclose(whole.all_scores(), parts.all_scores(), rtol=1e-12)


def test_picked_rows_and_whole_blocks_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_graph_folder(noisy(), tmp_path / "g.kces")
    whole = score_folder(folder, tmp_path / "whole")
    monkeypatch.setattr("kces.scale.robust_steps._FEW_PAIRS", np.inf)
    picked = score_folder(folder, tmp_path / "picked")
    np.testing.assert_array_equal(whole.all_scores(), picked.all_scores())


def test_a_folder_without_columns_to_stream_says_so(tmp_path: Path) -> None:
    bare = write_graph_folder(Graph.from_edges(barbell().edges), tmp_path / "bare.kces")
    with pytest.raises(InvalidGraphError, match="has no features"):
        score_folder(bare, tmp_path / "run")


def test_extreme_features_are_refused(tmp_path: Path) -> None:
    graph = noisy()
    folder = write_graph_folder(replace(graph, features=graph.features * 2.0**300), tmp_path / "g.kces")
    with pytest.raises(InvalidGraphError, match="beyond"):
        score_folder(folder, tmp_path / "run")


def test_the_bound_on_memory_does_not_know_the_edges() -> None:
    small, large = (plan_layout(10**6, edges, 64, memory=2**31) for edges in (10**8, 10**10))
    assert memory_bound(10**6, small) == memory_bound(10**6, large) <= 1.01 * 2**31
    with pytest.raises(MemoryLimitError, match="allow more"):
        plan_layout(10**9, 10**10, 64, memory=2**31)


def test_workers_get_several_chunks_each() -> None:
    layout = plan_layout(10**5, 8 * 10**6, 64, workers=2, memory=2**31)
    assert layout == RobustLayout(32, 10**6, 65536, 2, held=80)


def test_hops_that_do_not_fit_together_are_read_block_by_block(tmp_path: Path) -> None:
    folder = write_graph_folder(noisy(), tmp_path / "g.kces")
    little = (24 * 3 + 150) * folder.n_nodes + 250 * folder.n_edges
    whole, parts = score_folder(folder, tmp_path / "a"), score_folder(folder, tmp_path / "b", memory=little)
    assert whole.state.layout.held > parts.state.layout.held == 0
    assert parts.state.layout.width < folder.n_features
    np.testing.assert_allclose(whole.all_scores(), parts.all_scores(), rtol=1e-12)
