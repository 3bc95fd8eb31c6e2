"""What every door promises, whatever the kind: same graph, same scores, values in the caller's order, same kind out."""

from __future__ import annotations

import subprocess
import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import kces
from graph_kinds import FEATURES, KINDS, N_NODES, RECORDS, GraphKind
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.interop import open_source
from kces.interop.adapters import SOURCES

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")  # torch on its own sparse tensors

# A batch is two graphs: it lacks the edge between them.
BETWEEN = frozenset({4, 9})


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> GraphKind:
    return request.param


def reference(kind: GraphKind) -> Graph:
    pairs = [(i, j) for i, j, _ in RECORDS if kind.name != "Batch" or {i, j} != BETWEEN]
    return Graph.from_edges(pairs, FEATURES, n_nodes=N_NODES)


def kept_mask(graph: Graph) -> np.ndarray:
    return np.arange(graph.n_edges) % 3 != 0


def test_the_graph_is_the_same(kind):
    graph, expected = open_source(kind.make()).graph, reference(kind)
    assert graph.edges.tolist() == expected.edges.tolist()
    dense = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
    assert dense.tolist() == FEATURES.tolist()
    assert graph.node_ids is None


def test_scores_are_the_same_and_stand_in_the_callers_order(kind):
    original, expected = kind.make(), reference(kind)
    scores = kces.score_edges(expected, preset="robust")
    source = open_source(original)
    of_pair = {tuple(pair): score for pair, score in zip(expected.edges.tolist(), scores, strict=True)}
    spread = source.spread(kces.score_edges(source.graph, preset="robust"), np.nan)
    records = kind.records(original)
    assert len(spread) == source.n_records == len(records)
    for (i, j, _), value in zip(records, spread, strict=True):
        assert np.isnan(value) if i == j else abs(value - of_pair[min(i, j), max(i, j)]) < 1e-12
    suspicious = source.spread(scores > np.median(scores), False)
    assert suspicious.dtype == bool
    assert not suspicious[[i == j for i, j, _ in records]].any()


def test_the_same_kind_comes_out_without_the_dropped_edges_and_the_input_stays(kind):
    original, before = kind.make(), kind.make()
    records = kind.records(before)
    source = open_source(original)
    kept = kept_mask(source.graph)
    dropped = {tuple(pair) for pair in source.graph.edges[~kept].tolist()}
    result = source.without(kept)
    assert type(result) is type(original)
    assert kind.records(result) == [record for record in records if tuple(sorted(record[:2])) not in dropped]
    assert kind.records(original) == records
    assert_rest_is_same(before, original)
    assert_rest_is_same(original, result)


def assert_rest_is_same(first: object, second: object) -> None:
    """Everything beside the edges."""
    if isinstance(first, tuple):
        assert type(first[0]) is type(second[0])
        assert first[0].shape[1] == second[0].shape[1]
        assert isinstance(first[0], pd.DataFrame) is hasattr(second[0], "iloc")
        if hasattr(first[0], "dtype"):
            assert first[0].dtype == second[0].dtype
        if isinstance(first[0], pd.DataFrame):
            assert first[0].dtypes.equals(second[0].dtypes)
            assert first[0].columns.equals(second[0].columns)
        if hasattr(first[0], "schema"):
            assert first[0].schema == second[0].schema
        assert np.array_equal(np.asarray(first[1]), np.asarray(second[1]))
    elif isinstance(first, Graph):
        assert first.features is second.features or np.array_equal(first.features, second.features)
    elif hasattr(first, "nodes"):
        assert dict(first.nodes(data=True)) == dict(second.nodes(data=True))
        assert first.graph == second.graph
    elif hasattr(first, "vs"):
        assert first.vs["x"] == second.vs["x"]
        assert (first["title"], first.is_directed()) == (second["title"], second.is_directed())
    else:
        assert first.keys() == second.keys()
        assert first.x.equal(second.x)
        assert first.title == second.title


def test_keeping_and_dropping_all(kind):
    original = kind.make()
    source = open_source(original)
    n_edges = source.graph.n_edges
    assert kind.records(source.without(np.ones(n_edges, dtype=bool))) == kind.records(original)
    emptied = source.without(np.zeros(n_edges, dtype=bool))
    assert kind.records(emptied) == [record for record in kind.records(original) if record[0] == record[1]]


def test_a_graph_without_edges_passes(kind):
    source = open_source(kind.make())
    emptied = source.without(np.zeros(source.graph.n_edges, dtype=bool))
    again = open_source(emptied)
    assert not again.has_edges
    none = np.empty(0)
    assert np.isnan(again.spread(none, np.nan)).all()
    assert again.n_records == len(kind.records(emptied))
    assert kind.records(again.without(np.empty(0, dtype=bool))) == kind.records(emptied)
    with pytest.raises(InvalidGraphError, match="the graph has no edges"):
        _ = again.graph


def test_a_mask_or_values_of_another_length_are_refused(kind):
    source = open_source(kind.make())
    n_edges = source.graph.n_edges
    with pytest.raises(InvalidParameterError, match=f"mask over the {n_edges} edges"):
        source.without([True])
    with pytest.raises(InvalidParameterError, match=f"1 values given for {n_edges} edges"):
        source.spread(np.ones(1), np.nan)


def test_every_registered_kind_is_under_contract():
    made = [kind.make() for kind in KINDS]
    edges = [each[0] if isinstance(each, tuple) else each for each in made]
    assert set(SOURCES.values()) == {type(open_source(each)) for each in edges}


def test_other_objects_are_refused_by_name(refused):
    assert "cannot read a graph from int; give a kces.Graph, a PyG Data" in refused(lambda: open_source(1))
    assert "a Graph takes no label" in refused(lambda: open_source(KINDS[0].make(), label="team"))
    assert "a KCES is no graph" in refused(lambda: open_source(kces.KCES()))


def test_the_same_attributes_of_nodes_become_the_same_features_through_every_door():
    """Columns of different scale are compared alike, whether a table, NetworkX or igraph brings them."""
    rng = np.random.default_rng(0)
    nodes = pd.DataFrame(
        {"age": rng.integers(18, 90, N_NODES), "cents": rng.normal(2e6, 5e5, N_NODES), "vip": FEATURES[:, 0] > 0}
    )
    edges = pd.DataFrame([(i, j) for i, j, _ in RECORDS], columns=["source", "target"])
    expected = Graph.from_pandas(edges, nodes)
    assert {name.partition(" near ")[0] for name in expected.feature_names} == {"age", "cents", "vip"}
    G = nx.Graph()
    G.add_nodes_from((node, dict(row)) for node, row in nodes.iterrows())
    G.add_edges_from(edges.itertuples(index=False))
    ring = igraph.Graph(n=N_NODES, edges=edges.to_numpy().tolist())
    for name in nodes.columns:
        ring.vs[name] = nodes[name].tolist()
    scores = kces.score_edges(expected, preset="robust")
    for other in (G, ring, (nx.to_scipy_sparse_array(G), nodes), (pl.from_pandas(edges), pl.from_pandas(nodes))):
        graph = open_source(other).graph
        assert graph.feature_names == expected.feature_names
        assert np.abs(kces.score_edges(graph, preset="robust") - scores).max() < 1e-12


def test_the_doors_open_without_the_other_libraries():
    """Whatever is not installed: tables and matrices go through, and no library is imported on the way."""
    script = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torch_geometric", "networkx", "igraph", "polars", "pyarrow"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import numpy as np, pandas as pd, scipy.sparse as sp
from kces.interop import open_source
table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
assert len(open_source(table).without([True, False])) == 1
assert open_source(sp.csr_array(np.eye(3, k=1))).without([True, False]).nnz == 1
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
