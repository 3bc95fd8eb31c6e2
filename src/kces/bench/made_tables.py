"""A graph of any size as Parquet files, made in parts: the input of measurements beyond memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kces.interop.optional import require
from kces.progress import Progress, silent
from kces.types import Ints

__all__ = ["make_tables"]

_PART = 1_000_000
_NODE_PART = 250_000
_CLASSES = 8
_HOMOPHILY = 0.8
_SIGNAL = 0.6


def make_tables(
    folder: Path, n_nodes: int, n_edges: int, n_features: int, *, seed: int = 0, progress: Progress = silent
) -> tuple[str, str]:
    """Write ``edges-*.parquet`` and ``nodes-*.parquet``; the patterns that name them.

    A block model: a node's class is its number modulo 8, four in five edges stay in a class, features are the class's
    center and noise. Hubs occur: ends are drawn with the square of a uniform number. Some edges are drawn twice, so
    that the graph has slightly fewer.

    Parameters
    ----------
    folder : receives the files.
    n_nodes, n_edges, n_features : sizes; single precision.
    seed : of everything.
    progress : told about the parts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     edges, nodes = make_tables(Path(place), 100, 300, 4)
    ...     sorted(path.name for path in Path(place).iterdir())
    ['edges-0000.parquet', 'nodes-0000.parquet']
    """
    pa, parquet = (require(name, extra="files", purpose="making tables") for name in ("pyarrow", "pyarrow.parquet"))
    centers = np.random.default_rng(seed).standard_normal((_CLASSES, n_features)) * _SIGNAL
    total = -(-n_edges // _PART) + -(-n_nodes // _NODE_PART)
    for part, start in enumerate(range(0, n_edges, _PART)):
        pairs = _links(n_nodes, min(_PART, n_edges - start), np.random.default_rng([seed, 1, part]))
        table = pa.table({"source": pairs[:, 0], "target": pairs[:, 1]})
        parquet.write_table(table, folder / f"edges-{part:04d}.parquet", compression="none")
        progress("make tables", part + 1, total)
    for part, start in enumerate(range(0, n_nodes, _NODE_PART)):
        nodes = np.arange(start, min(start + _NODE_PART, n_nodes))
        noise = np.random.default_rng([seed, 2, part]).standard_normal((len(nodes), n_features))
        rows = (centers[nodes % _CLASSES] + noise).astype(np.float32)
        columns = {"id": nodes} | {f"x{place}": rows[:, place] for place in range(n_features)}
        parquet.write_table(pa.table(columns), folder / f"nodes-{part:04d}.parquet", compression="none")
        progress("make tables", -(-n_edges // _PART) + part + 1, total)
    return str(folder / "edges-*.parquet"), str(folder / "nodes-*.parquet")


def _links(n_nodes: int, count: int, draw: np.random.Generator) -> Ints:
    source = (draw.random(count) ** 2 * n_nodes).astype(np.int64)
    target = (draw.random(count) ** 2 * n_nodes).astype(np.int64)
    within = draw.random(count) < _HOMOPHILY
    alike = np.minimum(target - target % _CLASSES + source % _CLASSES, n_nodes - 1)
    return np.stack([source, np.where(within, alike, target)], axis=1)
