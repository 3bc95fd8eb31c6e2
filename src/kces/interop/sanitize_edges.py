"""A PyG transform that prunes suspicious edges: works in ``T.Compose``, ``transform`` and ``pre_transform``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone
from typing_extensions import Unpack

from kces.estimator import KCES
from kces.interop.optional import require
from kces.interop.pyg import PyGSource
from kces.scorers import AUTO
from kces.scorers.score_options import LabelSource, PaperKeywords

if TYPE_CHECKING:
    from torch_geometric.data import Data
    from torch_geometric.transforms import BaseTransform
else:
    BaseTransform = require("torch_geometric.transforms", extra="pyg", purpose="SanitizeEdges").BaseTransform

__all__ = ["SanitizeEdges"]


class SanitizeEdges(BaseTransform):
    """Drop the most suspicious edges of a ``Data`` or ``Batch``; both directions of an edge go together.

    The input is never changed; every edge attribute of the kept edges stays, and data without edges passes as it is.

    Parameters
    ----------
    alpha : share of edges to prune, in [0, 1], ``"auto"``: as many as look like noise, or ``"labels"``: the same,
        corrected by the labels of train and validation nodes.
    preset, labels, random_state, ties : as in :class:`kces.KCES`, whose other keywords ``paper`` takes too.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> from kces.interop import to_pyg
    >>> SanitizeEdges(alpha=0.04, preset="paper")(to_pyg(barbell())).num_edges
    40
    >>> SanitizeEdges(alpha=0.1)
    SanitizeEdges(alpha=0.1)
    """

    def __init__(
        self,
        alpha: float | str = AUTO,
        *,
        preset: str = "robust",
        labels: LabelSource | None = None,
        random_state: int = 0,
        ties: str = "whole",
        **paper: Unpack[PaperKeywords],
    ) -> None:
        self.estimator = KCES(alpha, preset=preset, labels=labels, random_state=random_state, ties=ties, **paper)

    def forward(self, data: Data) -> Data:
        source = PyGSource(data)
        if not source.has_edges:
            return source.without(np.ones(0, dtype=bool))
        return clone(self.estimator).fit_transform(data)

    def __repr__(self) -> str:
        defaults = KCES().get_params()
        given = {
            name: value for name, value in self.estimator.get_params().items() if repr(value) != repr(defaults[name])
        }
        return f"{self.__class__.__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
