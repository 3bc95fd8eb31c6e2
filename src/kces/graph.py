"""The one in-memory form of a graph. It is validated on entry; everything behind it trusts it."""

from __future__ import annotations

import html
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import GraphWarning, InvalidGraphError
from kces.memory import require_memory
from kces.types import Features, Ints, Values, is_sparse

if TYPE_CHECKING:
    import pandas as pd

    from kces.features.own_values import OwnValues

__all__ = ["Graph", "Repairs", "edge_keys", "key_edges", "sorted_unique"]

_MANY_NODES = 1_000_000
_BYTES_PER_NODE = 50
"""Row pointer, identity features and degrees of a node that has neither edges nor features."""


@dataclass(frozen=True)
class Repairs:
    """What was dropped on entry to make the graph undirected, simple and unweighted."""

    directed: int = 0
    duplicates: int = 0
    self_loops: int = 0
    weighted: int = 0

    def __str__(self) -> str:
        parts = [
            (self.directed, "one-way edge(s) taken as undirected"),
            (self.duplicates, "duplicate edge(s) merged"),
            (self.self_loops, "self-loop(s) ignored"),
            (self.weighted, "edge weight(s) ignored"),
        ]
        return ", ".join(f"{count} {what}" for count, what in parts if count)

    def warn(self) -> None:
        """Emit one warning line when anything was repaired."""
        if str(self):
            warnings.warn(f"graph repaired: {self}", GraphWarning, stacklevel=4)


class _Described(NamedTuple):
    """What the caller says about the nodes, not checked yet; the fields are those of :class:`Graph`."""

    labels: npt.ArrayLike | None
    train: npt.ArrayLike | None
    val: npt.ArrayLike | None
    test: npt.ArrayLike | None
    node_ids: Sequence[object] | Values | None
    feature_names: npt.ArrayLike | None
    name: str
    own_values: OwnValues | None = None


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with node features; make one with :meth:`from_edges` or :meth:`from_scipy`.

    Attributes
    ----------
    adjacency : symmetric 0/1 CSR matrix without self-loops, indices sorted.
    features : dense ``(N, F)`` array or CSR matrix, finite, float64.
    labels : class of each node (0, 1, …), or None. ``-1`` marks an unknown class.
    train, val, test : node indices of a split, or None.
    node_ids : the caller's name of each node, or None when nodes are 0 … N-1.
    feature_names : what each column of ``features`` is, or None when nobody said.
    name : shown in tables and reports.
    repairs : what was dropped on entry.
    own_values : the table that the features were made of, as it was handed in, or None; for explanations.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1], [1, 2]], features=[[1.0], [0.5], [0.2]])
    >>> graph
    Graph(nodes=3, edges=2, features=1)
    >>> graph.edges.tolist()
    [[0, 1], [1, 2]]
    """

    adjacency: sp.csr_array
    features: Features
    labels: npt.NDArray[np.int64] | None = None
    train: npt.NDArray[np.int64] | None = None
    val: npt.NDArray[np.int64] | None = None
    test: npt.NDArray[np.int64] | None = None
    node_ids: Values | None = None
    feature_names: tuple[str, ...] | None = None
    name: str = "graph"
    repairs: Repairs = Repairs()
    own_values: OwnValues | None = None

    # -- construction ---------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: npt.ArrayLike,
        features: Any = None,
        *,
        n_nodes: int | None = None,
        labels: npt.ArrayLike | None = None,
        train: npt.ArrayLike | None = None,
        val: npt.ArrayLike | None = None,
        test: npt.ArrayLike | None = None,
        node_ids: Sequence[object] | Values | None = None,
        feature_names: npt.ArrayLike | None = None,
        name: str = "graph",
        weighted: int = 0,
        own_values: OwnValues | None = None,
    ) -> Graph:
        """Build from node pairs, either ``(E, 2)`` or PyG's ``(2, E)`` form.

        An array of shape ``(2, 2)`` is read as two ``(source, target)`` rows. ``weighted`` is how many edges had a
        weight that is left behind, for the warning line. The other keyword arguments are the attributes.
        """
        pairs = _as_pairs(edges)
        n_features = None if features is None else _matrix_shape(features)[0]
        if n_nodes is None:
            n_nodes = n_features if n_features is not None else int(pairs.max(initial=-1)) + 1
        if len(pairs) and int(pairs.min()) < 0:
            raise InvalidGraphError(f"edge list names node {int(pairs.min())}; node numbers start at 0")
        if len(pairs) and int(pairs.max()) >= n_nodes:
            raise InvalidGraphError(
                f"edge list names node {int(pairs.max())}, but there are only {n_nodes} nodes"
                + (" in the features" if n_features == n_nodes else "")
            )
        if n_nodes > _MANY_NODES:
            require_memory(_BYTES_PER_NODE * n_nodes, f"a graph of {n_nodes} nodes", "number its nodes 0, 1, 2, …")
        one_way, repairs = _canonical_pairs(pairs, n_nodes)
        described = _Described(labels, train, val, test, node_ids, feature_names, name, own_values)
        return cls._validated(one_way, replace(repairs, weighted=weighted), features, n_nodes, described)

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        features: Any = None,
        *,
        labels: npt.ArrayLike | None = None,
        train: npt.ArrayLike | None = None,
        val: npt.ArrayLike | None = None,
        test: npt.ArrayLike | None = None,
        node_ids: Sequence[object] | Values | None = None,
        feature_names: npt.ArrayLike | None = None,
        name: str = "graph",
    ) -> Graph:
        """Build from a square adjacency matrix, scipy sparse or dense; without features, identity is used.

        >>> import scipy.sparse as sp
        >>> Graph.from_scipy(sp.eye_array(3, k=1), name="path")
        Graph(path, nodes=3, edges=2, features=3)
        """
        matrix = sp.coo_array(adjacency)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InvalidGraphError(f"adjacency matrix must be square, got shape {matrix.shape}")
        if not np.isfinite(matrix.data).all():
            raise InvalidGraphError("adjacency matrix holds NaN or infinite weights")
        stored = matrix.data != 0
        pairs = np.stack([matrix.row[stored], matrix.col[stored]], axis=1).astype(np.int64)
        n_nodes = int(matrix.shape[0])
        one_way, repairs = _canonical_pairs(pairs, n_nodes, both_ways_expected=True)
        weighted = int((matrix.data[stored] != 1).sum())
        described = _Described(labels, train, val, test, node_ids, feature_names, name)
        return cls._validated(one_way, replace(repairs, weighted=weighted), features, n_nodes, described)

    @classmethod
    def from_pandas(
        cls,
        edges: pd.DataFrame,
        nodes: pd.DataFrame | None = None,
        *,
        source: str | None = None,
        target: str | None = None,
        features: str | Sequence[str] | None = None,
        label: str | None = None,
        id_column: str | None = None,
        scale: str = "auto",
    ) -> Graph:
        """Build from a table with one row per edge and, if there is one, a table with one row per node.

        Parameters
        ----------
        edges : one row per edge, of pandas, polars or Arrow.
        nodes : one row per node; without, the graph alone is used.
        source, target : the columns of ``edges`` that name the two ends; found where they are called so (also src
            and dst, from and to, …) or are the only ones.
        features : the columns of ``nodes`` to use; all without, see :func:`kces.features.prepare_features`.
        label : the column of ``nodes`` with the class; found where it is called label or class.
        id_column : the column of ``nodes`` that names the node; found where it is the index or called id or node.
        scale : how columns of numbers come to one scale: auto, standard or none.

        Examples
        --------
        >>> import pandas as pd
        >>> payments = pd.DataFrame({"tx": [7, 8], "payer": ["ann", "bob"], "payee": ["bob", "cy"]})
        >>> people = pd.DataFrame({"vip": [True, False, True]}, index=["ann", "bob", "cy"])
        >>> graph = Graph.from_pandas(payments, people, source="payer", target="payee")
        >>> graph, graph.node_ids.tolist(), graph.feature_names
        (Graph(nodes=3, edges=2, features=2), ['ann', 'bob', 'cy'], ('vip', 'not vip'))
        """
        from kces.interop.coerce import open_source

        return open_source(
            edges,
            nodes=nodes,
            source=source,
            target=target,
            features=features,
            label=label,
            id_column=id_column,
            scale=scale,
        ).graph

    @classmethod
    def _validated(
        cls,
        one_way: npt.NDArray[np.int64],
        repairs: Repairs,
        features: Any,
        n_nodes: int,
        described: _Described,
    ) -> Graph:
        if n_nodes == 0:
            raise InvalidGraphError("the graph has no nodes")
        if len(one_way) == 0:
            only = f": it has {repairs.self_loops} self-loop(s) and nothing else" if repairs.self_loops else ""
            raise InvalidGraphError(f"the graph has no edges{only}")
        repairs.warn()
        matrix = _checked_features(features, n_nodes)
        return cls(
            adjacency=_symmetric_adjacency(one_way, n_nodes),
            features=matrix,
            labels=_checked_labels(described.labels, n_nodes),
            train=_checked_nodes(described.train, n_nodes, "train"),
            val=_checked_nodes(described.val, n_nodes, "val"),
            test=_checked_nodes(described.test, n_nodes, "test"),
            node_ids=_checked_ids(described.node_ids, n_nodes),
            feature_names=_checked_names(described.feature_names, matrix.shape[1]),
            name=described.name or "graph",
            repairs=repairs,
            own_values=described.own_values,
        )

    # -- views ----------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return int(self.adjacency.nnz // 2)

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def n_classes(self) -> int | None:
        """Number of distinct known labels, or None without labels."""
        if self.labels is None:
            return None
        return len(np.unique(self.labels[self.labels >= 0]))

    @cached_property
    def edges(self) -> npt.NDArray[np.int64]:
        """``(E, 2)`` node pairs with ``i < j``, in lexicographic order: the order of every score array."""
        rows = np.repeat(np.arange(self.n_nodes), np.diff(self.adjacency.indptr))
        upper = rows < self.adjacency.indices
        return np.stack([rows[upper], self.adjacency.indices[upper]], axis=1).astype(np.int64)

    @cached_property
    def degrees(self) -> npt.NDArray[np.float64]:
        """Degree of each node **with** its self-loop: the paper's diagonal of D."""
        return np.diff(self.adjacency.indptr).astype(np.float64) + 1.0

    @cached_property
    def has_features(self) -> bool:
        """False for identity features, which only number the nodes and stand for "no features".

        >>> Graph.from_edges([[0, 1], [1, 2]]).has_features
        False
        """
        matrix, n = self.features, self.n_nodes
        if self.n_features != n:
            return True
        stored = matrix.nnz if is_sparse(matrix) else np.count_nonzero(matrix)
        return stored != n or bool((matrix.diagonal() != 1).any())

    def ids_of(self, nodes: npt.NDArray[np.int64]) -> Values:
        """The caller's names of ``nodes``."""
        return nodes if self.node_ids is None else self.node_ids[nodes]

    # -- derived graphs -------------------------------------------------------------------------

    def keep_edges(self, kept: npt.NDArray[np.bool_]) -> Graph:
        """The same graph with only the edges where the full-length mask ``kept`` is true.

        >>> graph = Graph.from_edges([[0, 1], [1, 2]], features=[[1.0], [0.5], [0.2]])
        >>> graph.keep_edges(np.array([True, False])).edges.tolist()
        [[0, 1]]
        """
        return self.with_edges(self.edges[kept])

    def with_edges(self, one_way: npt.NDArray[np.int64]) -> Graph:
        """The same nodes with other edges (unique ``i < j`` pairs, trusted; may be empty)."""
        return replace(self, adjacency=_symmetric_adjacency(one_way, self.n_nodes))

    def __repr__(self) -> str:
        name = "" if self.name == "graph" else f"{self.name}, "
        return f"Graph({name}nodes={self.n_nodes}, edges={self.n_edges}, features={self.n_features})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the same facts as a table."""
        facts = {"nodes": self.n_nodes, "edges": self.n_edges, "features": self.n_features, "classes": self.n_classes}
        split = {part: len(nodes) for part in ("train", "val", "test") if (nodes := getattr(self, part)) is not None}
        rows = "".join(
            f"<tr><th>{name}</th><td>{value:,}</td></tr>"
            for name, value in (facts | split).items()
            if value is not None
        )
        return f"<table><caption>{html.escape(self.name)}</caption>{rows}</table>"


# -- node pairs as single numbers -------------------------------------------------------------------


def edge_keys(pairs: Ints, n_nodes: int) -> Ints:
    """One number for each of the ``(P, 2)`` pairs, ``i * n_nodes + j``: in the order of the pairs, and unique to each.

    >>> edge_keys(np.array([[0, 2], [1, 2]]), 3).tolist()
    [2, 5]
    """
    return pairs[:, 0] * n_nodes + pairs[:, 1]


def key_edges(keys: Ints, n_nodes: int) -> Ints:
    """The pairs behind the numbers of :func:`edge_keys`.

    >>> key_edges(np.array([2, 5]), 3).tolist()
    [[0, 2], [1, 2]]
    """
    return np.stack([keys // n_nodes, keys % n_nodes], axis=1)


# -- checks on entry --------------------------------------------------------------------------------


def _as_pairs(edges: npt.ArrayLike) -> npt.NDArray[np.int64]:
    array = np.asarray(edges)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or 2 not in array.shape:
        raise InvalidGraphError(f"edges must have shape (E, 2) or (2, E), got {array.shape}")
    if array.shape[1] != 2:
        array = array.T
    if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and (array == np.floor(array)).all()):
        raise InvalidGraphError(f"edges must hold node numbers, got {array.dtype}")
    return array.astype(np.int64)


def _canonical_pairs(
    pairs: npt.NDArray[np.int64], n_nodes: int, *, both_ways_expected: bool = False
) -> tuple[npt.NDArray[np.int64], Repairs]:
    """Unique ``i < j`` pairs and a count of what was merged to get them.

    An edge list counts as undirected when no edge, or every edge, is given in both directions; a matrix
    only when it is symmetric. Anything between is counted as one-way edges.
    """
    loops = pairs[:, 0] == pairs[:, 1]
    pairs = pairs[~loops]
    keys = edge_keys(pairs, n_nodes)
    unique = sorted_unique(keys)
    ends = key_edges(unique, n_nodes)
    reverse = edge_keys(ends[:, ::-1], n_nodes)
    mutual = np.isin(unique, reverse)
    one_way = int((~mutual).sum())
    directed = one_way if (both_ways_expected or bool(mutual.any())) else 0
    canonical = sorted_unique(edge_keys(np.sort(ends, axis=1), n_nodes))
    repairs = Repairs(directed=directed, duplicates=int(len(keys) - len(unique)), self_loops=int(loops.sum()))
    return key_edges(canonical, n_nodes), repairs


def sorted_unique(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """What ``np.unique`` gives, by sorting: on the nearly sorted keys of large graphs many times faster."""
    ordered = np.sort(keys, kind="stable")
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _symmetric_adjacency(one_way: npt.NDArray[np.int64], n_nodes: int) -> sp.csr_array:
    both = np.concatenate([one_way, one_way[:, ::-1]])
    values = np.ones(len(both), dtype=np.float64)
    matrix = sp.csr_array((values, (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
    matrix.sort_indices()
    return _narrow_indices(matrix)


def _narrow_indices(matrix: sp.csr_array) -> sp.csr_array:
    """32-bit indices where they suffice: half the memory, and scikit-learn takes nothing else."""
    if max(matrix.nnz, *matrix.shape) < np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def _matrix_shape(features: Any) -> tuple[int, ...]:
    return tuple(features.shape) if hasattr(features, "shape") else np.shape(features)


def _checked_features(features: Any, n_nodes: int) -> Features:
    if features is None:
        return _narrow_indices(sp.csr_array(sp.eye_array(n_nodes, dtype=np.float64)))
    shape = _matrix_shape(features)
    if len(shape) != 2:
        raise InvalidGraphError(f"features must be a matrix (nodes x features), got shape {shape}")
    if shape[0] != n_nodes:
        raise InvalidGraphError(f"features describe {shape[0]} nodes, but the graph has {n_nodes}")
    if shape[1] == 0:
        raise InvalidGraphError("features have no columns; leave them out to use the graph alone")
    try:
        # What float64 cannot hold is infinite, a signaling NaN is a NaN: both are refused below.
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(features):
                matrix = _narrow_indices(sp.csr_array(features, dtype=np.float64))
                matrix.sum_duplicates()
                values = matrix.data
            else:
                matrix = np.ascontiguousarray(features, dtype=np.float64)
                values = matrix
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidGraphError(f"features are not numbers: {error}") from error
    if not np.isfinite(values).all():
        raise InvalidGraphError(f"features hold {_first_bad_entry(matrix)}; replace it before scoring")
    return matrix


def _first_bad_entry(matrix: Features) -> str:
    table = sp.coo_array(matrix)
    bad = int(np.flatnonzero(~np.isfinite(table.data))[0])
    what = "NaN" if np.isnan(table.data[bad]) else "an infinite value"
    return f"{what} at node {table.row[bad]}, column {table.col[bad]}"


def _checked_labels(labels: npt.ArrayLike | None, n_nodes: int) -> npt.NDArray[np.int64] | None:
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (n_nodes,):
        raise InvalidGraphError(f"labels have shape {array.shape}, but the graph has {n_nodes} nodes")
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.floor(array)).all()):
        raise InvalidGraphError("labels must be whole numbers, one class per node")
    if array.dtype.kind not in "iufb":
        raise InvalidGraphError(f"labels must be whole numbers, got {array.dtype}")
    return array.astype(np.int64)


def _checked_nodes(nodes: npt.ArrayLike | None, n_nodes: int, what: str) -> npt.NDArray[np.int64] | None:
    if nodes is None:
        return None
    array = np.asarray(nodes)
    if array.dtype == bool:
        if array.shape != (n_nodes,):
            raise InvalidGraphError(f"{what} mask has shape {array.shape}, the graph has {n_nodes} nodes")
        array = np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidGraphError(f"{what} nodes must be a list of node numbers or a mask")
    array = array.astype(np.int64)
    if array.size and (array.min() < 0 or array.max() >= n_nodes):
        raise InvalidGraphError(f"{what} nodes name a node outside 0…{n_nodes - 1}")
    return array


def _checked_ids(node_ids: Sequence[object] | Values | None, n_nodes: int) -> Values | None:
    if node_ids is None:
        return None
    array = np.asarray(node_ids)
    if array.ndim != 1:  # identifiers may themselves be tuples: keep them whole
        array = np.empty(len(node_ids), dtype=object)
        array[:] = list(node_ids)
    if len(array) != n_nodes:
        raise InvalidGraphError(f"{len(array)} node ids given, but the graph has {n_nodes} nodes")
    return array


def _checked_names(names: npt.ArrayLike | None, n_features: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    listed = [str(name) for name in np.asarray(names, dtype=object).ravel()]
    if len(listed) != n_features:
        raise InvalidGraphError(f"{len(listed)} feature names given, but there are {n_features} features")
    return tuple(listed)
