"""Graph folders that were tampered with: none is followed where it leads, even if its checksums are right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kces.datasets.builtin import synthetic
from kces.errors import UnreadableFileError
from kces.graph import Graph
from kces.interop import read_graph
from kces.scale.folder_manifest import MANIFEST, file_hash
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    drawn = synthetic(n=40, seed=0)
    names = [f"node {number}" for number in range(40)]
    graph = Graph.from_edges(drawn.edges, drawn.features, labels=drawn.labels, train=drawn.train, node_ids=names)
    return write_graph_folder(graph, tmp_path / "dense.kces").path


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    words = sp.csr_array(sp.random_array((40, 600), density=0.05, rng=np.random.default_rng(0)))
    return write_graph_folder(Graph.from_edges(synthetic(n=40, seed=0).edges, words), tmp_path / "sparse.kces").path


def tampered(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Another array in place of one, with the right checksum."""
    file = folder / f"{name}.npy"
    np.save(file, change(np.load(file)))
    said = json.loads((folder / MANIFEST).read_text())
    said["files"][file.name] |= {"bytes": file.stat().st_size, "sha256": file_hash(file)}
    (folder / MANIFEST).write_text(json.dumps(said))


def with_last(value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.reshape(-1)[-1] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("edges", with_last(10**6)),
        ("edges", with_last(-1)),
        ("edges", lambda edges: edges[:-1]),
        ("edges", lambda edges: edges.astype(float)),
        ("indices", with_last(40)),
        ("indptr", with_last(10**9)),
        ("indptr", lambda pointer: pointer[::-1].copy()),
        ("indptr", lambda pointer: np.concatenate([pointer[:1], pointer[2:3], pointer[1:2], pointer[3:]])),
        ("train", with_last(40)),
        ("labels", lambda labels: labels[:3]),
        ("ids_ends", with_last(10**9)),
        ("ids_ends", lambda ends: np.concatenate([ends[1:2], ends[:1], ends[2:]])),
        ("features_0000", with_last(np.nan)),
        ("features_0000", lambda rows: rows[:-1]),
        ("features_0000", lambda rows: rows.astype(str)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(dense: Path, name: str, change: Callable[[Any], Any]) -> None:
    GraphFolder.open(dense).verify()
    tampered(dense, name, change)
    with pytest.raises(UnreadableFileError, match=f"{name}.npy is damaged"):
        GraphFolder.open(dense).verify()
    with pytest.raises(UnreadableFileError, match=f"{name}.npy is damaged"):
        read_graph(dense)


@pytest.mark.parametrize(
    ("part", "change"),
    [("data", with_last(np.inf)), ("indices", with_last(600)), ("indptr", with_last(10**9))],
)
def test_sparse_features_too(sparse: Path, part: str, change: Callable[[Any], Any]) -> None:
    GraphFolder.open(sparse).verify()
    tampered(sparse, f"features_0000_{part}", change)
    with pytest.raises(UnreadableFileError, match="is damaged"):
        GraphFolder.open(sparse).verify()


@pytest.mark.parametrize(
    "change",
    [
        {"n_nodes": -5},
        {"n_nodes": 60.5},
        {"n_nodes": True},
        {"n_features": 10**9},
        {"column_blocks": [[5, 3]]},
        {"column_blocks": [["a", "b"]]},
        {"files": {"../../secret.npy": {"bytes": 1, "sha256": "", "dtype": "<f8", "shape": [1]}}},
        {"files": {"edges.npy": {"bytes": 1}}},
        {"files": []},
        {"notes": 3},
        {"repairs": {"self_ooops": 0}},
        {"repairs": {"directed": "many"}},
        {"repairs": []},
    ],
    ids=str,
)
def test_a_manifest_that_declares_nonsense(dense: Path, change: dict[str, object]) -> None:
    said = json.loads((dense / MANIFEST).read_text())
    (dense / MANIFEST).write_text(json.dumps(said | change))
    with pytest.raises(UnreadableFileError, match="is damaged") as refusal:
        GraphFolder.open(dense)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", ["", "{{", "[]", "null", "[" * 100_000])
def test_a_manifest_that_is_none(dense: Path, content: str) -> None:
    (dense / MANIFEST).write_text(content)
    with pytest.raises(UnreadableFileError, match="convert the graph again"):
        GraphFolder.open(dense)
