from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces.errors import GraphWarning, InvalidGraphError, MemoryLimitError, UnreadableFileError
from kces.interop import read_graph, write_graph

# 0 -> 1 (weight 3), 1 -> 0, 1 -> 2, 2 -> 2 (self-loop), 3 -> 2
ADJACENCY = sp.csr_array(np.array([[0, 3, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]], dtype=np.float32))
FEATURES = sp.csr_array(np.array([[1, 0], [0, 2], [3, 0], [0, 4]], dtype=np.float32))


def robustness_arrays() -> dict[str, np.ndarray]:
    arrays = {"labels": np.array([0, 1, 0, 1], dtype=np.int8), "class_names": np.array(["good", "bad"])}
    for prefix, matrix in (("adj", ADJACENCY), ("attr", FEATURES)):
        arrays |= {
            f"{prefix}_data": matrix.data,
            f"{prefix}_indices": matrix.indices,
            f"{prefix}_indptr": matrix.indptr,
            f"{prefix}_shape": np.array(matrix.shape),
        }
    return arrays


def saved(path: Path, **changes: np.ndarray) -> Path:
    np.savez(path, **(robustness_arrays() | changes))
    return path


def test_robustness_layout_is_read(tmp_path):
    graph = read_graph(saved(tmp_path / "g.npz")).graph
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert graph.features.toarray().tolist() == FEATURES.toarray().tolist()
    assert graph.labels.tolist() == [0, 1, 0, 1]
    assert (graph.repairs.weighted, graph.repairs.self_loops, graph.repairs.directed) == (1, 1, 2)
    assert graph.name == "g"


def test_dense_features_are_read(tmp_path):
    arrays = {name: array for name, array in robustness_arrays().items() if not name.startswith("attr")}
    np.savez(tmp_path / "g.npz", attr_matrix=np.asfortranarray(FEATURES.toarray()), **arrays)
    assert read_graph(tmp_path / "g.npz").graph.features.tolist() == FEATURES.toarray().tolist()


def test_same_format_drops_only_the_entries_of_dropped_edges(tmp_path, kept):
    read_graph(saved(tmp_path / "g.npz")).write(tmp_path / "out.npz", np.array([False, True, True]))
    with np.load(tmp_path / "out.npz") as result:
        after = {name: result[name] for name in result.files}
    before = robustness_arrays()
    assert set(after) == set(before)
    matrix = sp.csr_array((after["adj_data"], after["adj_indices"], after["adj_indptr"]), shape=after["adj_shape"])
    assert matrix.toarray().tolist() == [[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]]
    for name in set(before) - {"adj_data", "adj_indices", "adj_indptr"}:
        assert np.array_equal(after[name], before[name])
    assert {name: after[name].dtype for name in before} == {name: before[name].dtype for name in before}


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_scipy_layout_keeps_its_layout_weights_and_loops(tmp_path, layout):
    sp.save_npz(tmp_path / "g.npz", ADJACENCY.asformat(layout))
    np.save(tmp_path / "x.npy", FEATURES.toarray())
    loaded = read_graph(tmp_path / "g.npz", features=tmp_path / "x.npy")
    assert loaded.graph.features.tolist() == FEATURES.toarray().tolist()
    loaded.write(tmp_path / "out.npz", np.array([True, False, True]))
    result = sp.load_npz(tmp_path / "out.npz")
    assert (result.format, result.dtype) == (layout, np.float32)
    assert result.toarray().tolist() == [[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]


def test_graph_round_trip_keeps_splits_and_names(tmp_path, path_graph):
    write_graph(path_graph, tmp_path / "g.npz")
    graph = read_graph(tmp_path / "g.npz").graph
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.features.tolist() == path_graph.features.tolist()
    for part in ("labels", "train", "val", "test", "node_ids"):
        assert getattr(graph, part).tolist() == getattr(path_graph, part).tolist()


def test_labels_file_wins_over_the_labels_inside(tmp_path, text):
    labels = text("labels.txt", "cat\ndog\ncat\nemu\n")
    assert read_graph(saved(tmp_path / "g.npz"), labels=labels).graph.labels.tolist() == [0, 1, 0, 2]


def test_a_pickled_array_that_is_needed_is_refused(tmp_path, refused):
    path = saved(tmp_path / "g.npz", labels=np.array([0, "a", None, 1], dtype=object))
    assert "pickled" in refused(lambda: read_graph(path), error=UnreadableFileError)
    np.savez(tmp_path / "p.npz", graph=np.array({"edges": [1]}, dtype=object))
    assert "pickled" in refused(lambda: read_graph(tmp_path / "p.npz"), error=UnreadableFileError)


def test_other_pickled_arrays_are_copied_unread(tmp_path):
    path = saved(tmp_path / "g.npz", idx_to_node=np.array({0: "ann"}, dtype=object))
    with pytest.warns(GraphWarning, match="idx_to_node not read"):
        loaded = read_graph(path)
    loaded.write(tmp_path / "out.npz", np.ones(3, dtype=bool))
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(tmp_path / "out.npz") as after:
        assert before.read("idx_to_node.npy") == after.read("idx_to_node.npy")


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"adj_shape": np.array([10**15, 10**15])}, MemoryLimitError, "of memory"),
        ({"adj_shape": np.array([5, 5])}, UnreadableFileError, "declares 5 rows"),
        ({"adj_shape": np.array([4.0, 4.0])}, UnreadableFileError, "declares no matrix shape"),
        ({"adj_indptr": np.array([0, 1, 9, 4, 5])}, UnreadableFileError, "row pointer"),
        ({"adj_indices": np.array([1, 0, 2, 2, 7])}, InvalidGraphError, "position 7"),
        ({"adj_indices": np.array([-1, 0, 2, 2, 2])}, InvalidGraphError, "position -1"),
        ({"adj_data": np.ones(3)}, UnreadableFileError, "3 values for 5 positions"),
        ({"adj_data": np.array([1, 1, np.nan, 1, 1])}, InvalidGraphError, "NaN or infinite weights"),
        ({"adj_data": np.zeros(5)}, InvalidGraphError, "no edges"),
        ({"attr_data": np.array([1, np.inf, 1, 1])}, InvalidGraphError, "infinite value at node 1, column 1"),
        ({"attr_data": np.array(list("abcd"))}, UnreadableFileError, "not numbers"),
        ({"attr_shape": np.array([4, 10**15])}, MemoryLimitError, "of memory"),
        ({"labels": np.array([0, 1])}, InvalidGraphError, "labels have shape"),
        ({"node_ids": np.array([0.5] * 4)}, UnreadableFileError, "node_ids"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refused, changes, error, reason):
    path = saved(tmp_path / "g.npz", **changes)
    assert reason in refused(lambda: read_graph(path), error=error)


def test_a_coo_matrix_cannot_declare_nodes_without_end(tmp_path, refused):
    parts = {"row": np.array([0]), "col": np.array([1]), "data": np.ones(1), "shape": np.array([10**15] * 2)}
    np.savez(tmp_path / "g.npz", format=np.array(b"coo"), **parts)
    assert "1000000000000000" in refused(lambda: read_graph(tmp_path / "g.npz"), error=MemoryLimitError)


def test_missing_array_other_layout_and_unrelated_files_are_named(tmp_path, refused):
    arrays = robustness_arrays()
    del arrays["adj_indices"]
    np.savez(tmp_path / "g.npz", **arrays)
    assert "lacks the array adj_indices" in refused(lambda: read_graph(tmp_path / "g.npz"))
    sp.save_npz(tmp_path / "dia.npz", sp.eye_array(3, k=1, format="dia"))
    assert "'dia' matrix" in refused(lambda: read_graph(tmp_path / "dia.npz"))
    np.savez(tmp_path / "other.npz", weather=np.zeros(3))
    assert "found weather" in refused(lambda: read_graph(tmp_path / "other.npz"))


def test_a_member_larger_than_memory_is_refused_before_it_is_inflated(tmp_path, refused, monkeypatch):
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(10_000_000))
    arrays = {name: array for name, array in robustness_arrays().items() if not name.startswith("attr")}
    np.savez_compressed(tmp_path / "bomb.npz", attr_matrix=np.zeros((4, 625_000)), **arrays)
    assert (tmp_path / "bomb.npz").stat().st_size < 100_000
    assert "of memory" in refused(lambda: read_graph(tmp_path / "bomb.npz"), error=MemoryLimitError)


def test_an_array_header_that_claims_more_than_the_file_holds_is_refused(tmp_path, refused):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 10**3)})
    (tmp_path / "x.npy").write_bytes(stream.getvalue())
    sp.save_npz(tmp_path / "g.npz", ADJACENCY)
    reason = refused(lambda: read_graph(tmp_path / "g.npz", features=tmp_path / "x.npy"))
    assert "does not match its size" in reason


def test_the_public_cora_file_is_read_and_written_back(tmp_path):
    """It has pickled name tables beside the arrays that matter."""
    source = Path(os.environ.get("KCES_DATA_ROOT", "")) / "gnn-meta-attack" / "data" / "cora.npz"
    if not source.is_file():
        pytest.skip("needs the public data: set KCES_DATA_ROOT")
    loaded = read_graph(source)
    assert (loaded.graph.n_nodes, loaded.graph.n_edges, loaded.graph.n_features) == (2708, 5278, 1433)
    assert loaded.graph.n_classes == 7
    kept = np.arange(5278) % 2 == 0
    loaded.write(tmp_path / "out.npz", kept)
    assert np.array_equal(read_graph(tmp_path / "out.npz").graph.edges, loaded.graph.edges[kept])
