"""Converting: what a stream writes is what the readers in memory find, without the edge list in memory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kces.datasets.builtin import synthetic
from kces.errors import AmbiguousInputError, InvalidGraphError, InvalidParameterError, KCESError, OutputError
from kces.graph import Graph
from kces.interop import read_graph
from kces.interop.formats.base import EdgeOptions
from kces.interop.graph_files import write_graph
from kces.interop.node_columns import FeatureOptions
from kces.scale.convert_graph import convert
from kces.scale.graph_folder import GraphFolder


def messy_links(n_nodes: int = 60, seed: int = 0) -> pd.DataFrame:
    """Both directions of some links, repeats, loops, in no order."""
    draw = np.random.default_rng(seed)
    links = pd.DataFrame(draw.integers(0, n_nodes, (4 * n_nodes, 2)), columns=["source", "target"])
    links = pd.concat([links, links.iloc[:20], links.iloc[:30].set_axis(["target", "source"], axis=1)])
    return links.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def same_graph(folder: GraphFolder, graph: Graph) -> None:
    """All that a graph says, whichever way it came."""
    found = folder.to_graph()
    assert folder.n_edges == graph.n_edges
    np.testing.assert_array_equal(folder.edges, graph.edges)
    np.testing.assert_array_equal(found.adjacency.indptr, graph.adjacency.indptr)
    np.testing.assert_array_equal(found.adjacency.indices, graph.adjacency.indices)
    np.testing.assert_array_equal(_dense(found.features), _dense(graph.features))
    for name in ("labels", "train", "val", "test"):
        np.testing.assert_array_equal(getattr(found, name), getattr(graph, name))
    assert found.feature_names == graph.feature_names
    assert found.repairs.duplicates == graph.repairs.duplicates
    assert found.repairs.self_loops == graph.repairs.self_loops
    names = [None if each.node_ids is None else each.node_ids.tolist() for each in (found, graph)]
    assert names[0] == names[1]


def _dense(features: object) -> np.ndarray:
    return features.toarray() if sp.issparse(features) else np.asarray(features)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_links_in_a_stream_are_the_links_in_memory(tmp_path: Path, ending: str) -> None:
    links, file = messy_links(), tmp_path / f"links{ending}"
    links.to_parquet(file) if ending == ".parquet" else links.to_csv(file, index=False)
    same_graph(convert(file, tmp_path / "g.kces"), read_graph(file).graph)


def test_many_files_are_one_table(tmp_path: Path) -> None:
    links = messy_links()
    for part in range(3):
        links.iloc[part::3].to_parquet(tmp_path / f"part-{part}.parquet")
    links.to_parquet(tmp_path / "all.parquet")
    same_graph(convert(tmp_path / "part-*.parquet", tmp_path / "g.kces"), read_graph(tmp_path / "all.parquet").graph)


def test_a_batch_never_parts_the_copies_of_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kces.scale.streamed_edges._BATCH", 7)
    links = messy_links(n_nodes=12)
    links.to_parquet(tmp_path / "links.parquet")
    same_graph(convert(tmp_path / "links.parquet", tmp_path / "g.kces"), read_graph(tmp_path / "links.parquet").graph)


@pytest.mark.parametrize("scale", ["auto", "standard", "none"])
@pytest.mark.parametrize("kind", ["apart", "alike", "counts", "words", "lists", "single", "strangers", "answers"])
def test_features_in_a_stream_are_those_in_memory(tmp_path: Path, scale: str, kind: str) -> None:
    links, draw = messy_links(), np.random.default_rng(1)
    people = pd.DataFrame({"id": draw.permutation(60), "label": draw.integers(0, 3, 60)})
    if kind == "apart":
        people = people.assign(age=draw.normal(40, 10, 60), cents=draw.normal(0, 1e6, 60), vip=draw.integers(0, 2, 60))
    elif kind == "alike":
        people = people.assign(**{f"x{place}": draw.standard_normal(60) for place in range(20)}, same=3.0)
    elif kind == "counts":
        people = people.assign(**{f"w{place}": draw.integers(0, 2, 60) * draw.integers(0, 2, 60) for place in range(5)})
    elif kind == "words":
        people = people.assign(city=draw.choice(["Oslo", "Rome"], 60), age=[None, *range(59)])
    elif kind == "strangers":
        links = links[(links < 40).all(axis=1)]
        cents = np.where(people["id"] < 40, draw.normal(0, 1e6, 60), 1e9)
        people = people.assign(age=draw.normal(40, 10, 60), cents=cents)
    elif kind == "answers":
        people = people.assign(vip=draw.random(60) < 0.5, active=draw.integers(0, 2, 60))
    elif kind == "lists":
        people = people.assign(embedding=list(draw.standard_normal((60, 3))), age=draw.normal(40, 10, 60))
    else:
        people = people.assign(age=draw.normal(40, 10, 60))
    links.to_parquet(tmp_path / "links.parquet")
    people.to_parquet(tmp_path / "people.parquet")
    folder = convert(
        tmp_path / "links.parquet",
        tmp_path / "g.kces",
        nodes=tmp_path / "people.parquet",
        feature_options=FeatureOptions(scale=scale),
    )
    expected = read_graph(tmp_path / "links.parquet", features=tmp_path / "people.parquet", scale=scale).graph
    assert folder.manifest.feature_names == expected.feature_names
    np.testing.assert_allclose(folder.rows(0, 60), expected.features, atol=1e-12)
    np.testing.assert_array_equal(folder.to_graph().labels, expected.labels)


def test_words_name_nodes(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("payer,payee,amount\nzoë,bob,3\nbob,007,4\n007,zoë,5\n")
    (tmp_path / "people.csv").write_text("name,age,score\nbob,30,1\n007,40,2\nzoë,50,3\neve,60,4\n")
    folder = convert(tmp_path / "links.csv", tmp_path / "g.kces", nodes=tmp_path / "people.csv")
    graph = folder.to_graph()
    assert graph.node_ids.tolist() == ["007", "bob", "eve", "zoë"]
    assert folder.ids.numbers(["zoë", "eve", "nobody"]).tolist() == [3, 2, -1]
    assert folder.edges.tolist() == [[0, 1], [0, 3], [1, 3]]


def test_words_in_a_text_table_are_features(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("payer,payee\nann,bob\nbob,cy\ncy,ann\ncy,dee\n")
    (tmp_path / "people.csv").write_text("name,city,age\nann,Lima,30\nbob,Lima,31\ncy,Rome,\ndee,Rome,33\n")
    folder = convert(tmp_path / "links.csv", tmp_path / "g.kces", nodes=tmp_path / "people.csv")
    expected = read_graph(tmp_path / "links.csv", features=tmp_path / "people.csv").graph
    assert folder.manifest.feature_names == expected.feature_names
    np.testing.assert_allclose(folder.rows(0, 4), expected.features, atol=1e-12)


def test_a_node_that_the_table_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("source,target\n1,2\n2,9\n")
    (tmp_path / "people.csv").write_text("id,age,size\n1,30,1\n2,40,2\n")
    with pytest.raises(InvalidGraphError, match="names node 9, which is not among the nodes"):
        convert(tmp_path / "links.csv", tmp_path / "g.kces", nodes=tmp_path / "people.csv")
    assert not list(tmp_path.glob("*.kces")), "nothing half-written is left"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_ambiguous_ends_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("a,b,c\n1,2,3\n2,3,1\n3,1,2\n")
    with pytest.raises(AmbiguousInputError, match="which two"):
        convert(tmp_path / "links.csv", tmp_path / "g.kces")
    folder = convert(tmp_path / "links.csv", tmp_path / "g.kces", edge_options=EdgeOptions("a", "c"))
    assert folder.n_edges == 3


@pytest.mark.parametrize("sparse", [False, True])
def test_npz_in_a_stream(tmp_path: Path, sparse: bool) -> None:
    graph = synthetic(n=80, seed=2)
    if sparse:
        matrix = sp.csr_array(np.where(graph.features > 1.0, graph.features, 0.0))
        graph = Graph.from_edges(graph.edges, matrix, n_nodes=80, labels=graph.labels)
    write_graph(graph, tmp_path / "g.npz")
    same_graph(convert(tmp_path / "g.npz", tmp_path / "g.kces"), read_graph(tmp_path / "g.npz").graph)


def test_layout_of_ogb(tmp_path: Path) -> None:
    graph, raw = synthetic(n=50, seed=3), tmp_path / "ogbn" / "raw"
    raw.mkdir(parents=True)
    singles = graph.features.astype(np.float32)
    tables = {"edge": graph.edges, "node-feat": singles, "node-label": graph.labels[:, None], "num-node-list": [[50]]}
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(raw / f"{name}.csv.gz", header=False, index=False)
    folder = convert(tmp_path / "ogbn", tmp_path / "g.kces")
    np.testing.assert_array_equal(folder.edges, graph.edges)
    np.testing.assert_allclose(folder.rows(0, 50), singles, rtol=1e-6)
    np.testing.assert_array_equal(folder.array("labels"), graph.labels)

    for file in raw.iterdir():
        file.unlink()
    for links in (graph.edges.T, np.ascontiguousarray(graph.edges.T)):
        np.savez(raw / "data.npz", edge_index=links, node_feat=singles, num_nodes_list=np.array([50]))
        again = convert(tmp_path / "ogbn", tmp_path / "again.kces", force=True)
        np.testing.assert_array_equal(again.edges, graph.edges)
        np.testing.assert_array_equal(again.rows(0, 50), singles)


def test_a_folder_that_exists_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    graph = synthetic(n=40, seed=0)
    convert(graph, tmp_path / "g.kces")
    with pytest.raises(OutputError, match="exists"):
        convert(graph, tmp_path / "g.kces")
    convert(synthetic(n=30, seed=0), tmp_path / "g.kces", force=True)
    assert GraphFolder.open(tmp_path / "g.kces").n_nodes == 30
    (tmp_path / "mine").mkdir()
    with pytest.raises(OutputError, match="no graph folder"):
        convert(graph, tmp_path / "mine", force=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "links"), ("source\n1\n", "no edge list"), ("source,target\n1,1\n", "no edges"), ("a,b\n1,\n", "without")],
)
def test_bad_tables_are_one_line(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "links.csv").write_text(content)
    with pytest.raises(KCESError, match=said) as error:
        convert(tmp_path / "links.csv", tmp_path / "g.kces")
    assert "\n" not in str(error.value)


def test_what_cannot_be_streamed_says_so(tmp_path: Path) -> None:
    (tmp_path / "g.npz").write_bytes(gzip.compress(b"no zip"))
    with pytest.raises(KCESError, match="npz"):
        convert(tmp_path / "g.npz", tmp_path / "g.kces")
    (tmp_path / "links.csv").write_text("source,target\n1,2\n")
    with pytest.raises(InvalidParameterError, match="give one"):
        convert(tmp_path / "links.csv", tmp_path / "g.kces", feature_options=FeatureOptions(scale="none"))


def test_the_manifest_tells_where_it_came_from(tmp_path: Path) -> None:
    messy_links().to_parquet(tmp_path / "links.parquet")
    convert(tmp_path / "links.parquet", tmp_path / "g.kces")
    said = json.loads((tmp_path / "g.kces" / "manifest.json").read_text())
    assert said["made_by"]["source"].endswith("links.parquet")
    assert said["version"] == 1
