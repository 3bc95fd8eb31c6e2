"""Nettack (Zügner et al., 2018), structure only: each target's own edges, by the linear surrogate's margin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.degree_test import unnoticeable
from kces.lab.attacks.flips import Details, Stopwatch, apply_flips, attacked_graph
from kces.lab.attacks.interface import known_labels, train_nodes
from kces.lab.attacks.surrogate import FloatArray, single_precision, train_linear_surrogate
from kces.progress import Progress, silent

__all__ = ["default_targets", "logits_after_flip", "nettack"]

Nodes = npt.NDArray[np.int64]


def nettack(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    targets: npt.ArrayLike | None = None,
    hidden: int = 16,
    degree_test: bool = False,
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """Flip ``budget`` edges at each target, one target after another, all into one graph.

    Parameters
    ----------
    budget : perturbations per target, a whole number.
    targets : the nodes attacked; default: test nodes with more than 10 neighbors.
    hidden : width of the linear surrogate, trained once on the clean graph.
    degree_test : allow only flips that keep the power law of the degrees within the published
        likelihood-ratio bound. Off by default: a few flips per target never strain it on citation graphs.
    checkpoint : file that keeps the state, saved once a minute; the same call goes on from there.

    Notes
    -----
    A flip is judged by the target's margin between its true class and the best other class, computed
    exactly for all candidates at once. As in the published code the attacker knows the targets' labels.
    A pair is flipped once at most, so exactly ``budget * len(targets)`` edges change; neither end of a
    removed edge may lose its last neighbor.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> attacked = nettack(ring, 1, targets=[2, 5])
    >>> len(attacked.added) + len(attacked.removed), attacked.targets.tolist()
    (2, [2, 5])
    """
    per_target = _whole_number(budget)
    rng = np.random.default_rng(seed)
    train_nodes(graph, "nettack")
    chosen = default_targets(graph) if targets is None else _checked_targets(targets, graph)
    labels = known_labels(graph, "nettack")
    surrogate = train_linear_surrogate(graph, rng, hidden=hidden)
    outputs = single_precision(graph.features) @ surrogate.weights
    if labels[chosen].max() >= outputs.shape[1]:
        raise InvalidGraphError(f"nettack: a target of {graph.name} has a class that no train node has")
    details: Details = {"hidden": hidden, "degree_test": degree_test}
    run = {"method": "nettack", "budget": per_target, "seed": seed, "targets": chosen.tolist(), **details}
    stored = Checkpoint(checkpoint, graph, run)
    before, seconds = stored.load()
    watch = Stopwatch(earlier=seconds)
    flips: list[tuple[int, int]] = [(i, j) for i, j in before.get("flips", np.empty((0, 2))).tolist()]
    adjacency = apply_flips(graph, _pairs(flips)).adjacency
    for position in range(len(flips) // per_target, len(chosen)):
        target = int(chosen[position])
        for _ in range(per_target):
            gains = _gains(adjacency, target, outputs, int(labels[target]))
            allowed = _allowed_partners(adjacency, _pairs(flips), target)
            if degree_test:
                allowed &= unnoticeable(graph, adjacency, target)
            if not allowed.any():
                raise InvalidParameterError(f"no edge of target {target} is left to flip; lower the budget")
            partner = int(np.where(allowed, gains, -np.inf).argmax())
            flips.append((min(target, partner), max(target, partner)))
            adjacency = _flipped(adjacency, target, partner)
        stored.save({"flips": np.array(flips, dtype=np.int64)}, watch.seconds())
        progress("nettack", position + 1, len(chosen))
    stored.clear()
    return attacked_graph(
        graph,
        np.array(flips, dtype=np.int64),
        method="nettack",
        budget=per_target,
        seed=seed,
        watch=watch,
        targets=chosen,
        **details,
    )


def default_targets(graph: Graph) -> Nodes:
    """Test nodes with more than 10 neighbors: the published choice."""
    if graph.test is None:
        raise InvalidGraphError(f"nettack needs targets; {graph.name} has no test nodes to choose them from")
    neighbors = np.diff(graph.adjacency.indptr)
    targets = np.unique(graph.test[neighbors[graph.test] > 10])
    if len(targets) == 0:
        raise InvalidGraphError(f"no test node of {graph.name} has more than 10 neighbors; name targets")
    return targets


def _whole_number(budget: float) -> int:
    if not (budget >= 1 and float(budget).is_integer()):
        raise InvalidParameterError(f"nettack's budget is perturbations per target, 1 or more, got {budget}")
    return int(budget)


def _checked_targets(targets: npt.ArrayLike, graph: Graph) -> Nodes:
    nodes = np.asarray(targets)
    if nodes.ndim != 1 or nodes.size == 0 or nodes.dtype.kind not in "iu":
        raise InvalidParameterError("targets must be a list of node numbers")
    if nodes.min() < 0 or nodes.max() >= graph.n_nodes:
        raise InvalidParameterError(f"targets name a node outside 0…{graph.n_nodes - 1}")
    if len(np.unique(nodes)) != len(nodes):
        raise InvalidParameterError("targets name a node twice")
    return nodes.astype(np.int64)


def _pairs(flips: list[tuple[int, int]]) -> Nodes:
    return np.array(flips, dtype=np.int64).reshape(-1, 2)


def _gains(adjacency: sp.csr_array, target: int, outputs: FloatArray, label: int) -> FloatArray:
    """(N,) how far another class is above the target's own when the pair with each node is flipped."""
    logits = logits_after_flip(adjacency, target, outputs)
    others: FloatArray = np.delete(logits, label, axis=1).max(axis=1)
    return others - logits[:, label]


def _flipped(adjacency: sp.csr_array, i: int, j: int) -> sp.csr_array:
    """The adjacency with one pair flipped; a graph made anew would cost a hundred times as much.

    >>> _flipped(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 0, 1).nnz
    0
    """
    change = 1.0 - 2.0 * adjacency[i, j]
    both = sp.csr_array(([change, change], ([i, j], [j, i])), shape=adjacency.shape)
    changed = sp.csr_array(adjacency + both)
    changed.eliminate_zeros()
    changed.sort_indices()
    return changed


def _allowed_partners(adjacency: sp.csr_array, flipped: Nodes, target: int) -> npt.NDArray[np.bool_]:
    neighbors = np.diff(adjacency.indptr)
    mine = _neighbors(adjacency, target)
    allowed = np.ones(adjacency.shape[0], dtype=bool)
    allowed[target] = False
    allowed[mine[np.minimum(neighbors[mine], neighbors[target]) <= 1]] = False
    allowed[flipped[flipped[:, 0] == target, 1]] = False
    allowed[flipped[flipped[:, 1] == target, 0]] = False
    return allowed


def _neighbors(adjacency: sp.csr_array, node: int) -> Nodes:
    return adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]


@dataclass(frozen=True, eq=False)
class _AroundTarget:
    """Sums over the target's neighbors k that every candidate flip shares; ``p = d^-1/2``."""

    scale: FloatArray  # p
    local: FloatArray  # Y_k = Σ_{l in N[k]} p_l Z_l
    total: FloatArray  # Σ_k p_k² Y_k
    weight: float  # Σ_k p_k²
    common: FloatArray  # for every j: Σ_{k linked to j} p_k²

    @classmethod
    def of(cls, adjacency: sp.csr_array, target: int, outputs: FloatArray) -> _AroundTarget:
        scale = 1 / np.sqrt(np.diff(adjacency.indptr) + 1.0)
        scaled = scale[:, None] * outputs
        local = adjacency @ scaled + scaled
        mine = _neighbors(adjacency, target)
        squares = scale[mine] ** 2
        common = adjacency[mine].T @ squares
        return cls(scale, local, squares @ local[mine], float(squares.sum()), common)


def logits_after_flip(adjacency: sp.csr_array, target: int, outputs: FloatArray) -> FloatArray:
    """Row j: the target's logits ``(T²Z)_target`` after the pair (target, j) is flipped. Row target is unused.

    ``outputs`` is ``Z = X W``. Only the degrees of target and j change, so with the shared sums each
    candidate costs a few additions.
    """
    around = _AroundTarget.of(adjacency, target, outputs)
    mine = _neighbors(adjacency, target)
    is_edge = np.zeros(adjacency.shape[0], dtype=bool)
    is_edge[mine] = True
    change = np.where(is_edge, -1.0, 1.0)
    degrees = np.diff(adjacency.indptr) + 1.0
    # A flip that would take a node's only neighbor is never chosen; the maximum keeps its row finite.
    new_scale = 1 / np.sqrt(np.maximum(degrees + change, 1.0))
    own_scale = 1 / np.sqrt(np.maximum(degrees[target] + change, 1.0))

    own_shift = own_scale - around.scale[target]
    shift = new_scale - around.scale
    own = outputs[target]

    kept_neighbor = np.where(is_edge, around.scale**2, 0.0)  # a removed j is no longer summed over
    through_neighbors = (
        around.total
        - kept_neighbor[:, None] * around.local
        + ((around.weight - kept_neighbor) * own_shift)[:, None] * own
        + (around.common * shift)[:, None] * outputs
    )
    partner_in_own = np.where(is_edge, -around.scale, new_scale)
    own_local = around.local[target] + own_shift[:, None] * own + partner_in_own[:, None] * outputs
    new_local = around.local + shift[:, None] * outputs + own_scale[:, None] * own
    through_partner = np.where(is_edge, 0.0, new_scale**2)[:, None] * new_local
    return own_scale[:, None] * (through_neighbors + (own_scale**2)[:, None] * own_local + through_partner)
