"""New links scored against a known graph, without scoring it again.

A new link is compared like any other: by the rows of its ends in the graph without it, which is the known graph. Of
these rows only what lies within two steps of the ends is computed. What is approximated: the ends keep the degrees that
they have without the link, the weights, leading directions and the cut are those of the known graph, and new links do
not see each other. A link that the graph has already gets the score that it has there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kces.errors import InvalidGraphError
from kces.memory import require_memory
from kces.scale.graph_folder import GraphFolder
from kces.scale.score_model import ScoreModel
from kces.scorers.dense_hops import add_products
from kces.scorers.link_cosines import cosines_from_products
from kces.scorers.robust import pair_complexity
from kces.types import Array, Bools, Ints

__all__ = ["AddedScores", "score_added"]

_BATCH = 2_000


@dataclass(frozen=True, eq=False)
class AddedScores:
    """Scores of new links.

    Attributes
    ----------
    scores : (P,) as those of the known links; NaN for a node with itself.
    known : (P,) which links the graph has already.
    suspicious : (P,) which would go at the cut of the known graph.
    above : (P,) percent of the known links that are less suspicious.
    """

    scores: Array
    known: Bools
    suspicious: Bools
    above: Array


def score_added(folder: GraphFolder, model: ScoreModel, pairs: Ints) -> AddedScores:
    """Score new links.

    Parameters
    ----------
    folder : the known graph.
    model : of its scores.
    pairs : (P, 2) numbers of nodes that are there.
    """
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= folder.n_nodes):
        raise InvalidGraphError(
            f"new links name a node outside 0…{folder.n_nodes - 1}; convert the graph with it first"
        )
    ordered = np.sort(pairs, axis=1)
    links = ordered[:, 0] != ordered[:, 1]
    known = np.zeros(len(pairs), dtype=bool)
    known[links] = folder.are_edges(ordered[links])
    scores = np.full(len(pairs), np.nan)
    numbers = np.flatnonzero(links)
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        scores[batch] = _scored(folder, model, ordered[batch], known[batch])
    above = np.where(links, model.percent_above(np.nan_to_num(scores)), np.nan)
    return AddedScores(scores, known, np.nan_to_num(scores) >= model.threshold, above)


def _scored(folder: GraphFolder, model: ScoreModel, pairs: Ints, known: Bools) -> Array:
    ends, places = np.unique(pairs, return_inverse=True)
    local = places.reshape(pairs.shape)
    hops, degrees = _hops(folder, model, ends), folder.degrees[ends]
    step = known / np.sqrt(degrees[local[:, 0]] * degrees[local[:, 1]])
    spaces = [hops] + ([hops @ model.directions] if model.directions.shape[1] else [])
    views = np.hstack([_cosines(np.ascontiguousarray(space), local, step, degrees) for space in spaces])
    views[:, model.void] = 0.0
    return pair_complexity(views @ model.weights)


def _cosines(hops: Array, pairs: Ints, step: Array, degrees: Array) -> Array:
    everyone, at_nodes, at_pairs = np.arange(len(hops)), np.zeros((len(hops), 3, 3)), np.zeros((len(pairs), 3, 3))
    add_products(hops, everyone, everyone, at_nodes)
    add_products(hops, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]), at_pairs)
    return cosines_from_products(pairs, step, degrees, at_nodes, np.einsum("naa->na", at_nodes), at_pairs)


def _hops(folder: GraphFolder, model: ScoreModel, ends: Ints) -> Array:
    """(len(ends), 3, F) rows of X, Z and S at some nodes, from their neighborhoods of two steps."""
    near = _with_neighbors(folder, ends)
    wide = _with_neighbors(folder, near)
    needed = 8 * folder.n_features * (len(wide) + len(near) + 3 * len(ends))
    require_memory(needed, f"the {len(wide)} nodes around new links", "score fewer new links at a time")
    rows = folder.rows_at(wide) * model.rarity * model.inverse[wide, None]
    rows -= np.outer(model.inverse[wide] > 0, model.mean)
    once = _propagation(folder, near, wide) @ rows
    hops = np.empty((len(ends), 3, folder.n_features))
    hops[:, 0] = rows[np.searchsorted(wide, ends)]
    hops[:, 1] = once[np.searchsorted(near, ends)]
    hops[:, 2] = _propagation(folder, ends, near) @ once
    return hops


def _with_neighbors(folder: GraphFolder, nodes: Ints) -> Ints:
    rows = [folder.indices[folder.indptr[node] : folder.indptr[node + 1]] for node in nodes.tolist()]
    return np.unique(np.concatenate([nodes, *rows]).astype(np.int64))


def _propagation(folder: GraphFolder, nodes: Ints, among: Ints) -> sp.csr_array:
    """The rows of T at ``nodes``, whose neighbors are all ``among`` the columns."""
    rows = [folder.indices[folder.indptr[node] : folder.indptr[node + 1]] for node in nodes.tolist()]
    counts = np.array([len(row) + 1 for row in rows])
    targets = np.concatenate([part for node, row in zip(nodes.tolist(), rows, strict=True) for part in ([node], row)])
    scale = folder.degrees**-0.5
    values = np.repeat(scale[nodes], counts) * scale[targets]
    starts = np.concatenate([[0], np.cumsum(counts)])
    return sp.csr_array((values, np.searchsorted(among, targets), starts), shape=(len(nodes), len(among)))
