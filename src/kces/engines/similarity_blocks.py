"""Nodes in blocks of similar ones: those that the kernel couples strongly have similar aggregated features."""

from __future__ import annotations

import numpy as np

from kces.types import Features, Ints

__all__ = ["similarity_blocks"]


def similarity_blocks(unit: Features, size: int, seed: int = 0) -> list[Ints]:
    """Split the nodes into blocks of at most ``size`` by halving along the direction of largest spread.

    The graph needs no look of its own: it is already in the aggregated features.

    >>> rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
    >>> sorted(nodes.tolist() for nodes in similarity_blocks(rows, 2))
    [[0, 2], [1]]
    """
    generator = np.random.default_rng(seed)
    pending, blocks = [np.arange(unit.shape[0])], []
    while pending:
        nodes = pending.pop()
        if len(nodes) <= size:
            blocks.append(np.sort(nodes))
            continue
        rows = unit[nodes]
        direction = np.asarray(generator.standard_normal(unit.shape[1]), dtype=unit.dtype)
        for _ in range(4):  # power iteration: the leading direction of the centered rows
            along = rows @ direction
            along = along - along.mean()
            direction = rows.T @ along
            direction /= np.linalg.norm(direction) + np.finfo(np.float32).tiny
        order = np.argsort(rows @ direction, kind="stable")
        middle = len(nodes) // 2
        pending += [nodes[order[:middle]], nodes[order[middle:]]]
    return blocks
