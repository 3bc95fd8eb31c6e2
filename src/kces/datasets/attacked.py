"""A graph together with the clean graph it came from: what every attack returns and every table reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.graph import Graph
from kces.node_pairs import are_edges

__all__ = ["AttackedGraph"]


@dataclass(frozen=True, eq=False)
class AttackedGraph:
    """The graph a defender sees, and what only the laboratory knows.

    Attributes
    ----------
    graph : the perturbed graph; its ``name`` is the full name, such as ``cora@metattack-0.25``.
    clean : the graph before the attack, on the same nodes (``graph`` itself when there was no attack).
    targets : the nodes on which accuracy is judged, or None for the test split.
    log : how the perturbation was made: method, budget, seed, seconds and what else the attack reports.
    """

    graph: Graph
    clean: Graph
    targets: npt.NDArray[np.int64] | None = None
    log: dict[str, Any] = field(default_factory=dict)

    @property
    def added(self) -> npt.NDArray[np.int64]:
        """``(A, 2)`` edges, ``i < j``, that the attack put in."""
        return self.graph.edges[self.is_added]

    @property
    def removed(self) -> npt.NDArray[np.int64]:
        """``(R, 2)`` edges, ``i < j``, that the attack took out."""
        return self.clean.edges[~are_edges(self.graph, self.clean.edges)]

    @property
    def is_added(self) -> npt.NDArray[np.bool_]:
        """Mask over ``graph.edges``: true where the edge is adversarial."""
        return ~are_edges(self.clean, self.graph.edges)

    @property
    def judged_nodes(self) -> npt.NDArray[np.int64]:
        """Where accuracy is measured: the attack's targets, else the test nodes; those of them that have a label."""
        nodes = self.targets if self.targets is not None else self.graph.test
        if nodes is None or self.graph.labels is None:
            raise ValueError(f"{self.graph.name} has no test split with labels")
        return nodes[self.graph.labels[nodes] >= 0]
