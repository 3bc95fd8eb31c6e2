"""A PyG transform that prunes suspicious edges: works in ``T.Compose``, ``transform`` and ``pre_transform``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import numpy as np

from kces.estimator import KCES
from kces.interop.optional import require
from kces.interop.pyg import PyGSource
from kces.scorers import AUTO
from kces.scorers.score_options import EngineOptions, LabelSource

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
    alpha : share of edges to prune, in [0, 1], or ``"auto"``: as many as look like noise.
    preset, engine, labels, encoding, clusters, ridge, signed, random_state, engine_options : as in :class:`kces.KCES`.

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
        engine: str = "auto",
        labels: LabelSource | None = None,
        encoding: str | None = None,
        clusters: int | None = None,
        ridge: float | None = None,
        signed: bool | None = None,
        random_state: int = 0,
        engine_options: EngineOptions | None = None,
    ) -> None:
        self.alpha = alpha
        self.preset = preset
        self.engine = engine
        self.labels = labels
        self.encoding = encoding
        self.clusters = clusters
        self.ridge = ridge
        self.signed = signed
        self.random_state = random_state
        self.engine_options = engine_options

    def forward(self, data: Data) -> Data:
        source = PyGSource(data)
        if not source.has_edges:
            return source.without(np.ones(0, dtype=bool))
        return KCES(**vars(self)).fit_transform(data)

    def __repr__(self) -> str:
        defaults = {each.name: repr(each.default) for each in inspect.signature(type(self)).parameters.values()}
        given = {name: repr(value) for name, value in vars(self).items() if repr(value) != defaults[name]}
        return f"{self.__class__.__name__}({', '.join(f'{name}={value}' for name, value in given.items())})"
