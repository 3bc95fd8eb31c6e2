"""Choosing α from the nodes whose label is known, in closed form and without training.

A good cut makes the labels that are known easy to fit. For each ratio of a grid the graph is cut there, and every
labeled node is predicted from the other labeled nodes by kernel ridge in the paper's kernel H: all leave-one-out
residuals follow from one inverse, ``(P y)_i / P_ii`` with ``P = (H + λI)⁻¹``. Squared residuals are compared node by
node, so that a lead counts only where it is sure.

Labels do not feel an attack on other nodes, and of many ratios the best leads by chance. So they correct the automatic
cut, and do not replace it: of the ratios that are not surely worse than the best one, the nearest to the automatic
ratio is taken. Where the scores could not judge, and labels are sure that something has to go, there is nothing to be
near to, and the best is taken. The cut never goes below the share of noise that the scores see: it may lie where no
label is. And where edges that look like random pairs are surely more frequent at nodes without a label than at those
with one, as under an attack on chosen targets, labels may ask for more, but not for less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from kces.cut import CANNOT_JUDGE, AlphaChoice
from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.kernel import gram, propagation, ridge_factor
from kces.marked_nodes import MarkedNodes
from kces.types import Array, Bools, Ints, is_sparse

__all__ = ["GRID", "LabeledChoice", "labeled_choice", "labeled_nodes", "leave_one_out_errors", "noise_spares_labels"]

GRID: tuple[float, ...] = (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Ratios that are tried, with the automatic one besides."""

SMOOTHING = 0.1
"""λ of the kernel ridge; choices are the same from 0.001 to 0.1."""

SURE = 2.5
"""Standard errors by which a ratio must be worse than the best one to be ruled out; more than the usual two, since the
best of a dozen ratios leads by chance. Noise must be as surely elsewhere for labels not to be heard."""

MOST_NODES = 1000
"""Of more labeled nodes this many are drawn: the work grows with the cube of their number."""

_SPARSE = 0.1
"""Share of entries above which products are quicker in dense form."""


@dataclass(frozen=True, eq=False)
class LabeledChoice:
    """What the labels say of each ratio, and the ratio taken.

    Attributes
    ----------
    alphas : (A,) ratios in increasing order.
    errors : (A,) mean squared leave-one-out error at each.
    worse : (A,) by how many standard errors each is worse than the best.
    n_nodes : labeled nodes that were asked.
    choice : the ratio taken, and why.
    """

    alphas: tuple[float, ...]
    errors: Array
    worse: Array
    n_nodes: int
    choice: AlphaChoice


def labeled_choice(
    graph: Graph,
    kept_at: Callable[[float], Bools],
    automatic: AlphaChoice,
    *,
    grid: Sequence[float] = GRID,
    unrelated: Bools | None = None,
) -> LabeledChoice:
    """Choose between the ratios of ``grid`` and the automatic one by the labels of train and validation nodes.

    Parameters
    ----------
    graph : with labels; test labels are never read.
    kept_at : mask of the edges that a cut at a ratio keeps.
    automatic : what the scores say without labels.
    grid : ratios to try.
    unrelated : (E,) edges that look like random pairs, where that is known: it tells whether noise lies near labels.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> automatic = AlphaChoice(0.05, "so say the scores")
    >>> bridge_first = lambda alpha: np.arange(21) != 10 if alpha else np.ones(21, dtype=bool)
    >>> labeled_choice(graph, bridge_first, automatic).choice.alpha
    0.05
    """
    nodes = labeled_nodes(graph)
    alphas = tuple(sorted({*map(float, grid), automatic.alpha}))
    errors = np.array([leave_one_out_errors(graph.keep_edges(kept_at(alpha)), nodes) for alpha in alphas])
    best = int(errors.mean(axis=1).argmin())
    worse = _standard_errors_apart(errors, best)
    chosen = _nearest_possible(alphas, worse, automatic)
    spared = unrelated is not None and noise_spares_labels(graph, unrelated)
    choice = _corrected(automatic, alphas[chosen], alphas[best], len(nodes), spared=spared)
    return LabeledChoice(alphas, errors.mean(axis=1), worse, len(nodes), choice)


def _nearest_possible(alphas: Sequence[float], worse: Array, automatic: AlphaChoice) -> int:
    """Which ratio to take: the automatic one if labels allow it, else the nearest, or the best where none is known.

    >>> _nearest_possible((0.0, 0.1, 0.2), np.array([9.0, 2.0, 0.0]), AlphaChoice(0.0, "clean", "clean"))
    1
    >>> _nearest_possible((0.0, 0.1, 0.2), np.array([9.0, 2.0, 0.0]), AlphaChoice(0.0, "no idea", "cannot judge"))
    2
    """
    possible = np.flatnonzero(worse <= SURE)
    distance = np.abs(np.array(alphas)[possible] - automatic.alpha)
    if automatic.verdict == CANNOT_JUDGE and distance.min() > 0:
        return int(worse.argmin())
    return int(possible[distance.argmin()])


def noise_spares_labels(graph: Graph, unrelated: Bools) -> bool:
    """Whether edges that look like random pairs are surely more frequent at nodes without a label than at the others.

    Parameters
    ----------
    graph : with labels; what counts as labeled is what :func:`labeled_nodes` draws from.
    unrelated : (E,) which edges look like random pairs.

    Examples
    --------
    >>> from kces.datasets.builtin import load_builtin
    >>> graph = load_builtin("synthetic:n=300,seed=0")
    >>> labeled = np.isin(graph.edges, labeled_nodes(graph))
    >>> noise_spares_labels(graph, ~labeled.any(axis=1)), noise_spares_labels(graph, labeled.all(axis=1))
    (True, False)
    """
    labeled = np.zeros(graph.n_nodes, dtype=bool)
    labeled[_known_nodes(graph)] = True
    marks = MarkedNodes.of(graph.edges, unrelated)
    elsewhere, error_elsewhere = marks.rate_at(~labeled)
    here, error_here = marks.rate_at(labeled)
    return elsewhere - here > SURE * float(np.hypot(error_elsewhere, error_here))


def labeled_nodes(graph: Graph) -> Ints:
    """Train and validation nodes with a label; without a split, all nodes that have one. At most ``MOST_NODES``.

    >>> from kces.datasets.toys import barbell
    >>> labeled_nodes(barbell()).tolist()
    [0, 1, 3, 4, 6, 7, 9]
    """
    known = _known_nodes(graph)
    if len(known) > MOST_NODES:
        known = np.sort(np.random.default_rng(0).choice(known, MOST_NODES, replace=False))
    return known


def _known_nodes(graph: Graph) -> Ints:
    """All nodes whose label may be read."""
    if graph.labels is None:
        raise InvalidGraphError(f"{graph.name} has no labels to choose alpha by; use alpha auto, or a number")
    parts = [part for part in (graph.train, graph.val) if part is not None]
    if not parts and graph.test is not None:
        raise InvalidGraphError(f"{graph.name} has test nodes only, whose labels are not read; use alpha auto")
    asked = np.unique(np.concatenate(parts)) if parts else np.arange(graph.n_nodes)
    known = asked[graph.labels[asked] >= 0]
    if len(np.unique(graph.labels[known])) < 2:
        raise InvalidGraphError(
            f"the labeled train and validation nodes of {graph.name} have fewer than two classes; use alpha auto"
        )
    return known


def leave_one_out_errors(graph: Graph, nodes: Ints) -> Array:
    """(n,) squared error of kernel ridge at each of ``nodes``, fitted to the labels of the others.

    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> bool(leave_one_out_errors(graph, labeled_nodes(graph)).max() < 0.5)
    True
    """
    if graph.labels is None:
        raise InvalidGraphError(f"{graph.name} has no labels")
    classes, codes = np.unique(graph.labels[nodes], return_inverse=True)
    truth = np.eye(len(classes))[codes]
    rows = propagation(graph)[nodes] @ graph.features
    if is_sparse(rows) and rows.nnz > _SPARSE * np.prod(rows.shape):
        rows = rows.toarray()
    inverse = _inverse(gram(rows), SMOOTHING)
    residuals = inverse @ (truth - truth.mean(axis=0)) / np.diag(inverse)[:, None]
    errors: Array = (residuals**2).sum(axis=1)
    return errors


def _inverse(H: Array, ridge: float) -> Array:
    """``(H + ridge I)⁻¹`` of a kernel matrix, from its Cholesky factor.

    >>> _inverse(np.array([[0.5, 0.1], [0.1, 0.5]]), 0.5).round(3).tolist()
    [[1.01, -0.101], [-0.101, 1.01]]
    """
    factor, _ = ridge_factor(H, ridge)
    lower, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
    lower = np.tril(lower)
    inverse: Array = lower + np.tril(lower, -1).T
    return inverse


def _standard_errors_apart(errors: Array, best: int) -> Array:
    """(A,) by how many standard errors of the paired difference each row is above the best one."""
    difference = errors - errors[best]
    spread = difference.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    return np.divide(difference.mean(axis=1), spread, out=np.zeros(len(errors)), where=spread > 0)


def _corrected(automatic: AlphaChoice, asked: float, best: float, n_nodes: int, *, spared: bool) -> AlphaChoice:
    """The automatic choice moved to what labels ask for, but not below what they cannot know of.

    >>> noisy = AlphaChoice(0.3, "so say the scores", "noisy", 0.2, (0.1, 0.2))
    >>> [_corrected(noisy, 0.1, 0.1, 9, spared=spared).alpha for spared in (False, True)]
    [0.2, 0.3]
    """
    least = 0.0 if automatic.noise is None else min(automatic.noise, automatic.alpha)
    if spared and automatic.verdict == "noisy" and asked < automatic.alpha:
        said = f"noise lies where no label is, so the labels of {n_nodes} nodes do not lower the automatic cut"
        return replace(automatic, reason=f"{said}: {automatic.reason}")
    alpha = max(asked, least)
    if alpha == automatic.alpha:
        said = f"the labels of {n_nodes} nodes do not speak against the automatic cut: {automatic.reason}"
        return replace(automatic, reason=said)
    said = (
        f"labels of {n_nodes} nodes are surely easier to fit at {best:.3g} than at the automatic {automatic.alpha:.3g}"
    )
    if alpha == automatic.noise:
        said += ", but this much looks like noise"
    return replace(automatic, alpha=alpha, reason=said, verdict="noisy" if alpha > 0 else "clean")
