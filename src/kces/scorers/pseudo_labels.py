"""Pseudo labels: cluster the aggregated features and map clusters to bounded numbers (paper, section 4.1)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import euclidean_distances, silhouette_score
from sklearn.mixture import GaussianMixture

from kces.canonical_order import canonical_orders
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.offered import CLUSTERINGS, ENCODINGS
from kces.scorers.cluster_order import cluster_centers, in_order_of_centers
from kces.types import Features, is_sparse

__all__ = ["PseudoLabels", "clustered_rows", "encode", "pseudo_labels"]

_AUTOMATIC_K = range(2, 16)
_SILHOUETTE_SAMPLE = 2000
_EVERY_NODE = 5_000
"""Nodes up to which the starts of K-means are run on all of them; on more, on a sample."""
_START_SAMPLE, _SAMPLE_PER_CLUSTER = 4_096, 100


@dataclass(frozen=True, eq=False)
class PseudoLabels:
    """Cluster of each node, and how it came about.

    Attributes
    ----------
    clusters : cluster number of each node, 0 … k-1, along the leading direction of the centers.
    k : number of clusters asked for.
    method : ``kmeans``, ``gmm``, ``spectral`` or ``given``.
    chosen_by : where k came from, in words.
    """

    clusters: npt.NDArray[np.int64]
    k: int
    method: str
    chosen_by: str


def pseudo_labels(
    graph: Graph,
    unit: Features,
    labels: str | npt.ArrayLike = "kmeans",
    *,
    clusters: int | None = None,
    seed: int = 0,
) -> PseudoLabels:
    """Pseudo label of every node from the row-normalized aggregated features ``unit``.

    ``labels`` is a clustering method, ``"given"`` (the labels of the graph) or an array with one class per
    node. Without ``clusters``, k is the number of known classes; without these it is the k in 2 … 15 whose
    K-means clustering has the best silhouette on (a sample of at most 2,000 of) the nodes.

    Starts are drawn from the canonical order of nodes and columns, and clusters are numbered by
    :func:`in_order_of_centers`: another numbering of the nodes has the same codes, another seed nearly the same.

    >>> from kces.kernel import aggregate, normalize_rows
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> found = pseudo_labels(graph, normalize_rows(aggregate(graph))[0])
    >>> found.k, found.chosen_by, len(set(found.clusters[:4])), len(set(found.clusters))
    (2, 'number of classes', 1, 2)
    """
    if not isinstance(labels, str) or labels == "given":
        return _given(graph, labels)
    if labels not in CLUSTERINGS:
        raise InvalidParameterError(
            f"unknown pseudo labels '{labels}'; use one of {', '.join(CLUSTERINGS)}, given, or one class per node"
        )
    order, columns = canonical_orders(graph)
    rows = unit[order][:, columns]
    k, chosen_by = _choose_k(graph, rows, clusters, seed)
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters, or a disconnected affinity graph: both leave a valid partition.
        warnings.simplefilter("ignore")
        found = np.empty(graph.n_nodes, dtype=np.int64)
        found[order] = _CLUSTER_WITH[labels](rows, k, seed)
    return PseudoLabels(in_order_of_centers(found, unit), k, labels, chosen_by)


def clustered_rows(rows: Features, seed: int = 0) -> npt.NDArray[np.int64]:
    """Cluster of each row by K-means, with as many clusters as have the best silhouette; the rows need no graph.

    >>> first, near, far, farther = clustered_rows(np.array([[0.0], [0.1], [5.0], [5.1]])).tolist()
    >>> first == near != far == farther
    True
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer distinct rows than clusters: still a valid partition
        return _kmeans(rows, _best_silhouette(rows, seed), seed)


def encode(clusters: npt.NDArray[np.int64], k: int, encoding: str = "linear") -> npt.NDArray[np.float64]:
    """Bounded codes ``(N, columns)`` of clusters: ``linear`` has one column in [-1, 1], ``onehot`` k columns.

    >>> encode(np.array([0, 1, 2]), 3).ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> encode(np.array([0, 1]), 2, "onehot").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if encoding == "linear":
        return np.linspace(-1.0, 1.0, k)[clusters][:, None]
    if encoding == "onehot":
        return np.eye(k)[clusters]
    raise InvalidParameterError(f"unknown encoding '{encoding}'; use one of {', '.join(ENCODINGS)}")


def _given(graph: Graph, labels: str | npt.ArrayLike) -> PseudoLabels:
    if isinstance(labels, str):
        if graph.labels is None:
            raise InvalidParameterError("labels 'given' asked for, but the graph has no labels")
        values: npt.NDArray[np.int64] = graph.labels
    else:
        values = np.asarray(labels)
    if values.shape != (graph.n_nodes,):
        raise InvalidParameterError(f"labels have shape {values.shape}, but the graph has {graph.n_nodes} nodes")
    classes, clusters = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise InvalidParameterError("labels name a single class; at least two are needed")
    return PseudoLabels(clusters.astype(np.int64), len(classes), "given", "labels of the caller")


def _choose_k(graph: Graph, unit: Features, clusters: int | None, seed: int) -> tuple[int, str]:
    if clusters is not None:
        if not 2 <= clusters <= graph.n_nodes:
            raise InvalidParameterError(
                f"number of clusters must lie in 2…{graph.n_nodes} (nodes of the graph), got {clusters}"
            )
        return int(clusters), "given"
    if graph.n_classes is not None and graph.n_classes >= 2:
        return graph.n_classes, "number of classes"
    return _best_silhouette(unit, seed), "best silhouette of K-means, k in 2…15"


def _sampled(unit: Features, size: int, seed: int) -> Features:
    """All rows, or ``size`` of them in their order; the rows come in canonical order, so no numbering matters."""
    n = unit.shape[0]
    return unit if n <= size else unit[np.sort(np.random.default_rng(seed).permutation(n)[:size])]


def _best_silhouette(unit: Features, seed: int) -> int:
    rows = _sampled(unit, _SILHOUETTE_SAMPLE, seed)
    distances = euclidean_distances(rows)  # once, for all k
    np.fill_diagonal(distances, 0.0)
    best_k, best = 2, -np.inf
    for k in _AUTOMATIC_K:
        if k >= rows.shape[0]:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = KMeans(k, n_init=1, random_state=seed).fit_predict(rows)
        if len(np.unique(found)) < 2:
            break
        quality = silhouette_score(distances, found, metric="precomputed")
        if quality > best + 1e-9:
            best_k, best = k, quality
    return best_k


def _kmeans(unit: Features, k: int, seed: int) -> npt.NDArray[np.int64]:
    """The best of several starts, sought where a start costs little: in the leading components and, on large graphs,
    on a sample of the nodes. From there K-means is run in full."""
    large = unit.shape[0] > _EVERY_NODE
    rows = _sampled(unit, max(_START_SAMPLE, _SAMPLE_PER_CLUSTER * k), seed) if large else unit
    # Lloyd's and Elkan's steps lead to the same clustering. On a few thousand rows of 64 numbers Elkan's bounds cost
    # more than the distances they skip; on all rows in full they halve the time.
    starts = KMeans(k, n_init=10 if large else 30, random_state=seed, algorithm="lloyd")
    start = starts.fit_predict(_reduce(rows, seed, 64))
    if len(np.unique(start)) == k:
        centers = cluster_centers(start, np.bincount(start), rows)
        return KMeans(k, init=centers, n_init=1, algorithm="elkan").fit_predict(_dense_if_dense(unit))
    if not large:  # fewer distinct rows than clusters
        return start
    return KMeans(k, n_init=1, random_state=seed, algorithm="elkan").fit_predict(_dense_if_dense(unit))


def _gmm(unit: Features, k: int, seed: int) -> npt.NDArray[np.int64]:
    reduced = _reduce(unit, seed)
    model = GaussianMixture(k, covariance_type="diag", reg_covar=1e-5, n_init=3, random_state=seed)
    return model.fit_predict(reduced)


def _spectral(unit: Features, k: int, seed: int) -> npt.NDArray[np.int64]:
    n = unit.shape[0]
    if k >= n:
        return np.arange(n)
    model = SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=min(10, n), assign_labels="kmeans", random_state=seed
    )
    return model.fit_predict(_reduce(unit, seed))


def _reduce(unit: Features, seed: int, width: int = 32) -> npt.NDArray[np.float64]:
    """The leading components, where there are more; on bag-of-words only they have a mixture of Gaussians."""
    if min(unit.shape) <= width + 1:
        return unit.toarray() if is_sparse(unit) else unit
    return TruncatedSVD(width, random_state=seed).fit_transform(_dense_if_dense(unit))


def _dense_if_dense(unit: Features) -> Features:
    """K-means on a CSR matrix that is mostly filled is slower than on an array."""
    if is_sparse(unit) and unit.nnz > 0.5 * unit.shape[0] * unit.shape[1]:
        return unit.toarray()
    return unit


_CLUSTER_WITH = {"kmeans": _kmeans, "gmm": _gmm, "spectral": _spectral}
