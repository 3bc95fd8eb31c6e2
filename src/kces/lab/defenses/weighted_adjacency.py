"""Weighted adjacencies that purifiers hand to models, and the normalized operators models run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from kces.graph import Graph
from kces.kernel import normalized_adjacency
from kces.lab.training import SparseOperator

__all__ = ["Adjacency", "LowRank", "Operator", "edge_list", "gcn_operator", "sparse_on_edges", "weighted"]

Operator: TypeAlias = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class LowRank:
    """The matrix ``left @ right.T``, never written out: N x N entries would not fit on large graphs."""

    left: npt.NDArray[np.float64]
    right: npt.NDArray[np.float64]

    def row_sums(self) -> npt.NDArray[np.float64]:
        return np.asarray(self.left @ self.right.sum(axis=0))

    def entries(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.einsum("ek,ek->e", self.left[pairs[:, 0]], self.right[pairs[:, 1]])


Adjacency: TypeAlias = sp.csr_array | LowRank


def weighted(graph: Graph, weights: npt.NDArray[np.float64]) -> sp.csr_array:
    """The graph's adjacency with a weight on each edge, aligned with ``graph.edges``; zeros are left out.

    >>> graph = Graph.from_edges([[0, 1], [1, 2]], features=[[1.0], [0.5], [0.2]])
    >>> weighted(graph, np.array([0.5, 0.0])).toarray()[0].tolist()
    [0.0, 0.5, 0.0]
    """
    kept = weights > 0
    pairs = graph.edges[kept]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    values = np.concatenate([weights[kept], weights[kept]])
    matrix = sp.csr_array((values, (both[:, 0], both[:, 1])), shape=graph.adjacency.shape)
    matrix.sort_indices()
    return matrix


def sparse_on_edges(graph: Graph, adjacency: Adjacency) -> sp.csr_array:
    """What a model that works edge by edge sees of an adjacency.

    A low-rank adjacency is dense, so such models get its positive entries on the edges of the graph.
    """
    if isinstance(adjacency, LowRank):
        return weighted(graph, adjacency.entries(graph.edges))
    return adjacency


def gcn_operator(adjacency: Adjacency) -> Operator:
    """``D^-1/2 (A + I) D^-1/2`` as a product with dense tensors."""
    if isinstance(adjacency, LowRank):
        return _low_rank_operator(adjacency)
    return SparseOperator(normalized_adjacency(adjacency), symmetric=True)


def _low_rank_operator(adjacency: LowRank) -> Operator:
    degrees = adjacency.row_sums() + 1.0
    # A truncated SVD has negative entries, so a row may sum to zero or less: the root would be NaN there.
    # Such a node receives nothing and sends nothing.
    positive = degrees > 1e-8
    inverse_root = np.where(positive, 1.0 / np.sqrt(np.where(positive, degrees, 1.0)), 0.0)
    scale = torch.from_numpy(inverse_root.astype(np.float32)).unsqueeze(1)
    left = torch.from_numpy(adjacency.left.astype(np.float32))
    right = torch.from_numpy(adjacency.right.astype(np.float32))

    def multiply(dense: Tensor) -> Tensor:
        scaled = scale * dense
        product: Tensor = scale * (left @ (right.T @ scaled) + scaled)
        return product

    return multiply


def edge_list(adjacency: sp.csr_array) -> tuple[Tensor, Tensor]:
    """``(2, nnz)`` pairs (source, target) and their weights, as PyG wants them."""
    table = sp.coo_array(adjacency)
    pairs = torch.from_numpy(np.stack([table.col, table.row]).astype(np.int64))
    return pairs, torch.from_numpy(table.data.astype(np.float32))
