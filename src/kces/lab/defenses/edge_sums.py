"""Sums and inner products along weighted edges in compiled loops: no message per edge and unit is ever stored."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["edge_products", "edge_sums"]


def edge_sums(source: Tensor, target: Tensor, weights: Tensor, values: Tensor) -> Tensor:
    """``Σ weight · value`` over the edges into each node, (nodes, units); weights are constants.

    Parameters
    ----------
    source, target : (E,) ends of the edges.
    weights : (E,) not trained through.
    values : (nodes, units).

    Examples
    --------
    >>> ends = torch.tensor([0, 1]), torch.tensor([1, 1])
    >>> edge_sums(*ends, torch.tensor([0.5, 2.0]), torch.tensor([[4.0], [1.0]])).tolist()
    [[0.0], [4.0]]
    """
    summed: Tensor = _EdgeSums.apply(_array(source), _array(target), _array(weights), values)
    return summed


def edge_products(source: Tensor, target: Tensor, values: Tensor) -> Tensor:
    """(E,) inner products of the values at the two ends of each edge, outside the autograd graph.

    >>> edge_products(torch.tensor([0]), torch.tensor([1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [11.0]
    """
    return torch.from_numpy(_products(_array(source), _array(target), _array(values)))


class _EdgeSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, source: npt.NDArray, target: npt.NDArray, weights: npt.NDArray, values: Tensor) -> Tensor:
        ctx.edges = source, target, weights
        return torch.from_numpy(_sums(source, target, weights, _array(values)))

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[None, None, None, Tensor]:
        source, target, weights = ctx.edges
        return None, None, None, torch.from_numpy(_sums(target, source, weights, _array(grad_outputs[0])))


def _array(tensor: Tensor) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = tensor.detach().contiguous().numpy()
    return found


@numba.njit(cache=True)
def _sums(source, target, weights, values):  # type: ignore[no-untyped-def]
    total = np.zeros_like(values)
    for e in range(len(source)):
        weight = weights[e]
        if weight != 0.0:  # pruned edges are many
            for unit in range(values.shape[1]):
                total[target[e], unit] += weight * values[source[e], unit]
    return total


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _products(source, target, values):  # type: ignore[no-untyped-def]
    products = np.empty(len(source), dtype=values.dtype)
    for e in range(len(source)):
        product = np.float32(0.0)
        for unit in range(values.shape[1]):
            product += values[source[e], unit] * values[target[e], unit]
        products[e] = product
    return products
