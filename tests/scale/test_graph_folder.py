"""A graph folder: opened by its sizes, verified by its checksums, read by every command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell
from kces.errors import MemoryLimitError, UnreadableFileError
from kces.graph import Graph
from kces.interop import read_graph
from kces.interop.graph_files import write_graph
from kces.node_pairs import are_edges
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    return write_graph_folder(synthetic(n=100, seed=0), tmp_path / "g.kces")


def test_a_folder_is_a_graph_file_like_any_other(tmp_path: Path) -> None:
    graph = synthetic(n=50, seed=1)
    write_graph(graph, tmp_path / "g.kces")
    loaded = read_graph(tmp_path / "g.kces")
    assert loaded.format == "kces"
    np.testing.assert_array_equal(loaded.graph.features, graph.features)
    kept = np.ones(graph.n_edges, dtype=bool)
    kept[:5] = False
    loaded.write(tmp_path / "clean.kces", kept)
    np.testing.assert_array_equal(GraphFolder.open(tmp_path / "clean.kces").edges, graph.edges[5:])
    loaded.write(tmp_path / "clean.npz", kept)
    np.testing.assert_array_equal(read_graph(tmp_path / "clean.npz").graph.edges, graph.edges[5:])


def test_sparse_features_and_none_come_back(tmp_path: Path) -> None:
    words = sp.random_array((30, 600), density=0.05, random_state=np.random.default_rng(0), format="csr")
    edges = barbell().edges
    stored = write_graph_folder(Graph.from_edges(edges, words, n_nodes=30), tmp_path / "w.kces")
    assert stored.manifest.features == "sparse"
    np.testing.assert_array_equal(stored.to_graph().features.toarray(), words.toarray())
    np.testing.assert_array_equal(stored.rows(3, 9), words.toarray()[3:9])
    bare = write_graph_folder(Graph.from_edges(edges), tmp_path / "bare.kces")
    assert bare.manifest.features == "none"
    assert not bare.to_graph().has_features


def test_edges_are_found_in_their_rows(folder: GraphFolder) -> None:
    pairs = np.random.default_rng(0).integers(0, 100, (300, 2))
    pairs = np.sort(np.concatenate([pairs, folder.edges[:50].astype(np.int64)]), axis=1)
    np.testing.assert_array_equal(folder.are_edges(pairs), are_edges(folder.to_graph(), pairs))


def test_a_truncated_file_is_noticed_on_opening(folder: GraphFolder) -> None:
    file = folder.path / "indices.npy"
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(UnreadableFileError, match=r"indices.npy has \d+ bytes instead of"):
        GraphFolder.open(folder.path)


def test_a_flipped_bit_is_noticed_on_verifying(folder: GraphFolder) -> None:
    file = folder.path / "features_0000.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    opened = GraphFolder.open(folder.path)
    with pytest.raises(UnreadableFileError, match=r"features_0000.npy is damaged"):
        opened.verify()


def test_a_lost_file_another_version_and_no_manifest_are_told_apart(folder: GraphFolder) -> None:
    manifest = folder.path / "manifest.json"
    said = json.loads(manifest.read_text())
    (folder.path / "labels.npy").unlink()
    with pytest.raises(UnreadableFileError, match=r"lost its file labels.npy"):
        GraphFolder.open(folder.path)
    manifest.write_text(json.dumps(said | {"version": 99}))
    with pytest.raises(UnreadableFileError, match="format version 99"):
        GraphFolder.open(folder.path)
    manifest.write_text(json.dumps(said)[:-50])
    with pytest.raises(UnreadableFileError, match="not readable"):
        GraphFolder.open(folder.path)
    manifest.write_text(json.dumps({"version": 1}))
    with pytest.raises(UnreadableFileError, match="damaged"):
        GraphFolder.open(folder.path)
    manifest.unlink()
    with pytest.raises(UnreadableFileError, match="no graph folder"):
        GraphFolder.open(folder.path)


def test_a_graph_beyond_memory_is_refused_with_the_amount(folder: GraphFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match=r"needs .* of memory"):
        folder.to_graph()


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path, folder: GraphFolder) -> None:
    same = write_graph_folder(synthetic(n=100, seed=0), tmp_path / "same.kces")
    other = write_graph_folder(synthetic(n=100, seed=1), tmp_path / "other.kces")
    assert same.manifest.fingerprint == folder.manifest.fingerprint != other.manifest.fingerprint
