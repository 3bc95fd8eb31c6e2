"""An attacked graph comes back from a file with the nodes that are judged and the edges that the attack put in."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kces.datasets.attacked import AttackedGraph
from kces.datasets.attacked_files import attacked_files, read_attack_record, read_attacked, write_attacked
from kces.datasets.builtin import synthetic
from kces.errors import OutputError, UnreadableFileError
from kces.graph import Graph
from kces.interop.arrays import npy_bytes, read_members, write_members
from kces.interop.formats import format_named
from kces.interop.graph_files import read_graph, write_graph
from kces.node_pairs import are_edges

FORMATS = ["a.npz", "a.csv", "a.tsv", "a.csv.gz", "a.graphml", "a.pt"]


@pytest.fixture
def attacked() -> AttackedGraph:
    """Edges added and removed, one node without an edge left, four targets."""
    clean = synthetic(n=40, degree=4, features=5, seed=1)
    lonely = int(clean.edges[0, 0])
    kept = clean.edges[(clean.edges != lonely).all(axis=1)]
    free = np.array([[i, j] for i in range(40) for j in range(i + 1, 40) if lonely not in (i, j)])
    added = free[~are_edges(clean, free)][::30]
    graph = replace(clean.with_edges(np.concatenate([kept, added])), name="attacked")
    log = {"method": "nettack", "budget": 2.0, "seed": 3}
    return AttackedGraph(graph, clean, np.array([3, 7, 11, lonely]), log)


def features_file(folder: Path, graph: Graph) -> Path:
    np.save(folder / "features.npy", graph.features)
    return folder / "features.npy"


@pytest.mark.parametrize("name", FORMATS)
def test_the_way_through_a_file_changes_nothing_that_is_judged(tmp_path, attacked, name):
    files = write_attacked(attacked, tmp_path / name)
    assert [file.name for file in files] == ([name] if "npz" in name else [name, f"{name}.attack.npz"])
    features = features_file(tmp_path, attacked.graph) if "sv" in name else None
    back = read_attacked(tmp_path / name, features=features)
    assert np.array_equal(back.judged_nodes, attacked.judged_nodes)
    assert np.array_equal(back.graph.edges, attacked.graph.edges)
    assert np.array_equal(back.is_added, attacked.is_added)
    assert np.array_equal(back.removed, attacked.removed)
    np.testing.assert_allclose(back.graph.features, attacked.graph.features)
    for part in ("labels", "train", "val", "test"):
        assert np.array_equal(getattr(back.graph, part), getattr(attacked.graph, part))
    assert back.log == attacked.log


def test_an_edge_list_alone_gets_its_lonely_nodes_back(tmp_path, attacked):
    write_attacked(attacked, tmp_path / "a.csv")
    assert read_graph(tmp_path / "a.csv").graph.n_nodes < attacked.graph.n_nodes
    back = read_attacked(tmp_path / "a.csv")
    assert np.array_equal(back.graph.edges, attacked.graph.edges)
    assert np.array_equal(back.judged_nodes, attacked.judged_nodes)
    assert not back.graph.has_features


@pytest.mark.parametrize("name", ["a.npz", "a.csv"])
def test_names_of_nodes_and_their_order_do_not_matter(tmp_path, attacked, name):
    names = np.array([f"person {7 * node % 40}" for node in range(40)])
    named = replace(attacked, graph=replace(attacked.graph, node_ids=names))
    write_attacked(named, tmp_path / name)
    back = read_attacked(tmp_path / name)
    assert back.graph.ids_of(back.judged_nodes).tolist() == names[attacked.judged_nodes].tolist()
    assert np.array_equal(back.added, attacked.added)


def test_a_sanitized_file_keeps_the_record(tmp_path, attacked):
    write_attacked(attacked, tmp_path / "a.npz")
    loaded = read_graph(tmp_path / "a.npz")
    kept = np.arange(loaded.graph.n_edges) % 3 > 0
    loaded.write(tmp_path / "b.npz", kept)
    back = read_attacked(tmp_path / "b.npz")
    assert np.array_equal(back.judged_nodes, attacked.judged_nodes)
    assert np.array_equal(back.is_added, attacked.is_added[kept])


def test_without_a_record_nothing_was_attacked(tmp_path, attacked):
    write_graph(attacked.graph, tmp_path / "plain.npz")
    assert read_attack_record(tmp_path / "plain.npz") is None
    back = read_attacked(tmp_path / "plain.npz")
    assert back.targets is None
    assert not back.is_added.any()


def test_no_member_is_pickled(tmp_path, attacked):
    write_attacked(attacked, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as stored:
        record = {name: stored[name] for name in stored.files if name.startswith("attack_")}
    assert record["attack_targets"].tolist() == attacked.targets.tolist()
    assert (str(record["attack_method"]), float(record["attack_budget"])) == ("nettack", 2.0)


def test_a_record_of_another_graph_is_refused(tmp_path, attacked):
    write_attacked(attacked, tmp_path / "a.csv")
    pairs = np.stack(np.triu_indices(40, k=1), axis=1)
    strange = pairs[~are_edges(attacked.clean, pairs) & ~are_edges(attacked.graph, pairs)][0]
    for edge, unknown in ((strange, "edge {} - {}".format(*strange)), ([1, 99], "node 99")):
        edges = np.concatenate([attacked.graph.edges, [edge]])
        write_graph(Graph.from_edges(edges, n_nodes=100), tmp_path / "a.csv", force=True)
        with pytest.raises(UnreadableFileError, match=f"is of another graph: it does not know {unknown}"):
            read_attacked(tmp_path / "a.csv")


def test_features_of_some_nodes_are_not_stretched_over_all(tmp_path, attacked):
    write_attacked(attacked, tmp_path / "a.csv")
    ids = [str(node) for node in np.unique(attacked.graph.edges)]
    rows = "".join(f"{node},1.5\n" for node in ids)
    (tmp_path / "features.csv").write_text("id,age\n" + rows)
    with pytest.raises(UnreadableFileError, match="39 nodes with features, but 40 were attacked"):
        read_attacked(tmp_path / "a.csv", features=tmp_path / "features.csv")


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("clean_edges", np.array([[0, 40]])),
        ("clean_edges", np.array([[3, 2]])),
        ("clean_edges", np.array([[1, 2], [1, 2]])),
        ("clean_edges", np.array([1, 2])),
        ("added_edges", np.array([[0.5, 1.0]])),
        ("targets", np.array([-1])),
        ("labels", np.array([0, 1])),
        ("node_ids", np.arange(40)),
        ("seed", np.array([1, 2])),
        ("method", np.array(3)),
    ],
)
def test_damage_is_told(tmp_path, attacked, name, array):
    path = tmp_path / "a.npz"
    write_attacked(attacked, path)
    write_members(path, {**read_members(path), f"attack_{name}": npy_bytes(array)})
    with pytest.raises(UnreadableFileError, match=rf"array attack_{name} of .*a\.npz is missing or damaged"):
        read_attacked(path)


def test_neither_file_is_replaced_unasked(tmp_path, attacked):
    (tmp_path / "a.csv.attack.npz").write_text("precious")
    with pytest.raises(OutputError, match=r"a\.csv\.attack\.npz exists"):
        write_attacked(attacked, tmp_path / "a.csv")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv.attack.npz"]
    write_attacked(attacked, tmp_path / "a.csv", force=True)
    assert read_attacked(tmp_path / "a.csv").targets is not None


def test_nothing_is_put_beside_a_stream():
    assert [file.name for file in attacked_files("/dev/stdout", "csv")] == ["stdout"]
    assert [file.name for file in attacked_files("-")] == ["-"]


def test_neither_file_is_left_when_one_cannot_be_written(tmp_path, attacked, monkeypatch):
    write_attacked(attacked, tmp_path / "a.csv")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def no_room(graph, path):
        path.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    full = replace(format_named("csv"), write_graph=no_room)
    monkeypatch.setattr("kces.datasets.attacked_files.output_format", lambda *_: full)
    for name, force in (("b.csv", False), ("a.csv", True)):
        with pytest.raises(OutputError, match="No space left on device"):
            write_attacked(attacked, tmp_path / name, force=force)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_graph_folder_with_its_record_beside_it(tmp_path, attacked):
    for force in (False, True):
        files = write_attacked(attacked, tmp_path / "a.kces", force=force)
        assert [file.name for file in files] == ["a.kces", "a.kces.attack.npz"]
        back = read_attacked(tmp_path / "a.kces")
        assert np.array_equal(back.added, attacked.added)
    with pytest.raises(OutputError, match=r"a\.kces.* exists; use force"):
        write_attacked(attacked, tmp_path / "a.kces")
