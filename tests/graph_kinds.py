"""One graph in every kind that comes through a door, each edge with a number of its own, for the contract tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
import torch
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data

from kces.graph import Graph

Record = tuple[int, int, int]
"""Source, target and the edge's own number."""

N_NODES = 14
FEATURES = (np.random.default_rng(3).random((N_NODES, 6)) < 0.5).astype(np.float64)
FEATURES[:, 0] = np.arange(N_NODES) < 7

_INSIDE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0), (0, 3), (1, 5), (2, 6)]
_EDGES = [*_INSIDE, *((i + 7, j + 7) for i, j in _INSIDE), (4, 9)]
_MIXED = [*_EDGES, *((j, i) for i, j in _EDGES[::2]), (5, 5), *_EDGES[:3], (8, 8), (12, 13)]
RECORDS: list[Record] = [(i, j, number) for number, (i, j) in enumerate(_MIXED, start=2)]
"""Directed, some both ways, three twice, two self-loops, the node 13 at the end of one edge."""


@dataclass(frozen=True)
class GraphKind:
    """How to build a kind from records, and how to read its records back in its own order."""

    name: str
    build: Callable[[list[Record]], object]
    records: Callable[[object], list[Record]]
    directed: bool = True
    parallel: bool = True
    loops: bool = True

    def make(self) -> object:
        """The graph of ``RECORDS``, as far as this kind can hold it."""
        return self.build(self._possible())

    def _possible(self) -> list[Record]:
        chosen: dict[tuple[int, ...], Record] = {}
        for i, j, number in RECORDS:
            ends = (i, j) if self.directed else (min(i, j), max(i, j))
            if i != j or self.loops:
                chosen.setdefault((*ends, number) if self.parallel else ends, (*ends, number))
        return list(chosen.values())


def _table(records: Iterable[Record]) -> dict[str, list[int]]:
    rows = list(records)
    return {
        "number": [number for *_, number in rows],
        "source": [i for i, *_ in rows],
        "target": [j for _, j, _ in rows],
    }


def _rows(table: pd.DataFrame) -> list[Record]:
    return list(zip(table["source"].tolist(), table["target"].tolist(), table["number"].tolist(), strict=True))


def _nodes() -> pd.DataFrame:
    return pd.DataFrame(FEATURES, columns=[f"f{column}" for column in range(FEATURES.shape[1])]).assign(
        id=np.arange(N_NODES)
    )


def _networkx(kind: type) -> GraphKind:
    def build(records: list[Record]) -> nx.Graph:
        G = kind(name="kinds")
        for node in range(N_NODES):
            G.add_node(node, x=FEATURES[node].tolist(), note=f"node {node}")
        for i, j, number in records:
            G.add_edge(i, j, number=number)
        return G

    def records(G: nx.Graph) -> list[Record]:
        return list(G.edges(data="number"))

    multi = issubclass(kind, nx.MultiGraph)
    return GraphKind(kind.__name__, build, records, directed=issubclass(kind, nx.DiGraph), parallel=multi)


def _data(records: list[Record]) -> Data:
    ends = torch.tensor([[i, j] for i, j, _ in records]).reshape(-1, 2).T.contiguous()
    numbers = torch.tensor([number for *_, number in records])
    return Data(x=torch.tensor(FEATURES), edge_index=ends, edge_attr=numbers[:, None], title="kinds")


def _data_records(data: Data) -> list[Record]:
    return list(zip(*data.edge_index.tolist(), data.edge_attr.flatten().tolist(), strict=True))


def _edge_index_data(records: list[Record]) -> Data:
    data = _data(sorted(records))
    data.edge_index = EdgeIndex(data.edge_index, sparse_size=(N_NODES, N_NODES), sort_order="row")
    return data


def _adj_t(layout: str) -> GraphKind:
    def build(records: list[Record]) -> Data:
        i, j, numbers = torch.tensor(records).T
        adjacency = torch.sparse_coo_tensor(torch.stack([j, i]), numbers.float(), (N_NODES, N_NODES)).coalesce()
        return Data(x=torch.tensor(FEATURES), adj_t=getattr(adjacency, f"to_sparse_{layout}")(), title="kinds")

    def records(data: Data) -> list[Record]:
        entries = data.adj_t.to_sparse_coo().coalesce()
        targets, sources = entries.indices().tolist()
        found = list(zip(sources, targets, entries.values().int().tolist(), strict=True))
        return sorted(found, key=lambda record: record[0]) if layout == "csc" else found

    return GraphKind(f"Data adj_t {layout}", build, records, parallel=False)


def _batch(records: list[Record]) -> Batch:
    def part(first: int) -> Data:
        inside = [(i - first, j - first, k) for i, j, k in records if first <= i < first + 7 and first <= j < first + 7]
        data = _data(inside)
        data.x = torch.tensor(FEATURES[first : first + 7])
        return data

    return Batch.from_data_list([part(0), part(7)])


def _sparse(layout: str, family: str) -> GraphKind:
    kind = getattr(sp, f"{layout}_{family}")

    def build(records: list[Record]) -> tuple[sp.sparray, np.ndarray]:
        i, j, numbers = np.array(records).T
        return kind(sp.coo_array((numbers, (i, j)), shape=(N_NODES, N_NODES))), FEATURES

    def records(pair: tuple[sp.sparray, np.ndarray]) -> list[Record]:
        entries = pair[0].tocoo()
        return list(zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True))

    return GraphKind(kind.__name__, build, records, parallel=False)


def _dense(records: list[Record]) -> tuple[np.ndarray, np.ndarray]:
    matrix = np.zeros((N_NODES, N_NODES), dtype=np.int32)
    for i, j, number in records:
        matrix[i, j] = number
    return matrix, FEATURES


def _dense_records(pair: tuple[np.ndarray, np.ndarray]) -> list[Record]:
    return [(int(i), int(j), int(pair[0][i, j])) for i, j in np.argwhere(pair[0])]


def _igraph(directed: bool) -> GraphKind:
    def build(records: list[Record]) -> igraph.Graph:
        G = igraph.Graph(n=N_NODES, edges=[(i, j) for i, j, _ in records], directed=directed)
        G["title"] = "kinds"
        G.vs["x"] = FEATURES.tolist()
        G.es["number"] = [number for *_, number in records]
        return G

    def records(G: igraph.Graph) -> list[Record]:
        return [(*edge.tuple, edge["number"]) for edge in G.es]

    return GraphKind(f"igraph directed={directed}", build, records, directed=directed)


def _graph_records(graph: Graph) -> list[Record]:
    """A Graph numbers no edges: the number is recovered from ``RECORDS``."""
    first = {(min(i, j), max(i, j)): number for i, j, number in reversed(RECORDS)}
    return [(i, j, first[i, j]) for i, j in graph.edges.tolist()]


_LAYOUTS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")

KINDS = [
    GraphKind(
        "Graph",
        lambda records: Graph.from_edges([(i, j) for i, j, _ in records], FEATURES),
        _graph_records,
        directed=False,
        parallel=False,
        loops=False,
    ),
    *(_networkx(kind) for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)),
    GraphKind("Data", _data, _data_records),
    GraphKind("Data EdgeIndex", _edge_index_data, _data_records),
    *(_adj_t(layout) for layout in ("csr", "csc", "coo")),
    GraphKind("Batch", _batch, _data_records),
    GraphKind("pandas", lambda records: (pd.DataFrame(_table(records)), _nodes()), lambda pair: _rows(pair[0])),
    GraphKind(
        "polars",
        lambda records: (pl.DataFrame(_table(records)), pl.from_pandas(_nodes())),
        lambda pair: _rows(pair[0].to_pandas()),
    ),
    GraphKind(
        "Arrow",
        lambda records: (pa.table(_table(records)), pa.Table.from_pandas(_nodes())),
        lambda pair: _rows(pair[0].to_pandas()),
    ),
    *(_sparse(layout, "array") for layout in _LAYOUTS),
    *(_sparse(layout, "matrix") for layout in _LAYOUTS),
    GraphKind("NumPy", _dense, _dense_records, parallel=False),
    *(_igraph(directed) for directed in (True, False)),
]
