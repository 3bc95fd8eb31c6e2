"""One graph through pandas, NetworkX, PyG, igraph and files: the same ranking from each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kces
from kces.features import prepare_features


def by_pair(sources, targets, scores) -> dict[frozenset[str], float]:
    return {frozenset(pair): score for *pair, score in zip(sources, targets, scores, strict=True)}


@pytest.fixture(scope="module")
def edges(bank) -> pd.DataFrame:
    return bank.payments.rename(columns={"Absender": "source", "Empfänger": "target"})


@pytest.fixture(scope="module")
def wanted(bank, edges) -> dict[frozenset[str], float]:
    scores = kces.score_edges((edges, bank.customers))
    return by_pair(edges["source"], edges["target"], scores)


@pytest.fixture(scope="module")
def matrix(bank) -> np.ndarray:
    return prepare_features(bank.customers.drop(columns="Kunde")).matrix


def assert_same(found, wanted) -> None:
    assert found.keys() == wanted.keys()
    np.testing.assert_allclose([found[pair] for pair in wanted], list(wanted.values()), rtol=1e-9)


def test_networkx(bank, edges, matrix, wanted):
    nx = pytest.importorskip("networkx")
    G = nx.from_pandas_edgelist(edges)
    graph = nx.Graph()
    graph.add_nodes_from((name, {"x": row.tolist()}) for name, row in zip(bank.customers["Kunde"], matrix, strict=True))
    graph.add_edges_from(G.edges)
    assert_same(by_pair(*zip(*graph.edges, strict=True), kces.score_edges(graph)), wanted)


def test_pyg(bank, edges, matrix, wanted):
    torch = pytest.importorskip("torch")
    data_module = pytest.importorskip("torch_geometric.data")
    names = bank.customers["Kunde"].tolist()
    number = {name: position for position, name in enumerate(names)}
    index = torch.tensor([[number[name] for name in edges[end]] for end in ("source", "target")])
    data = data_module.Data(x=torch.tensor(np.asarray(matrix)), edge_index=index)
    found = kces.score_edges(data)
    assert found.shape == (data.num_edges,)
    assert_same(by_pair(edges["source"], edges["target"], found), wanted)


def test_files(bank, tmp_path, wanted):
    from kces.interop import read_graph

    transactions, customers = bank.write(tmp_path)
    graph = read_graph(transactions, features=customers).graph
    ends = graph.ids_of(graph.edges)
    found = by_pair(ends[:, 0], ends[:, 1], kces.score_edges(graph))
    assert_same(found, {pair: score for pair, score in wanted.items() if pair in found})
    assert len(found) == len([pair for pair in wanted if len(pair) == 2])


def test_raw_attributes_through_networkx_and_graphml(bank, edges, tmp_path, wanted):
    nx = pytest.importorskip("networkx")
    from kces.interop import read_graph

    graph = nx.Graph()
    rows = bank.customers.set_index("Kunde").astype(object).to_dict("index")
    for name, row in rows.items():
        graph.add_node(name, **{column: cell for column, cell in row.items() if not pd.isna(cell)})
    graph.add_edges_from(edges[["source", "target"]].itertuples(index=False))
    assert_same(by_pair(*zip(*graph.edges, strict=True), kces.score_edges(graph)), wanted)
    nx.write_graphml(graph, tmp_path / "bank.graphml")
    stored = read_graph(tmp_path / "bank.graphml").graph
    ends = stored.ids_of(stored.edges)
    found = by_pair(ends[:, 0], ends[:, 1], kces.score_edges(stored))
    assert_same(found, {pair: score for pair, score in wanted.items() if len(pair) == 2})
