"""PyG ``Data`` and ``Batch`` in and out."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidGraphError, one_line
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.limits import BYTES_PER_NODE, check_fits
from kces.interop.optional import require
from kces.interop.pyg_edges import edge_pairs, edge_weights, is_tensor, node_count, tensor_values, with_edges
from kces.interop.records import count_weights
from kces.types import Bools, Features, Ints, is_sparse

if TYPE_CHECKING:
    from torch_geometric.data import Data

__all__ = ["PyGSource", "from_pyg", "to_pyg"]

_MASKS = {"train": "train_mask", "val": "val_mask", "test": "test_mask"}


@register_source("torch_geometric")
class PyGSource(Source["Data"]):
    """A homogeneous ``Data`` or ``Batch``; its records are its ``num_edges`` stored edges.

    >>> import torch
    >>> from torch_geometric.data import Data
    >>> data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), edge_attr=torch.arange(4), num_nodes=3)
    >>> source = PyGSource(data)
    >>> source.spread(np.array([0.25, 0.75]), np.nan).tolist()
    [0.25, 0.25, 0.75, 0.75]
    >>> source.without([False, True])
    Data(edge_index=[2, 2], edge_attr=[2], num_nodes=3)
    """

    def __init__(self, original: Data, hints: Hints | None = None) -> None:
        _refuse_other_kinds(original)
        super().__init__(original, hints)

    @cached_property
    def pairs(self) -> Ints:
        return edge_pairs(self.original)

    @cached_property
    def graph(self) -> Graph:
        data, pairs = self.original, self.pairs
        n_nodes = node_count(data)
        x, weights = data.get("x"), edge_weights(data)
        return Graph.from_edges(
            pairs,
            None if x is None else _features(x),
            n_nodes=n_nodes,
            labels=_labels(data.get("y"), n_nodes),
            node_ids=_ids(data.get("node_ids"), n_nodes),
            weighted=0 if weights is None else count_weights(weights),
            train=_mask(data.get(_MASKS["train"])),
            val=_mask(data.get(_MASKS["val"])),
            test=_mask(data.get(_MASKS["test"])),
        )

    def keep_records(self, mask: Bools) -> Data:
        return with_edges(self.original, mask)


def from_pyg(data: Data) -> Graph:
    """A graph from a homogeneous ``Data``: its edges, and ``x``, ``y`` and the masks where they are there.

    Edges lie in ``edge_index`` or in a sparse ``adj_t``. ``y`` counts as labels when it holds one whole number per
    node, a mask as a split when it is one-dimensional.

    Parameters
    ----------
    data : a ``Data``, or a ``Batch``, which is taken as one graph of several parts.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from_pyg(Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]])))
    Graph(nodes=3, edges=2, features=3)
    """
    return PyGSource(data).graph


def to_pyg(graph: Graph) -> Data:
    """A ``Data`` with both directions of every edge, dense float32 ``x``, and ``y`` and masks where known."""
    torch = require("torch", extra="pyg", purpose="PyG data")
    data_module = require("torch_geometric.data", extra="pyg", purpose="PyG data")
    both = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    dense = graph.features.toarray() if is_sparse(graph.features) else graph.features
    data = data_module.Data(
        x=torch.tensor(np.asarray(dense), dtype=torch.float32),
        edge_index=torch.tensor(np.ascontiguousarray(both)),
    )
    if graph.labels is not None:
        data.y = torch.tensor(graph.labels)
    for split, name in _MASKS.items():
        if (nodes := getattr(graph, split)) is not None:
            data[name] = torch.tensor(np.isin(np.arange(graph.n_nodes), nodes))
    if graph.node_ids is not None:
        data.node_ids = graph.node_ids.tolist()
    return data


def _refuse_other_kinds(data: object) -> None:
    kinds = require("torch_geometric.data", extra="pyg", purpose="PyG data")
    if isinstance(data, kinds.HeteroData):
        types = ", ".join(" ".join(each) for each in data.edge_types) or "none"
        raise InvalidGraphError(
            f"a HeteroData has several kinds of edges ({types}); give data.to_homogeneous(), or a Data made of one kind"
        )
    if not isinstance(data, kinds.Data):
        raise InvalidGraphError(f"cannot read a graph from {type(data).__name__}; give a torch_geometric.data.Data")


def _features(x: object) -> Features:
    torch = require("torch", extra="pyg", purpose="PyG data")
    if not is_tensor(x):
        raise InvalidGraphError(f"x must be a tensor, got {type(x).__name__}")
    if x.is_complex():
        raise InvalidGraphError("x holds complex numbers; features are real")
    if x.layout == torch.strided:
        return tensor_values(x.float() if x.dtype == torch.bfloat16 else x)
    if x.ndim != 2:
        raise InvalidGraphError(f"x must be a matrix (nodes x features), got shape {tuple(x.shape)}")
    check_fits(BYTES_PER_NODE * max(x.shape), f"sparse features of shape {tuple(x.shape)}")
    try:
        entries = x.to_sparse_coo().coalesce()
    except RuntimeError as error:
        raise InvalidGraphError(f"x is no sound sparse matrix: {one_line(error)}") from error
    rows, cols = tensor_values(entries.indices())
    return sp.csr_array((tensor_values(entries.values()), (rows, cols)), shape=tuple(x.shape))


def _ids(ids: object, n_nodes: int) -> npt.NDArray[np.generic] | None:
    """The names that :func:`to_pyg` stores; an attribute of the same name and another form is not ours."""
    if is_tensor(ids) and ids.ndim == 1 and len(ids) == n_nodes:
        return tensor_values(ids)
    if not isinstance(ids, list) or len(ids) != n_nodes:
        return None
    plain = all(isinstance(name, str) for name in ids) or all(type(name) is int for name in ids)
    return np.array(ids) if plain else None


def _labels(y: object, n_nodes: int) -> Ints | None:
    """``y`` where it is one whole number per node; regression targets and graph labels are no classes."""
    if not is_tensor(y) or y.numel() != n_nodes or y.is_complex():
        return None
    array = tensor_values(y).reshape(-1)
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.floor(array)).all()):
        return None
    return array.astype(np.int64)


def _mask(mask: object) -> Bools | None:
    if not is_tensor(mask) or mask.ndim != 1:
        return None
    array = tensor_values(mask)
    return array if array.dtype == bool else None
