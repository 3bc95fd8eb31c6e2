"""One global solve ``a = (H + λI)⁻¹ y``, in the way that fits the number of nodes.

- up to 4,096 nodes, or 8,192 with more than 1,024 features: Cholesky in double precision;
- up to 24,000 nodes: conjugate gradients on H, of which one triangle is kept in 16 bits (390 MB for Pubmed);
- beyond: the kernel is replaced by its linear term for all pairs plus the exact rest within blocks of similar nodes,
  and that is solved directly: O(N (F² + block²)) time and O(N F) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import NEAR, fast_gram, kernel_value, near_cosine, single_kernel_value
from kces.engines.problem import Problem
from kces.engines.triangle import KernelTriangle, triangle_memory
from kces.errors import SingularKernelError
from kces.graph import Graph
from kces.kernel import ridge_factor
from kces.memory import available_memory
from kces.progress import Progress, silent
from kces.types import Array, Features, Ints, is_sparse

__all__ = ["Solution", "dense", "similarity_blocks", "solve_codes", "solve_memory", "takes_all_pairs"]


DIRECT_LIMIT = 4_096
_DIRECT_LIMIT_WIDE = 8_192
_WIDE = 1_024
ITERATIVE_LIMIT = 24_000
_TOLERANCE = 3e-2
"""Of the residual; on Pubmed it leaves some two percent of error in ``a``, below what the ranking feels."""
_MAX_ITERATIONS = 200
_SAFE_RIDGE = 1e-4
"""Above the rounding of ``fast_gram`` (2e-8 an entry) on the largest graph solved directly: H + λI is then definite."""
_BLOCK = 1_024
_ROUNDING = 1e-5
"""Added to the diagonal of blocks made in single precision, so that twins do not make them indefinite."""


@dataclass(frozen=True, eq=False)
class Solution:
    """``a`` (N x columns), how it was found, and the kernel where all of it was stored on the way."""

    a: Array
    method: str
    triangle: KernelTriangle | None = None


def solve_codes(problem: Problem, *, seed: int = 0, method: str = "auto", progress: Progress = silent) -> Solution:
    """Solve for the codes; ``method`` is ``direct``, ``iterative``, ``partition`` or ``auto`` (by size)."""
    if method == "auto":
        method = _method_for(problem.graph)
    if problem.ridge == 0 and method != "direct":
        n = problem.graph.n_nodes
        raise SingularKernelError(f"with {n} nodes the kernel is solved approximately, which needs a ridge > 0")
    if method == "iterative":
        return _solve_iteratively(problem, progress)
    progress("solve the kernel", 0, 1)
    a = _solve_directly(problem) if method == "direct" else _solve_partitioned(problem, seed)
    progress("solve the kernel", 1, 1)
    return Solution(a, method)


def takes_all_pairs(graph: Graph) -> bool:
    """Whether inner products of all pairs of nodes are made: on small graphs, and on somewhat larger ones whose
    features are so many that making products on demand would cost more."""
    return graph.n_nodes <= (_DIRECT_LIMIT_WIDE if graph.n_features > _WIDE else DIRECT_LIMIT)


def _method_for(graph: Graph) -> str:
    if takes_all_pairs(graph):
        return "direct"
    fits = triangle_memory(graph.n_nodes) < 0.5 * available_memory()
    return "iterative" if graph.n_nodes <= ITERATIVE_LIMIT and fits else "partition"


def solve_memory(graph: Graph) -> int:
    """Bytes that the solve needs at its peak, with the inner products kept beside it on small graphs."""
    n_nodes = graph.n_nodes
    method = _method_for(graph)
    if method == "direct":
        return 5 * 8 * n_nodes**2
    if method == "iterative":
        return triangle_memory(n_nodes)
    return 8 * n_nodes * _WIDE + 8 * 4 * _BLOCK**2


def dense(matrix: Features, dtype: type = np.float64) -> npt.NDArray:
    """As a C-ordered array, for compiled loops and BLAS."""
    return np.ascontiguousarray(matrix.toarray() if is_sparse(matrix) else matrix, dtype=dtype)


def _solve_directly(problem: Problem) -> Array:
    H = fast_gram(problem.ZZ, problem.inverse_lengths)
    if problem.ridge < _SAFE_RIDGE:
        factor = ridge_factor(H, problem.ridge)
    else:  # in place: two copies of H would cost as much as the factorisation of a small graph
        H[np.diag_indices_from(H)] += problem.ridge
        factor = scipy.linalg.cho_factor(H.T, lower=True, overwrite_a=True, check_finite=False)
    return scipy.linalg.cho_solve(factor, problem.codes, check_finite=False)


# -- conjugate gradients on one stored triangle -------------------------------------------------------------------


def _solve_iteratively(problem: Problem, progress: Progress) -> Solution:
    progress("store the kernel", 0, 1)
    unit = dense(problem.unit, np.float32)
    triangle = KernelTriangle(unit)
    progress("store the kernel", 1, 1)
    progress("solve the kernel", 0, 1)
    with threadpool_limits(1, user_api="blas"):  # few products, whose rounding would depend on the threads
        a = _conjugate_gradients(problem, unit, triangle)
    progress("solve the kernel", 1, 1)
    return Solution(a, "iterative", triangle)


def _conjugate_gradients(problem: Problem, unit: npt.NDArray[np.float32], operator: KernelTriangle) -> Array:
    """Preconditioned by the linear part of the kernel: ``H ≈ Z Zᵀ w + μ I`` is inverted through an F x F matrix."""
    precondition = _linear_preconditioner(unit, problem.ridge)
    x = np.zeros_like(problem.codes)
    residual = problem.codes.copy()
    direction = preconditioned = precondition(residual)
    energy = np.sum(residual * preconditioned, axis=0)
    wanted = _TOLERANCE * np.linalg.norm(problem.codes, axis=0)
    for _ in range(_MAX_ITERATIONS):
        image = operator @ direction + problem.ridge * direction
        step = energy / np.maximum(np.sum(direction * image, axis=0), 1e-300)
        x += step * direction
        residual = residual - step * image
        if (np.linalg.norm(residual, axis=0) <= wanted).all():
            break
        preconditioned = precondition(residual)
        new_energy = np.sum(residual * preconditioned, axis=0)
        direction = preconditioned + (new_energy / np.maximum(energy, 1e-300)) * direction
        energy = new_energy
    return x


def _linear_preconditioner(unit: npt.NDArray[np.float32], ridge: float):
    """``(w Z Zᵀ + μ I)⁻¹`` by Woodbury; w and μ from the kernel's expansion k(c) = c/4 + c²/2π + …, k(1) = 1/2."""
    weight, rest = 0.25 + 0.5 / np.pi, 0.5 - 0.25 - 0.5 / np.pi + ridge
    inner = (unit.T @ unit).astype(np.float64)
    inner[np.diag_indices_from(inner)] += rest / weight
    factor = scipy.linalg.cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def apply(vectors: Array) -> Array:
        projected = scipy.linalg.cho_solve(factor, (unit.T @ vectors.astype(np.float32)).astype(np.float64))
        return (vectors - unit @ projected.astype(np.float32)) / rest

    return apply


# -- partitions with a shared linear part -----------------------------------------------------------------------


def similarity_blocks(unit: Features, size: int, seed: int = 0) -> list[Ints]:
    """Split the nodes into blocks of at most ``size`` by halving along the direction of largest spread.

    Nodes that the kernel couples strongly have similar aggregated features; the graph is already in these.
    """
    generator = np.random.default_rng(seed)
    pending, blocks = [np.arange(unit.shape[0])], []
    while pending:
        nodes = pending.pop()
        if len(nodes) <= size:
            blocks.append(np.sort(nodes))
            continue
        rows = unit[nodes]
        direction = generator.standard_normal(unit.shape[1])
        for _ in range(4):  # power iteration: the leading direction of the centred rows
            along = rows @ direction
            along = along - along.mean()
            direction = rows.T @ along
            direction /= np.linalg.norm(direction) + 1e-300
        order = np.argsort(rows @ direction, kind="stable")
        middle = len(nodes) // 2
        pending += [nodes[order[:middle]], nodes[order[middle:]]]
    return blocks


@numba.njit(parallel=True, fastmath=True, cache=True)
def _kernel_in_place(cosines, rows):
    """Cosines of single-precision unit rows to kernel values, those near 1 by way of the rows' difference."""
    for p in numba.prange(len(cosines)):
        for q in range(len(cosines)):  # a loop of its own, so that it is vectorised
            cosines[p, q] = single_kernel_value(cosines[p, q])
        for q in range(len(cosines)):
            if cosines[p, q] > NEAR:
                cosines[p, q] = kernel_value(near_cosine(rows[p], rows[q]))


def _solve_partitioned(problem: Problem, seed: int, block: int = _BLOCK) -> Array:
    """``H ≈ V Vᵀ + blockdiag(H − V Vᵀ)`` with the kernel's linear term ``V Vᵀ = Z Zᵀ / 4``; solved by Woodbury.

    All terms of ``k(c) = c/4 + c²/2π + …`` are positive, so what is left in the blocks is positive definite. On Pubmed
    this came closer to the true solution than blocks alone and than a Nyström part on landmarks.
    """
    unit = dense(problem.unit, np.float32)
    shared = np.float32(0.5) * unit if unit.shape[1] <= _WIDE else np.zeros((len(unit), 1), np.float32)
    solved_shared = np.empty_like(shared)
    solved_codes = np.empty_like(problem.codes)
    for nodes in similarity_blocks(unit, block, seed):
        rows, part = unit[nodes], shared[nodes]
        local = rows @ rows.T
        _kernel_in_place(local, rows)
        local = (local - part @ part.T).astype(np.float64)
        local[np.diag_indices_from(local)] += problem.ridge + _ROUNDING
        factor = scipy.linalg.cho_factor(local, lower=True, overwrite_a=True, check_finite=False)
        solved_shared[nodes] = scipy.linalg.cho_solve(factor, part.astype(np.float64), check_finite=False)
        solved_codes[nodes] = scipy.linalg.cho_solve(factor, problem.codes[nodes], check_finite=False)
    core = np.eye(shared.shape[1]) + (shared.T @ solved_shared).astype(np.float64)
    weights = scipy.linalg.solve(core, shared.T.astype(np.float64) @ solved_codes, assume_a="pos")
    return solved_codes - solved_shared @ weights
