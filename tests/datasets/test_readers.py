"""Readers on small look-alikes written by the tests, and on hostile or damaged files."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from kces import datasets
from kces.datasets import arxiv, planetoid
from kces.datasets.coauthor import read_coauthor
from kces.datasets.flickr import read_flickr
from kces.datasets.npz_graphs import read_adjacency, read_heterophilous, read_meta_attack
from kces.datasets.planetoid import read_planetoid, restricted_load
from kces.datasets.splits import prognn_split
from kces.datasets.summary import graph_facts
from kces.errors import GraphWarning, InvalidParameterError, UnreadableFileError


def toy_split(*nodes: int) -> dict[str, Any]:
    return {part: np.array([node]) for part, node in zip(("train", "val", "test"), nodes, strict=True)}


# -- pickles ------------------------------------------------------------------------------------------


class Malicious:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (f"touch {self.marker}",)


@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_that_runs_a_command_is_refused(tmp_path: Path, protocol: int) -> None:
    marker = tmp_path / "owned"
    for payload in (Malicious(marker), {0: [Malicious(marker)]}):
        with pytest.raises(pickle.UnpicklingError, match=r"asks for (posix|nt)\.system"):
            restricted_load(io.BytesIO(pickle.dumps(payload, protocol=protocol)))
    assert not marker.exists()


@pytest.mark.parametrize(
    "text", [b"cbuiltins\neval\n.", b"c__builtin__\neval\n.", b"cnumpy\nload\n.", b"cscipy.io\nloadmat\n."]
)
def test_no_function_outside_the_list_can_be_named(text: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match="not allowed"):
        restricted_load(io.BytesIO(text))


def test_a_malicious_planetoid_part_is_a_user_error(tmp_path: Path) -> None:
    paths = write_planetoid(tmp_path)
    paths["graph"].write_bytes(pickle.dumps(Malicious(tmp_path / "owned"), protocol=2))
    with pytest.raises(UnreadableFileError, match=r"refused to read .*ind\.toy\.graph: it asks for"):
        read_planetoid(paths, "toy", {})
    assert not (tmp_path / "owned").exists()
    paths["graph"].write_bytes(b"\x80\x02]q")
    with pytest.raises(UnreadableFileError, match="refused to read"):
        read_planetoid(paths, "toy", {})


class Python2Pickler(pickle._Pickler):  # type: ignore[name-defined,misc]
    """Writes bytes as Python 2 wrote its strings."""

    dispatch: ClassVar[dict[Any, Any]] = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def save_bytes(self, value: bytes) -> None:
        self.write(pickle.BINSTRING + struct.pack("<i", len(value)) + value)
        self.memoize(value)

    dispatch[bytes] = save_bytes


def dump_like_python2(content: Any) -> bytes:
    buffer = io.BytesIO()
    Python2Pickler(buffer, protocol=2).dump(content)
    return buffer.getvalue()


def with_old_names(text: bytes) -> bytes:
    """As old scipy and numpy wrote them: the modules' names of that time."""
    text = text.replace(b"cscipy.sparse._csr\n", b"cscipy.sparse.csr\n")
    return text.replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")


def write_coauthor(path: Path, adjacency: Any) -> Path:
    """An archive whose matrices are arrays of one object, as numpy writes them."""
    arrays = {"adj_matrix": adjacency, "node_attr": sp.csr_matrix(np.eye(4)), "node_label": np.array([0, 0, 1, 1])}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in arrays.items():
            held = content if isinstance(content, np.ndarray) else np.array(content, dtype=object)
            buffer = io.BytesIO()
            np.lib.format.write_array_header_1_0(buffer, np.lib.format.header_data_from_array_1_0(held))
            data = held.tobytes() if held.dtype != object else with_old_names(pickle.dumps(held, protocol=3))
            archive.writestr(f"{name}.npy", buffer.getvalue() + data)
    return path


def test_a_graph_of_pickled_matrices_is_read_undirected(tmp_path: Path) -> None:
    one_way = sp.csr_matrix(([1.0, 1.0], ([0, 2], [1, 1])), shape=(4, 4))
    graph = read_coauthor(write_coauthor(tmp_path / "toy.npz", one_way), "toy", 0)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 0, 1, 1]
    assert graph.train is not None
    assert len(graph.train) == 2


def test_a_malicious_matrix_is_refused(tmp_path: Path) -> None:
    file = write_coauthor(tmp_path / "toy.npz", Malicious(tmp_path / "owned"))
    with pytest.raises(UnreadableFileError, match=r"refused to read adj_matrix of .*it asks for"):
        read_coauthor(file, "toy", 0)
    assert not (tmp_path / "owned").exists()


def write_planetoid(folder: Path) -> dict[str, Path]:
    """Five nodes; the test nodes are stored in the order 4, 3 of test.index."""
    contents: dict[str, Any] = {
        "allx": sp.csr_matrix(np.diag([1.0, 2.0, 3.0])[:, :3]),
        "tx": sp.csr_matrix(np.array([[0.0, 0.0, 40.0], [0.0, 30.0, 0.0]])),
        "ally": np.eye(2)[[0, 1, 0]],
        "ty": np.eye(2)[[0, 1]],
        "graph": {0: [1, 1, 0], 1: [0, 2], 2: [1], 3: [4], 4: [3, 2]},
    }
    paths = {part: folder / f"ind.toy.{part}" for part in planetoid.PARTS}
    for part, content in contents.items():
        paths[part].write_bytes(with_old_names(dump_like_python2(content)))
    paths["test.index"].write_text("4\n3\n")
    return paths


def test_planetoid_rows_follow_the_test_index(tmp_path: Path) -> None:
    graph = read_planetoid(write_planetoid(tmp_path), "toy", toy_split(0, 1, 3))
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 4], [3, 4]]
    assert sp.csr_array(graph.features).toarray()[3:].tolist() == [[0.0, 30.0, 0.0], [0.0, 0.0, 40.0]]
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 1, 0, 1, 0]
    assert str(graph.repairs) == ""


# -- numpy archives -----------------------------------------------------------------------------------


def test_the_largest_component_is_taken_undirected_without_loops(tmp_path: Path) -> None:
    # 0-1 apart; 2-3-4 a directed path with a loop at 3 and a doubled edge.
    rows, columns = [0, 2, 3, 4, 3], [1, 3, 4, 3, 3]
    adjacency = sp.csr_array((np.ones(5, dtype=np.float32), (rows, columns)), shape=(5, 5))
    arrays = {f"adj_{part}": getattr(adjacency, part) for part in ("data", "indices", "indptr", "shape")}
    np.savez(tmp_path / "toy.npz", labels=np.arange(5), **arrays)
    graph = read_meta_attack(tmp_path / "toy.npz", "toy", toy_split(0, 1, 2))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.labels is not None
    assert graph.labels.tolist() == [2, 3, 4]
    assert sp.csr_array(graph.features).toarray().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("content", [b"", b"not an archive"])
def test_damaged_archives_are_user_errors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    for read in (
        lambda: read_meta_attack(path, "toy", {}),
        lambda: read_heterophilous(path, "toy", 0),
        lambda: read_adjacency(path),
        lambda: prognn_split(path),
    ):
        with pytest.raises(UnreadableFileError, match=r"damaged\.npz"):
            read()


def test_a_heterophilous_split_is_chosen_by_number(tmp_path: Path) -> None:
    masks = np.zeros((10, 3), dtype=bool)
    masks[:, 0] = True
    masks[7] = [False, False, True]
    np.savez(
        tmp_path / "toy.npz",
        node_features=np.eye(3, dtype=np.float32),
        node_labels=np.array([0, 1, 1]),
        edges=np.array([[0, 1], [1, 2], [0, 2]]),
        train_masks=masks,
        val_masks=masks,
        test_masks=masks,
    )
    parts = [read_heterophilous(tmp_path / "toy.npz", "toy", split).train for split in (0, 7)]
    assert [part.tolist() for part in parts if part is not None] == [[0], [2]]
    for split in (-1, 10):
        with pytest.raises(InvalidParameterError, match="splits 0 to 9"):
            read_heterophilous(tmp_path / "toy.npz", "toy", split)


# -- flickr -------------------------------------------------------------------------------------------


def write_flickr(path: Path, features: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flickr/flickr.label", "\n".join("01" * 10))
        archive.writestr("flickr/flickr.edge", "".join(f"{i}\t{i + 1}\n{i + 1}\t{i}\n" for i in range(19)))
        archive.writestr("flickr/flickr.feature", features)


def test_flickr_is_parsed_once_and_then_read_from_the_cache(tmp_path: Path) -> None:
    archive, cache = tmp_path / "flickr.zip", tmp_path / "cache" / "flickr.npz"
    write_flickr(archive, "0 1 0\n1 0 1\n" * 10)
    first = read_flickr(archive, cache)
    assert first.n_edges == 19
    assert sp.csr_array(first.features).toarray()[:2].tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    assert [len(part) for part in (first.train, first.val, first.test) if part is not None] == [2, 2, 16]
    archive.unlink()
    again = read_flickr(archive, cache)
    assert (sp.csr_array(again.features) != sp.csr_array(first.features)).nnz == 0
    assert again.edges.tolist() == first.edges.tolist()


def test_a_damaged_or_unwritable_flickr_cache_is_only_slower(tmp_path: Path) -> None:
    archive, cache = tmp_path / "flickr.zip", tmp_path / "flickr.npz"
    write_flickr(archive, "0 1 0\n1 0 1\n" * 10)
    cache.write_bytes(b"PK damaged")
    assert read_flickr(archive, cache).n_nodes == 20
    assert read_flickr(archive, cache / "below" / "a file").n_nodes == 20


@pytest.mark.parametrize("features", ["0 1 0\n1 0\n" * 10, "0 1 0\n1 2 1\n" * 10, ""])
def test_a_damaged_flickr_archive_is_a_user_error(tmp_path: Path, features: str) -> None:
    write_flickr(tmp_path / "flickr.zip", features)
    with pytest.raises(UnreadableFileError, match="is not the Flickr archive"):
        read_flickr(tmp_path / "flickr.zip", tmp_path / "cache.npz")
    assert not (tmp_path / "cache.npz").exists()


# -- ogbn-arxiv ---------------------------------------------------------------------------------------


def write_ogb(root: Path) -> None:
    """Four papers in the layout of the ogb package: gzipped tables without a header."""
    tables = {
        "raw/edge.csv.gz": "0,1\n1,0\n1,2\n3,2\n3,3\n",
        "raw/node-feat.csv.gz": "0.5,-1\n0.25,2\n1,1\n0,3\n",
        "raw/node-label.csv.gz": "0\n1\n1\n0\n",
        "split/time/train.csv.gz": "0\n1\n",
        "split/time/valid.csv.gz": "2\n",
        "split/time/test.csv.gz": "3\n",
    }
    for name, text in tables.items():
        path = root / "ogbn_arxiv" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))


def check_ogb_look_alike(graph: Any) -> None:
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert graph.features.tolist() == [[0.5, -1.0], [0.25, 2.0], [1.0, 1.0], [0.0, 3.0]]
    assert graph.labels.tolist() == [0, 1, 1, 0]
    assert [part.tolist() for part in (graph.train, graph.val, graph.test)] == [[0, 1], [2], [3]]


def test_real_arxiv_features_are_read_from_ogb_files(tmp_path: Path) -> None:
    write_ogb(tmp_path)
    check_ogb_look_alike(datasets.load("ogbn-arxiv", tmp_path))


def test_the_ogb_package_is_asked_for_missing_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class NodePropPredDataset:
        def __init__(self, name: str, root: str) -> None:
            assert name == "ogbn-arxiv"
            write_ogb(Path(root))
            raise RuntimeError("a newer torch refuses its processed file")

    package: Any = type(sys)("ogb")
    module: Any = type(sys)("ogb.nodeproppred")
    module.NodePropPredDataset = NodePropPredDataset
    monkeypatch.setitem(sys.modules, "ogb", package)
    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", module)
    check_ogb_look_alike(datasets.load("ogbn-arxiv", tmp_path))


def test_a_damaged_ogb_table_is_a_user_error(tmp_path: Path) -> None:
    write_ogb(tmp_path)
    (tmp_path / "ogbn_arxiv" / "raw" / "edge.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(UnreadableFileError, match=r"edge\.csv\.gz is not a table of OGB"):
        datasets.load("ogbn-arxiv", tmp_path)


def test_made_up_arxiv_features_are_announced_and_repeat(tmp_path: Path) -> None:
    directed = sp.csr_array((np.ones(3, dtype=bool), ([0, 1, 2], [1, 2, 2])), shape=(3, 3))
    sp.save_npz(tmp_path / "adj.npz", directed)
    split = {f"{part}_idx": np.array([i]) for i, part in enumerate(("train", "val", "test"))}
    np.savez(tmp_path / "labels.npz", labels=np.array([0, 1, 0], dtype=np.int8), **split)
    with pytest.warns(GraphWarning, match="real features are not here"):
        graph = arxiv.read_structure(tmp_path / "adj.npz", tmp_path / "labels.npz", "toy")
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.features.shape == (3, 128)
    again = arxiv.read_structure(tmp_path / "adj.npz", tmp_path / "labels.npz", "toy")
    assert np.array_equal(graph.features, again.features)


# -- descriptions -------------------------------------------------------------------------------------


def test_unknown_labels_and_splits_are_described_as_none() -> None:
    from kces.graph import Graph

    summary = graph_facts(Graph.from_edges([[0, 1], [1, 2], [0, 2]]))
    assert summary["homophily"] is None
    assert summary["classes"] is None
    assert summary["train"] is None
    assert (summary["degree_mean"], summary["degree_max"], summary["components"]) == (2.0, 2, 1)
    unlabeled_ends = Graph.from_edges([[0, 1]], n_nodes=2, labels=[0, -1])
    assert graph_facts(unlabeled_ends)["homophily"] is None
