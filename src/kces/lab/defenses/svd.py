"""GCN-SVD (Entezari et al., 2020): train on a low-rank approximation of the adjacency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse.linalg import svds

from kces.graph import Graph
from kces.lab.defenses.defense import Grid, Purifier
from kces.lab.defenses.weighted_adjacency import Adjacency, LowRank

__all__ = ["SVD"]


@dataclass
class SVD(Purifier):
    """The adjacency of rank ``rank``: attacks on single edges live in the small singular values.

    The released code writes the N x N matrix out; ours stays factored, with the same products. Rows whose
    approximate degree is not positive (NaN in the released code, on Cora at rank 15) are cut off.
    """

    rank: int = 50

    grid: ClassVar[Grid] = {"rank": (5, 10, 15, 25, 50, 75, 100, 150, 200, 300)}

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        rank = min(self.rank, graph.n_nodes - 1)
        start = np.random.default_rng(seed).standard_normal(graph.n_nodes)
        left, values, right = svds(graph.adjacency, k=rank, v0=start)
        return LowRank(left * values, right.T)
