"""kces: find and remove the edges of a graph that harm a graph neural network, before any training.

>>> import kces
>>> graph = kces.load_builtin("synthetic:n=120,seed=0")
>>> kces.KCES(alpha=0.2).fit(graph).sanitize()
Graph(synthetic:n=120,seed=0, nodes=120, edges=273, features=32)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kces.compile_cache import keep_compiled_loops
from kces.errors import KCESError

if TYPE_CHECKING:
    from kces.api import explain, find_suspicious_edges, gkc, rank_edges, sanitize, score, score_edges
    from kces.datasets.builtin import load_builtin
    from kces.estimator import KCES
    from kces.graph import Graph

    __version__: str

# Imported on first use: scipy, scikit-learn and numba take seconds, which `kces --help` need not wait for.
_LAZY = {
    "KCES": "kces.estimator",
    "Graph": "kces.graph",
    "explain": "kces.api",
    "find_suspicious_edges": "kces.api",
    "gkc": "kces.api",
    "load_builtin": "kces.datasets.builtin",
    "rank_edges": "kces.api",
    "sanitize": "kces.api",
    "score": "kces.api",
    "score_edges": "kces.api",
}


keep_compiled_loops()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "__version__":
        return _version()
    raise AttributeError(f"module 'kces' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("kces")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"


__all__ = [
    "KCES",
    "Graph",
    "KCESError",
    "__version__",
    "explain",
    "find_suspicious_edges",
    "gkc",
    "load_builtin",
    "rank_edges",
    "sanitize",
    "score",
    "score_edges",
]
