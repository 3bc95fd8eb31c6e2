"""Logits of ordered pairs of nodes from an MLP with one hidden layer, in compiled loops.

``logit(i, j) = Σ_u w_u elu(first_iu + second_ju)``. A hidden row for every pair would be a hundred megabytes on a graph
like Pubmed, written and read many times in a step. Here none is stored: the gradient computes them again, once for each
end, with the pairs sorted by that end, so that threads never write to the same row.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["pair_logits"]

Ends = npt.NDArray[np.int64]

_SHARES = 32
"""Of the pairs, whose sums are added in order: results do not depend on the number of threads."""


def pair_logits(first: Tensor, second: Tensor, weight: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """(P,) the logits of the pairs ``(source, target)``, with gradients for the first three.

    Parameters
    ----------
    first, second : (nodes, units) what a node contributes as the first and as the second end.
    weight : (units,).
    source, target : (P,) the ends.

    Examples
    --------
    >>> first, second = torch.tensor([[1.0], [-30.0]]), torch.tensor([[0.5], [0.0]])
    >>> pair_logits(first, second, torch.tensor([2.0]), torch.tensor([0, 1]), torch.tensor([0, 1])).tolist()
    [3.0, -2.0]
    """
    logits: Tensor = _PairLogits.apply(first, second, weight, source.numpy(), target.numpy())
    return logits


class _PairLogits(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, first: Tensor, second: Tensor, weight: Tensor, source: Ends, target: Ends) -> Tensor:
        ctx.save_for_backward(first, second, weight)
        ctx.ends = source, target
        rows, others, factors = _arrays(first, second, weight)
        return torch.from_numpy(_logits(rows, others, factors, source, target))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        first, second, weight = _arrays(*ctx.saved_tensors)
        source, target = ctx.ends
        (slopes,) = _arrays(*gradients)
        of_weight = _weight_gradient(first, second, source, target, slopes)
        of_first = _row_gradient(first, second, weight, _sorted_by(source, len(first)), target, slopes)
        of_second = _row_gradient(second, first, weight, _sorted_by(target, len(second)), source, slopes)
        return torch.from_numpy(of_first), torch.from_numpy(of_second), torch.from_numpy(of_weight), None, None


def _arrays(*tensors: Tensor) -> list[npt.NDArray[np.float32]]:
    return [tensor.detach().contiguous().numpy() for tensor in tensors]


@numba.njit(fastmath=True, cache=True, inline="always")
def _exponential(value):  # type: ignore[no-untyped-def]
    """``exp(v)`` for v ≤ 0 within 2e-6: a short series at v / 16, squared four times; a loop of it is vectorized."""
    t = max(value, np.float32(-20.0)) * np.float32(0.0625)
    series = np.float32(1.0 / 5040.0)
    series = series * t + np.float32(1.0 / 720.0)
    series = series * t + np.float32(1.0 / 120.0)
    series = series * t + np.float32(1.0 / 24.0)
    series = series * t + np.float32(1.0 / 6.0)
    series = series * t + np.float32(0.5)
    series = series * t + np.float32(1.0)
    series = series * t + np.float32(1.0)
    series *= series
    series *= series
    series *= series
    return series * series


@numba.njit(parallel=True, fastmath=True, cache=True)
def _logits(first, second, weight, source, target):  # type: ignore[no-untyped-def]
    logits = np.empty(len(source), dtype=np.float32)
    for p in numba.prange(len(source)):
        own, other = first[source[p]], second[target[p]]
        total = np.float32(0.0)
        for u in range(len(weight)):
            value = own[u] + other[u]
            below = min(value, np.float32(0.0))
            total += weight[u] * (value - below + _exponential(below) - np.float32(1.0))
        logits[p] = total
    return logits


@numba.njit(parallel=True, fastmath=True, cache=True)
def _weight_gradient(first, second, source, target, slopes):  # type: ignore[no-untyped-def]
    units = first.shape[1]
    shares = np.zeros((_SHARES, units), dtype=np.float32)
    for share in numba.prange(_SHARES):
        sums = shares[share]
        for p in range(share * len(source) // _SHARES, (share + 1) * len(source) // _SHARES):
            own, other, slope = first[source[p]], second[target[p]], slopes[p]
            for u in range(units):
                value = own[u] + other[u]
                below = min(value, np.float32(0.0))
                sums[u] += slope * (value - below + _exponential(below) - np.float32(1.0))
    return shares.sum(axis=0)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _row_gradient(rows, others, weight, order, other_ends, slopes):  # type: ignore[no-untyped-def]
    """Of the rows of one end; ``order`` lists the pairs of each node."""
    pairs, start = order
    gradient = np.zeros_like(rows)
    for node in numba.prange(len(rows)):
        own, sums = rows[node], gradient[node]
        for t in range(start[node], start[node + 1]):
            other, slope = others[other_ends[pairs[t]]], slopes[pairs[t]]
            for u in range(len(weight)):
                # The derivative of elu is exp(v) below zero and 1 above.
                sums[u] += slope * _exponential(min(own[u] + other[u], np.float32(0.0)))
        for u in range(len(weight)):
            sums[u] *= weight[u]
    return gradient


@numba.njit(cache=True)
def _sorted_by(ends, n_nodes):  # type: ignore[no-untyped-def]
    """The pairs in the order of one end, and where those of each node begin."""
    start = np.zeros(n_nodes + 1, dtype=np.int64)
    for node in ends:
        start[node + 1] += 1
    start = np.cumsum(start)
    place, pairs = start[:-1].copy(), np.empty(len(ends), dtype=np.int64)
    for p in range(len(ends)):
        pairs[place[ends[p]]] = p
        place[ends[p]] += 1
    return pairs, start
