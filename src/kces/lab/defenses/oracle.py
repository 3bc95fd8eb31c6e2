"""The oracle: exactly the adversarial edges are removed. No defense; the ceiling of every pruner."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.graph import Graph
from kces.lab.defenses.defense import NotApplicableError, Purifier
from kces.lab.defenses.weighted_adjacency import Adjacency, weighted

__all__ = ["Oracle"]


@dataclass
class Oracle(Purifier):
    """Drop the edges marked in ``adversarial``, a mask over ``graph.edges`` that only the laboratory has.

    Edges that the attack removed stay removed: a pruner cannot put them back.
    """

    adversarial: npt.NDArray[np.bool_] | None = None

    def informed_by(self, attacked: AttackedGraph) -> Oracle:
        return replace(self, adversarial=attacked.is_added)

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        if self.adversarial is None or len(self.adversarial) != graph.n_edges:
            raise NotApplicableError(
                f"oracle needs to know which edges of {graph.name} are adversarial; before another purifier it does "
                "(oracle+jaccard), behind one it does not"
            )
        return weighted(graph, (~self.adversarial).astype(np.float64))
