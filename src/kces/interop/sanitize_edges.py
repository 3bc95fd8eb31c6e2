"""A PyG transform that prunes suspicious edges: works in ``T.Compose``, ``transform`` and ``pre_transform``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_geometric.transforms import BaseTransform

from kces.estimator import KCES
from kces.interop.pyg import filter_pyg, from_pyg

if TYPE_CHECKING:
    from torch_geometric.data import Data

__all__ = ["SanitizeEdges"]


class SanitizeEdges(BaseTransform):
    """Drop the share ``alpha`` of edges with the highest KC score; both directions of an edge go together.

    The input is never changed; every edge attribute of the kept edges stays. Further arguments are those of
    :class:`kces.KCES`.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from kces.interop.pyg import to_pyg
    >>> from kces.datasets.toys import barbell
    >>> SanitizeEdges(alpha=0.04)(to_pyg(barbell())).num_edges
    40
    >>> SanitizeEdges(alpha=0.1)
    SanitizeEdges(alpha=0.1)
    """

    def __init__(self, alpha: float = 0.3, **options: Any) -> None:
        self.alpha = alpha
        self.options = options

    def forward(self, data: Data) -> Data:
        graph = from_pyg(data)
        kept = KCES(self.alpha, **self.options).fit(graph).kept_
        return filter_pyg(data, graph, kept)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{self.__class__.__name__}(alpha={self.alpha:g}{options})"
