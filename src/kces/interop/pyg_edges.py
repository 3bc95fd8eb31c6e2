"""Where the edges of PyG data lie, ``edge_index`` or a sparse ``adj_t``, and a copy with only some of them."""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from kces.errors import InvalidGraphError, one_line
from kces.interop.limits import BYTES_PER_NODE, check_fits
from kces.interop.optional import require
from kces.interop.records import distinct_edges, edge_of_record
from kces.types import Bools, Ints, Values

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric import EdgeIndex
    from torch_geometric.data import Data

__all__ = ["edge_pairs", "edge_weights", "is_tensor", "node_count", "tensor_values", "with_edges"]

_ADJACENCIES = ("adj_t", "adj")


def edge_pairs(data: Data) -> Ints:
    """``(num_edges, 2)`` source and target of every stored edge, in the order of the data's own edges."""
    edge_index = data.get("edge_index")
    if is_tensor(edge_index):
        array = tensor_values(edge_index)
        if array.ndim != 2 or array.shape[0] != 2 or array.dtype.kind not in "iu":
            raise InvalidGraphError(
                f"edge_index must be whole numbers of shape (2, E), got {array.dtype} of shape {array.shape}"
                + ("; give edge_index.t()" if array.ndim == 2 and array.shape[1] == 2 else "")
            )
        return array.T.astype(np.int64)
    for name in _ADJACENCIES:
        if data.get(name) is not None:
            return _adjacency_pairs(data, name)
    raise InvalidGraphError("the PyG data has no edge_index tensor and no adj_t")


def edge_weights(data: Data) -> Values | None:
    """The weights that lie beside the edges, or in ``adj_t``; None where there are none."""
    weights = data.get("edge_weight")
    if weights is None and not is_tensor(data.get("edge_index")):
        adjacency = next(data.get(name) for name in _ADJACENCIES if data.get(name) is not None)
        weights = adjacency._values() if _layout(adjacency) == "coo" else adjacency.values()
    return tensor_values(weights) if is_tensor(weights) and weights.ndim == 1 else None


def node_count(data: Data) -> int:
    """``num_nodes``, without PyG's warning where it follows from the edges: a node without edges changes no score."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        n_nodes = data.num_nodes
    if not isinstance(n_nodes, int):
        raise InvalidGraphError("the PyG data does not say how many nodes it has; set num_nodes or x")
    check_fits(BYTES_PER_NODE * n_nodes, f"a graph of {n_nodes} nodes")
    return n_nodes


def is_tensor(value: object) -> TypeGuard[Tensor]:
    """Whether PyG data holds a tensor here, dense or sparse."""
    return hasattr(value, "numel")


def tensor_values(tensor: Tensor) -> Values:
    """The tensor as an array, on whichever device it lies."""
    # A crafted stride makes a few bytes look like a huge tensor: check before a copy makes it real.
    check_fits(16 * tensor.numel(), f"a tensor of shape {tuple(tensor.shape)}")
    try:
        return np.asarray(tensor.detach().cpu().numpy())
    except (TypeError, RuntimeError) as error:
        raise InvalidGraphError(f"a tensor of type {tensor.dtype} is not supported: {one_line(error)}") from error


def with_edges(data: Data, survives: Bools) -> Data:
    """A copy of ``data`` with only the stored edges in ``survives``, and of edge attributes only their entries.

    ``survives`` drops all records of a pair or none. Of a ``Batch`` the slices follow, so that it still comes apart
    into its graphs.
    """
    torch = require("torch", extra="pyg", purpose="PyG data")
    pairs = edge_pairs(data)
    kept = torch.from_numpy(np.flatnonzero(survives))
    edge_level = _edge_level(data, len(pairs))
    result = copy.copy(data)
    for name in edge_level:
        result[name] = _filtered(data[name], data.__cat_dim__(name, data[name]), kept)
    dropped = distinct_edges(pairs[~survives])
    for name in _ADJACENCIES:
        if data.get(name) is not None:
            result[name] = _filtered_adjacency(data[name], edge_of_record(dropped, _adjacency_pairs(data, name)) < 0)
    _reslice(result, edge_level, survives)
    return result


def _edge_level(data: Data, n_records: int) -> list[str]:
    """Names of the attributes with one entry per stored edge, among them ``edge_index``."""
    found = [name for name, value in data.to_dict().items() if _fits_edges(data, name, value, n_records)]
    if n_records not in (node_count(data), getattr(data, "num_graphs", None)):
        return found
    # As many edges as nodes, or as graphs: only the name can tell.
    return [name for name in found if "edge" in name or name == "e_id"]


def _fits_edges(data: Data, name: str, value: object, n_records: int) -> bool:
    if name in ("ptr", "batch", *_ADJACENCIES) or (name.startswith("edge_label") and "edge_label_index" in data):
        return False
    if name != "edge_index" and "index" in name and getattr(value, "ndim", 0) == 2:
        return False  # pairs of another kind, such as edge_label_index
    slices = getattr(data, "_slice_dict", {})
    if name in slices and "edge_index" in slices and not np.array_equal(slices[name], slices["edge_index"]):
        return False
    return _entries(data, name, value) == n_records


def _entries(data: Data, name: str, value: object) -> int | None:
    if isinstance(value, (list, tuple)):
        return len(value)
    shape = getattr(value, "shape", ())
    dimension = data.__cat_dim__(name, value)
    return int(shape[dimension]) if len(shape) and isinstance(dimension, int) else None


def _filtered(value: Tensor | list[object], dimension: int, kept: Tensor) -> Tensor | list[object]:
    if isinstance(value, (list, tuple)):
        return type(value)(value[position] for position in kept.tolist())
    if isinstance(value, np.ndarray):
        return np.take(value, kept.numpy(), axis=dimension)
    result = value.index_select(dimension, kept.to(value.device))
    return _same_edge_index(value, result) if hasattr(value, "sparse_size") else result


def _same_edge_index(value: EdgeIndex, kept: EdgeIndex) -> EdgeIndex:
    """What an ``EdgeIndex`` knows of itself stays true: order is kept, and both directions of a pair go together."""
    return type(value)(
        kept.as_tensor(),
        sparse_size=value.sparse_size(),
        sort_order=value.sort_order,
        is_undirected=value.is_undirected,
    )


def _reslice(batch: Data, filtered: list[str], survives: Bools) -> None:
    """Move the borders between the graphs of a batch; plain data has none."""
    if not hasattr(batch, "_slice_dict"):
        return
    slices = dict(batch._slice_dict)
    for name in filtered:
        if name in slices:
            slices[name] = _moved(slices[name], survives)
        if f"{name}_ptr" in batch:
            batch[f"{name}_ptr"] = _moved(batch[f"{name}_ptr"], survives)
    batch._slice_dict = slices


def _moved(borders: Tensor, survives: Bools) -> Tensor:
    """Borders in a list of edges, after only those in ``survives`` are left."""
    before = np.concatenate([[0], np.cumsum(survives)])
    return borders.new_tensor(before[tensor_values(borders)])


# -- sparse adjacency tensors -----------------------------------------------------------------------


def _layout(adjacency: Tensor) -> str:
    """coo, csr or csc; anything else is refused."""
    if type(adjacency).__module__.startswith("torch_sparse"):
        raise InvalidGraphError(
            "adj_t is a torch_sparse.SparseTensor, a package that is not used here; give edge_index, or"
            " adj_t.to_torch_sparse_csr_tensor()"
        )
    layout = str(getattr(adjacency, "layout", type(adjacency).__name__)).removeprefix("torch.sparse_")
    if layout not in ("coo", "csr", "csc"):
        raise InvalidGraphError(f"adj_t must be a sparse tensor (CSR, CSC or COO), got {layout}")
    return layout


def _adjacency_pairs(data: Data, name: str) -> Ints:
    """Source and target of each stored entry; ``adj_t`` has a row per target."""
    adjacency = data[name]
    layout = _layout(adjacency)
    if len(adjacency.shape) < 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise InvalidGraphError(f"{name} must be square, got shape {tuple(adjacency.shape)}")
    size = int(adjacency.shape[0])
    if layout == "coo":
        rows, cols = tensor_values(adjacency._indices()).astype(np.int64)
    else:
        pointer, minor = _compressed(adjacency, layout)
        cols = tensor_values(minor).astype(np.int64)
        borders: Ints = tensor_values(pointer).astype(np.int64)
        counts = borders[1:] - borders[:-1]
        if len(counts) != size or (counts < 0).any() or counts.sum() != len(cols):
            raise InvalidGraphError(f"{name} is damaged: its pointer does not fit its {len(cols)} entries")
        rows = np.repeat(np.arange(size, dtype=np.int64), counts)
        rows, cols = (rows, cols) if layout == "csr" else (cols, rows)
    return np.stack([cols, rows] if name == "adj_t" else [rows, cols], axis=1)


def _compressed(adjacency: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    if layout == "csr":
        return adjacency.crow_indices(), adjacency.col_indices()
    return adjacency.ccol_indices(), adjacency.row_indices()


def _filtered_adjacency(adjacency: Tensor, survives: Bools) -> Tensor:
    torch = require("torch", extra="pyg", purpose="PyG data")
    kept = torch.from_numpy(np.flatnonzero(survives)).to(adjacency.device)
    size, layout = adjacency.shape, _layout(adjacency)
    if layout == "coo":
        indices, values = adjacency._indices()[:, kept], adjacency._values()[kept]
        return torch.sparse_coo_tensor(indices, values, size, is_coalesced=adjacency.is_coalesced())
    pointer, minor = _compressed(adjacency, layout)
    return torch.sparse_compressed_tensor(
        _moved(pointer, survives), minor[kept], adjacency.values()[kept], size, layout=adjacency.layout
    )
