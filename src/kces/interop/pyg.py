"""PyG ``Data`` in and out; a filtered copy keeps every edge attribute of the edges that stay."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.limits import BYTES_PER_NODE, check_fits, one_line
from kces.interop.optional import require
from kces.interop.records import count_weights, surviving_records
from kces.types import is_sparse

__all__ = ["filter_pyg", "from_pyg", "to_pyg"]

_MASKS = {"train": "train_mask", "val": "val_mask", "test": "test_mask"}


def from_pyg(data: Any) -> Graph:
    """A graph from a homogeneous ``Data``: ``edge_index``, and ``x``, ``y`` and the masks where they are there.

    ``y`` counts as labels when it holds one whole number per node, a mask as a split when it is one-dimensional.
    """
    edge_index = _edge_index(data)
    n_nodes = data.num_nodes
    if not isinstance(n_nodes, int):
        raise InvalidGraphError("the PyG data does not say how many nodes it has; set num_nodes or x")
    check_fits(BYTES_PER_NODE * n_nodes, f"a graph of {n_nodes} nodes")
    x, weight = data.get("x"), data.get("edge_weight")
    return Graph.from_edges(
        edge_index.T,
        None if x is None else _features(x),
        n_nodes=n_nodes,
        labels=_labels(data.get("y"), n_nodes),
        node_ids=_ids(data.get("node_ids"), n_nodes),
        weighted=count_weights(_numpy(weight)) if hasattr(weight, "numel") else 0,
        train=_mask(data.get(_MASKS["train"])),
        val=_mask(data.get(_MASKS["val"])),
        test=_mask(data.get(_MASKS["test"])),
    )


def to_pyg(graph: Graph) -> Any:
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


def filter_pyg(data: Any, graph: Graph, kept: npt.ArrayLike) -> Any:
    """A new ``Data`` without the edges of ``graph = from_pyg(data)`` that the mask ``kept`` drops.

    Every edge-level attribute is filtered alike, both directions and duplicates of a pair go together, and
    self-loops stay. ``data`` is unchanged.
    """
    torch = require("torch", extra="pyg", purpose="PyG data")
    sources, targets = _edge_index(data)
    survives = torch.from_numpy(surviving_records(graph, kept, sources, targets)).to(data.edge_index.device)
    result = copy.copy(data)
    for name, value in data.to_dict().items():
        if name == "edge_index":
            result[name] = value[:, survives]
        elif torch.is_tensor(value) and data.is_edge_attr(name):
            result[name] = _filtered(value, data.__cat_dim__(name, value), survives)
    return result


def _filtered(value: Any, dimension: int, survives: Any) -> Any:
    return value.index_select(dimension, survives.nonzero().view(-1))


def _edge_index(data: Any) -> npt.NDArray[np.int64]:
    edge_index = data.get("edge_index")
    if not hasattr(edge_index, "numel"):
        raise InvalidGraphError("the PyG data has no edge_index tensor")
    array = _numpy(edge_index)
    if array.ndim != 2 or array.shape[0] != 2 or array.dtype.kind not in "iu":
        raise InvalidGraphError(
            f"edge_index must be whole numbers of shape (2, E), got {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def _numpy(tensor: Any) -> npt.NDArray[Any]:
    # A crafted stride makes a few bytes look like a huge tensor: check before a copy makes it real.
    check_fits(16 * tensor.numel(), f"a tensor of shape {tuple(tensor.shape)}")
    try:
        return np.asarray(tensor.detach().cpu().numpy())
    except (TypeError, RuntimeError) as error:
        raise InvalidGraphError(f"a tensor of type {tensor.dtype} is not supported: {one_line(error)}") from error


def _features(x: Any) -> Any:
    torch = require("torch", extra="pyg", purpose="PyG data")
    if not torch.is_tensor(x):
        raise InvalidGraphError(f"x must be a tensor, got {type(x).__name__}")
    if x.is_complex():
        raise InvalidGraphError("x holds complex numbers; features are real")
    if x.layout == torch.strided:
        return _numpy(x.float() if x.dtype == torch.bfloat16 else x)
    if x.ndim != 2:
        raise InvalidGraphError(f"x must be a matrix (nodes x features), got shape {tuple(x.shape)}")
    check_fits(BYTES_PER_NODE * max(x.shape), f"sparse features of shape {tuple(x.shape)}")
    try:
        entries = x.to_sparse_coo().coalesce()
    except RuntimeError as error:
        raise InvalidGraphError(f"x is no sound sparse matrix: {one_line(error)}") from error
    rows, cols = _numpy(entries.indices())
    return sp.csr_array((_numpy(entries.values()), (rows, cols)), shape=tuple(x.shape))


def _ids(ids: Any, n_nodes: int) -> npt.NDArray[Any] | None:
    """The names that :func:`to_pyg` stores; an attribute of the same name and another form is not ours."""
    if hasattr(ids, "numel") and ids.ndim == 1 and len(ids) == n_nodes:
        return _numpy(ids)
    if not isinstance(ids, list) or len(ids) != n_nodes:
        return None
    plain = all(isinstance(name, str) for name in ids) or all(type(name) is int for name in ids)
    return np.array(ids) if plain else None


def _labels(y: Any, n_nodes: int) -> npt.NDArray[np.int64] | None:
    """``y`` where it is one whole number per node; regression targets and graph labels are no classes."""
    if not hasattr(y, "numel") or y.numel() != n_nodes or y.is_complex():
        return None
    array = _numpy(y).reshape(-1)
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.floor(array)).all()):
        return None
    return array.astype(np.int64)


def _mask(mask: Any) -> npt.NDArray[np.bool_] | None:
    if not hasattr(mask, "numel") or mask.ndim != 1:
        return None
    array = _numpy(mask)
    return array if array.dtype == bool else None
