"""Attention over the edges of a graph, with arrays per edge and head but never per edge and unit.

Message passing that gathers a message for every edge first moves ``edges x heads x units`` numbers through memory
many times a step, 31 million on Flickr. Compiled loops add up in place.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["EdgeAttention"]


class EdgeAttention:
    """The edges of a graph, a loop at every node among them, and what attention does along them.

    An edge of weight w counts like w parallel edges: ``softmax(score + log w)``. Weights come from purifiers.

    >>> attention = EdgeAttention(torch.tensor([[0], [1]]), torch.ones(1), n_nodes=2)  # an edge from 0 to 1
    >>> shares = attention.shares(torch.zeros(2, 1), torch.zeros(2, 1), negative_slope=0.2)
    >>> attention.gather(shares, torch.tensor([[[4.0]], [[2.0]]])).flatten().tolist()
    [4.0, 3.0]
    """

    def __init__(self, edges: Tensor, weights: Tensor, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        loops = np.arange(n_nodes)
        self.source = np.concatenate([edges[0].numpy(), loops])
        self.target = np.concatenate([edges[1].numpy(), loops])
        self.log_weights = np.concatenate([torch.log(weights).numpy(), np.zeros(n_nodes, dtype=np.float32)])

    def shares(self, at_source: Tensor, at_target: Tensor, negative_slope: float) -> Tensor:
        """Softmax, over the edges into a node, of ``leaky_relu(at_source + at_target)``: (edges, heads).

        Both scores have the shape (nodes, heads).
        """
        shares: Tensor = _Shares.apply(self, at_source, at_target, negative_slope)
        return shares

    def gather(self, shares: Tensor, values: Tensor) -> Tensor:
        """The sum of ``share · value`` over the edges into each node; values have the shape (nodes, heads, units)."""
        gathered: Tensor = _Gather.apply(self, shares, values)
        return gathered


class _Shares(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, edges: EdgeAttention, at_source: Tensor, at_target: Tensor, slope: float) -> Tensor:
        ctx.edges, ctx.slope = edges, np.float32(slope)
        ctx.raw, ctx.shares = _softmax_at_targets(
            edges.source, edges.target, edges.log_weights, _array(at_source), _array(at_target), ctx.slope
        )
        return torch.from_numpy(ctx.shares)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[None, Tensor, Tensor, None]:
        edges, gradient = ctx.edges, _array(grad_outputs[0])
        to_source, to_target = _softmax_gradient(
            edges.source, edges.target, ctx.raw, ctx.shares, gradient, ctx.slope, edges.n_nodes
        )
        return None, torch.from_numpy(to_source), torch.from_numpy(to_target), None


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, edges: EdgeAttention, shares: Tensor, values: Tensor) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(shares, values)
        return torch.from_numpy(_sum_at_targets(edges.source, edges.target, _array(shares), _array(values)))

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[None, Tensor, Tensor]:
        edges, (shares, values) = ctx.edges, ctx.saved_tensors
        to_shares, to_values = _sum_gradient(
            edges.source, edges.target, _array(shares), _array(values), _array(grad_outputs[0])
        )
        return None, torch.from_numpy(to_shares), torch.from_numpy(to_values)


def _array(tensor: Tensor) -> npt.NDArray[np.float32]:
    found: npt.NDArray[np.float32] = tensor.detach().contiguous().numpy()
    return found


@numba.njit(cache=True)
def _softmax_at_targets(source, target, log_weights, at_source, at_target, slope):
    n_edges, heads = len(source), at_source.shape[1]
    raw = np.empty((n_edges, heads), dtype=at_source.dtype)
    shares = np.empty_like(raw)
    highest = np.full(at_target.shape, -np.inf, dtype=at_source.dtype)
    total = np.zeros_like(at_target)
    for e in range(n_edges):
        s, t = source[e], target[e]
        for h in range(heads):
            score = at_source[s, h] + at_target[t, h]
            raw[e, h] = score
            score = (score if score > 0 else slope * score) + log_weights[e]
            shares[e, h] = score
            highest[t, h] = max(highest[t, h], score)
    for e in range(n_edges):
        t = target[e]
        for h in range(heads):
            shares[e, h] = np.exp(shares[e, h] - highest[t, h])
            total[t, h] += shares[e, h]
    for e in range(n_edges):
        t = target[e]
        for h in range(heads):
            shares[e, h] /= total[t, h]
    return raw, shares


@numba.njit(cache=True)
def _softmax_gradient(source, target, raw, shares, gradient, slope, n_nodes):
    """With respect to the scores at the source and at the target: ``share (g − Σ share g)``, through the leaky step."""
    n_edges, heads = raw.shape
    mean = np.zeros((n_nodes, heads), dtype=raw.dtype)
    to_source, to_target = np.zeros_like(mean), np.zeros_like(mean)
    for e in range(n_edges):
        t = target[e]
        for h in range(heads):
            mean[t, h] += shares[e, h] * gradient[e, h]
    for e in range(n_edges):
        s, t = source[e], target[e]
        for h in range(heads):
            change = shares[e, h] * (gradient[e, h] - mean[t, h])
            if raw[e, h] <= 0:
                change *= slope
            to_source[s, h] += change
            to_target[t, h] += change
    return to_source, to_target


@numba.njit(cache=True)
def _sum_at_targets(source, target, shares, values):
    heads, units = values.shape[1:]
    total = np.zeros_like(values)
    for e in range(len(source)):
        s, t = source[e], target[e]
        for h in range(heads):
            share = shares[e, h]
            if share != 0.0:  # dropout leaves many out
                for unit in range(units):
                    total[t, h, unit] += share * values[s, h, unit]
    return total


@numba.njit(cache=True)
def _sum_gradient(source, target, shares, values, gradient):
    heads, units = values.shape[1:]
    to_shares, to_values = np.zeros_like(shares), np.zeros_like(values)
    for e in range(len(source)):
        s, t = source[e], target[e]
        for h in range(heads):
            share = shares[e, h]
            product = np.float32(0.0)
            for unit in range(units):
                product += gradient[t, h, unit] * values[s, h, unit]
                to_values[s, h, unit] += share * gradient[t, h, unit]
            to_shares[e, h] = product
    return to_shares, to_values
