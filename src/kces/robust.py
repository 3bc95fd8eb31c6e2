"""The robust score: how complex it is to claim that the two ends of an edge agree.

An edge ``(i, j)`` asserts that its ends belong together, ``y_i = y_j = 1``. In a kernel κ with κ(i, i) = 1 the
complexity ``yᵀ H⁻¹ y`` of that assertion on the pair alone is

    KC(i, j) = 2 / (1 + λ + κ(i, j)),        κ(i, j) = Σ_v w_v c_v(i, j) / Σ_v w_v,

1 for ends that agree in everything, 2 for unrelated ends, more for ends that contradict each other. Three things make
κ hard to fool, all of them in closed form:

- **leave-edge-out**: the aggregated rows of i and j are those of the graph *without* the edge, so that an edge cannot
  vouch for itself (:func:`leave_edge_out_cosines`);
- **crossed hops**: ``c_pq`` compares ``T^p X`` at one end with ``T^q X`` at the other, for (p, q) in :data:`HOPS`,
  in the centred feature space and in its ``RANK`` leading directions after smoothing;
- **contrast**: the weight of a view is how well it tells edges from random pairs of nodes,
  ``w_v = max(0, mean_edges − mean_random) / variance_random``. No label is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.kernel import RIDGE, normalize_rows, propagation
from kces.progress import Progress, silent
from kces.types import Array, Features, Ints, is_sparse

__all__ = [
    "HOPS",
    "RANK",
    "CentredFeatures",
    "RobustEvidence",
    "contrast_weights",
    "leave_edge_out_cosines",
    "pair_complexity",
    "random_pairs",
    "robust_evidence",
    "robust_scores",
    "smoothed_projection",
    "train_label_scores",
]


HOPS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (2, 2))
"""Which hops are compared. Own features against a neighbourhood (0, q) is what an attacker controls least; (2, 2)
is the only view left when features merely number the nodes."""

RANK = 16
"""Leading directions of the smoothed features that form the second, denoised feature space."""

_NEEDS_OWN_FEATURES = [view for view, hops in enumerate(HOPS) if 0 in hops]
_RANDOM_PAIRS = 20_000
_COLUMN_BLOCK = 256
_PAIR_BLOCK = 8_192
_LABEL_RANK = 64
_LABEL_RIDGE = 1.0
_NOTHING = 1e-12
"""Squared lengths and variances below this, relative to unit rows, are rounding."""


@dataclass(frozen=True, eq=False)
class RobustEvidence:
    """Scores of the edges, and of random node pairs in the same kernel: the yardstick for choosing α.

    Attributes
    ----------
    scores : complexity of each edge's assertion, in the order of ``graph.edges``; higher = more suspicious.
    random_scores : the same for random pairs that are not edges.
    weights : weight of each view, summing to one; one row per feature space, one column per entry of ``HOPS``.
    own_features : False when the features alone cannot tell nodes apart, so that only the graph testifies.
    """

    scores: Array
    random_scores: Array
    weights: Array
    own_features: bool = True


def robust_scores(graph: Graph, seed: int = 0, progress: Progress = silent) -> Array:
    """Suspicion of every edge, aligned with ``graph.edges``; higher = more suspicious. Uses no labels.

    Time O((E + N) F) and memory O(E + N) beyond the graph: features are aggregated in blocks of columns.

    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[robust_scores(graph).argmax()].tolist()
    [4, 5]
    """
    return robust_evidence(graph, seed=seed, progress=progress).scores


def train_label_scores(graph: Graph, seed: int = 0, progress: Progress = silent) -> Array:
    """The robust score with one more feature space: the training labels, spread to all nodes by kernel ridge.

    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[train_label_scores(graph).argmax()].tolist()
    [4, 5]
    """
    return robust_evidence(graph, train_labels=True, seed=seed, progress=progress).scores


def robust_evidence(
    graph: Graph, *, train_labels: bool = False, seed: int = 0, progress: Progress = silent
) -> RobustEvidence:
    """Scores of all edges with what is needed to judge them: see :class:`RobustEvidence`."""
    unlinked = random_pairs(graph, np.random.default_rng(seed))
    pairs = np.concatenate([graph.edges, unlinked])
    features = CentredFeatures.of(graph.features)
    spaces = [leave_edge_out_cosines(graph, features, pairs, progress=progress)]
    own_features = _own_features_differ(spaces[0][graph.n_edges :])
    if own_features:
        spaces.append(leave_edge_out_cosines(graph, smoothed_projection(graph, features, RANK, seed), pairs))
    else:
        spaces[0][:, _NEEDS_OWN_FEATURES] = 0.0
    if train_labels:
        spaces.append(leave_edge_out_cosines(graph, _spread_labels(graph, features, seed), pairs))
    views = np.hstack(spaces)
    weights = contrast_weights(views[: graph.n_edges], views[graph.n_edges :])
    scores = pair_complexity(views @ weights)
    return RobustEvidence(
        scores=scores[: graph.n_edges],
        random_scores=scores[graph.n_edges :],
        weights=weights.reshape(-1, len(HOPS)),
        own_features=own_features,
    )


# -- the kernel complexity of a pair --------------------------------------------------------------------------------


def pair_complexity(kernel: Array) -> Array:
    """``yᵀ (H + λI)⁻¹ y`` of ``y = (1, 1)`` and ``H = [[1, κ], [κ, 1]]``: finite, since κ ≥ −1 and λ > 0."""
    return 2.0 / (1.0 + RIDGE + np.clip(kernel, -1.0, 1.0))


def contrast_weights(edges: Array, unlinked: Array) -> Array:
    """Weights of the views, summing to one: diagonal linear discriminant of edges against random pairs."""
    n_views = edges.shape[1]
    uniform = np.full(n_views, 1.0 / n_views)
    if len(unlinked) < 2:  # nearly complete graphs have no unlinked pairs to compare with
        return uniform
    variance = unlinked.var(axis=0)
    gap = np.maximum(edges.mean(axis=0) - unlinked.mean(axis=0), 0.0)
    weights = np.divide(gap, variance, out=np.zeros(n_views), where=variance > _NOTHING)
    return weights / weights.sum() if weights.sum() > 0 else uniform


def _own_features_differ(unlinked: Array) -> bool:
    """False for one-hot and constant features: every two nodes are then equally alike.

    Such features speak only through what they are aggregated with: a view of the bare features would count
    neighbours at best, and a low-rank space fitted to the smoothed features would memorise the edges.
    """
    return len(unlinked) < 2 or bool(unlinked[:, 0].var() > _NOTHING)


def random_pairs(graph: Graph, generator: np.random.Generator, size: int = _RANDOM_PAIRS) -> Ints:
    """At most ``size`` pairs that are not edges, each end drawn in proportion to its degree.

    So drawn, random pairs differ from edges in who is joined, not in how many links the ends have.

    >>> from kces.datasets.toys import path
    >>> pairs = random_pairs(path(4), np.random.default_rng(0), size=50)
    >>> sorted({(int(i), int(j)) for i, j in pairs})
    [(0, 2), (0, 3), (1, 3)]
    """
    ends = graph.edges.ravel()
    drawn = np.sort(generator.choice(ends, size=(size, 2)), axis=1)
    return drawn[(drawn[:, 0] != drawn[:, 1]) & ~_are_edges(graph, drawn)]


def _are_edges(graph: Graph, pairs: Ints) -> npt.NDArray[np.bool_]:
    """Which of the pairs, ``i <= j``, are edges."""
    return np.isin(pairs @ [graph.n_nodes, 1], graph.edges @ [graph.n_nodes, 1])


# -- similarity without the edge itself -----------------------------------------------------------------------------


def leave_edge_out_cosines(
    graph: Graph,
    features: Features | CentredFeatures,
    pairs: Ints,
    *,
    leave_out: bool = True,
    progress: Progress = silent,
) -> Array:
    """``(P, 4)`` cosines of the ends of ``pairs`` at :data:`HOPS`, with the pair's own entry of T set to zero.

    With ``t = T_ij``, ``Z = TX`` and ``S = T²X``, cutting the link (degrees kept) turns the rows of i into
    ``Z_i − t X_j`` and ``S_i − t (Z_j + T_ii X_j)``, and those of j likewise: all inner products follow from those
    of X, Z and S at the pair, and no row is ever formed. A pair that is not linked has t = 0. ``c_pq`` and ``c_qp``
    are averaged; the cosine with a zero row is 0. ``leave_out=False`` keeps the link, for comparison.

    >>> from kces.datasets.toys import path
    >>> graph = path(2)
    >>> cosines = leave_edge_out_cosines(graph, graph.features, graph.edges)
    >>> bool(np.allclose(cosines, cosines[0, 0]))  # without their only edge both nodes are just themselves
    True
    """
    source = features if isinstance(features, CentredFeatures) else CentredFeatures(features)
    at_nodes, at_pairs = _inner_products(graph, source, pairs, progress)
    cut = _are_edges(graph, pairs) & leave_out
    cosines = np.empty((len(pairs), len(HOPS)))
    for chunk in _chunks(len(pairs), _PAIR_BLOCK):
        first, second = pairs[chunk].T
        both = _both_ends(at_nodes[first], at_nodes[second], at_pairs[chunk])
        step = cut[chunk] / np.sqrt(graph.degrees[first] * graph.degrees[second])
        rows = _without_link(step, 1.0 / graph.degrees[first], 1.0 / graph.degrees[second])
        cosines[chunk] = _cosines(both, *rows)
    return cosines


def _inner_products(graph: Graph, features: CentredFeatures, pairs: Ints, progress: Progress) -> tuple[Array, Array]:
    """``(N, 3, 3)`` inner products of X, Z, S at each node, and ``(P, 3, 3)`` between the ends of each pair."""
    T = propagation(graph)
    at_nodes = np.zeros((graph.n_nodes, 3, 3))
    at_pairs = np.zeros((len(pairs), 3, 3))
    for done, block in enumerate(features.blocks()):
        progress("compare ends of edges", done, features.n_blocks)
        hops = [block, T @ block]
        hops.append(T @ hops[1])
        for a, b in np.ndindex(3, 3):
            at_nodes[:, a, b] += np.einsum("nf,nf->n", hops[a], hops[b])
        for chunk in _chunks(len(pairs), _PAIR_BLOCK):
            ends = [[hop[side] for hop in hops] for side in pairs[chunk].T]
            for a, b in np.ndindex(3, 3):
                at_pairs[chunk, a, b] += np.einsum("pf,pf->p", ends[0][a], ends[1][b])
    progress("compare ends of edges", features.n_blocks, features.n_blocks)
    return at_nodes, at_pairs


def _both_ends(first: Array, second: Array, between: Array) -> Array:
    """``(P, 6, 6)`` Gram matrices of the rows X_i, Z_i, S_i, X_j, Z_j, S_j."""
    both = np.empty((len(between), 6, 6))
    both[:, :3, :3], both[:, 3:, 3:] = first, second
    both[:, :3, 3:], both[:, 3:, :3] = between, between.transpose(0, 2, 1)
    return both


def _without_link(step: Array, own_first: Array, own_second: Array) -> tuple[Array, Array]:
    """``(P, 3, 6)`` coefficients of the three rows of i, and of j, in the basis of :func:`_both_ends`."""
    first, second = np.zeros((2, len(step), 3, 6))
    first[:, range(3), range(3)] = second[:, range(3), range(3, 6)] = 1.0
    first[:, 1, 3] = first[:, 2, 4] = second[:, 1, 0] = second[:, 2, 1] = -step
    first[:, 2, 3], second[:, 2, 0] = -step * own_first, -step * own_second
    return first, second


def _cosines(both: Array, first: Array, second: Array) -> Array:
    lengths = [_lengths(rows, both) for rows in (first, second)]
    products = first @ both @ second.transpose(0, 2, 1)
    scale = lengths[0][:, :, None] * lengths[1][:, None, :]
    table = np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)
    averaged = (table + table.transpose(0, 2, 1)) / 2.0
    return np.stack([averaged[:, p, q] for p, q in HOPS], axis=1)


def _lengths(rows: Array, both: Array) -> Array:
    """Lengths of the rows; what is left of a row that cancels to rounding counts as zero."""
    squares = np.einsum("pra,pab,prb->pr", rows, both, rows, optimize=True)
    scale = np.sqrt(np.maximum(np.einsum("paa->pa", both), 0.0))
    largest = np.einsum("pra,pa->pr", np.abs(rows), scale) ** 2
    return np.sqrt(np.where(squares > np.maximum(_NOTHING * largest, _NOTHING**2), squares, 0.0))


def _chunks(n: int, size: int) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, n, size))


# -- feature spaces -------------------------------------------------------------------------------------------------


class CentredFeatures:
    """Features minus the mean row, dense one block of columns at a time; a node without features stays at zero."""

    def __init__(self, matrix: Features, mean: Array | None = None, present: Array | None = None) -> None:
        self.matrix = matrix.tocsc() if is_sparse(matrix) else matrix
        self.n_columns = int(matrix.shape[1])
        self.mean = np.zeros(self.n_columns) if mean is None else mean
        self.present = np.ones(matrix.shape[0]) if present is None else present

    @classmethod
    def of(cls, features: Features) -> CentredFeatures:
        """Columns weighted by rarity, rows of unit length, then centred: the centred linear kernel."""
        present_in = np.diff(sp.csc_array(features).indptr) if is_sparse(features) else (features != 0).sum(axis=0)
        rarity = np.log1p(features.shape[0] / np.maximum(present_in, 1))
        weighted = features @ sp.diags_array(rarity) if is_sparse(features) else features * rarity
        unit, length = normalize_rows(weighted)
        present = (length > 0).astype(np.float64)
        mean = np.asarray(unit.sum(axis=0)).ravel() / max(present.sum(), 1.0)
        return cls(unit, mean, present)

    @property
    def n_blocks(self) -> int:
        return -(-self.n_columns // _COLUMN_BLOCK)

    def blocks(self) -> Iterator[Array]:
        for columns in _chunks(self.n_columns, _COLUMN_BLOCK):
            part = self.matrix[:, columns]
            dense = part.toarray() if is_sparse(part) else np.asarray(part)
            yield dense - np.outer(self.present, self.mean[columns])

    def times(self, matrix: Array) -> Array:
        """Centred features times a matrix with one row per column."""
        return np.asarray(self.matrix @ matrix) - np.outer(self.present, self.mean @ matrix)

    def transposed_times(self, matrix: Array) -> Array:
        return np.asarray(self.matrix.T @ matrix) - np.outer(self.mean, self.present @ matrix)


def smoothed_projection(graph: Graph, features: CentredFeatures, rank: int, seed: int) -> Array:
    """Centred features of each node along the leading directions of the smoothed ones, unit rows of ``T² X``."""
    T = propagation(graph)
    squares = np.zeros(graph.n_nodes)
    for block in features.blocks():
        squares += ((T @ (T @ block)) ** 2).sum(axis=1)
    inverse = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > _NOTHING**2)
    shape = (graph.n_nodes, features.n_columns)
    rank = min(rank, min(shape) - 1)
    if rank < 1 or not inverse.any():  # a single column, or constant features: nothing to choose from
        return features.times(np.eye(features.n_columns))
    smoothed = LinearOperator(
        shape,
        matvec=lambda v: inverse * (T @ (T @ features.times(v.reshape(-1, 1)).ravel())),
        rmatvec=lambda v: features.transposed_times((T @ (T @ (inverse * v.ravel()))).reshape(-1, 1)).ravel(),
        dtype=np.float64,
    )
    start = np.random.default_rng(seed).standard_normal(min(shape))
    directions = svds(smoothed, k=rank, v0=start, return_singular_vectors="vh")[2]
    return features.times(directions.T)


def _spread_labels(graph: Graph, features: CentredFeatures, seed: int) -> Array:
    """Soft labels of all nodes: kernel ridge on the train nodes, in a low-rank kernel of own and smoothed features."""
    if graph.labels is None or graph.train is None:
        raise InvalidGraphError(f"{graph.name} has no labels with train nodes; score it without train labels")
    known = graph.train[graph.labels[graph.train] >= 0]
    classes, codes = np.unique(graph.labels[known], return_inverse=True)
    if len(classes) < 2:
        raise InvalidGraphError(f"the train nodes of {graph.name} have fewer than two classes; leave the labels out")
    own = smoothed_projection(graph, features, _LABEL_RANK, seed)
    T = propagation(graph)
    rows = np.hstack([normalize_rows(own)[0], normalize_rows(np.asarray(T @ (T @ own)))[0]])
    target = np.eye(len(classes))[codes]
    train = rows[known]
    system = train.T @ train + _LABEL_RIDGE * np.eye(rows.shape[1])
    solution = scipy.linalg.solve(system, train.T @ (target - target.mean(axis=0)), assume_a="pos")
    return np.asarray(rows @ solution)
