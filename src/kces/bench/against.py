"""Another version of kces, installed beside this one, on the same graphs in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kces.bench import probe
from kces.bench.cases import ROBUST_CASES, open_graph
from kces.errors import InvalidParameterError, KCESError
from kces.graph import Graph
from kces.processes.answers import JsonObject
from kces.progress import Progress, silent
from kces.types import is_sparse

__all__ = ["bench_against"]


def bench_against(
    other_python: str,
    graphs: Sequence[str] = ROBUST_CASES,
    *,
    options: JsonObject | None = None,
    times: int = 2,
    data_root: str | None = None,
    progress: Progress = silent,
) -> list[JsonObject]:
    """Both versions on every graph, the other one first: seconds, their ratio and how far the scores are apart.

    Parameters
    ----------
    other_python : the interpreter of an environment that has another version of kces.
    graphs : names as in :func:`kces.bench.cases.open_graph`.
    options : of ``kces.score_edges``; default none, which is preset robust.
    times : how often each version scores a graph; the quickest run counts.
    data_root : where data sets are.
    progress : told about each graph.
    """
    rows = []
    for number, name in enumerate(graphs):
        progress("bench against", number, len(graphs))
        with tempfile.TemporaryDirectory() as folder:
            saved = _save(open_graph(name, data_root), Path(folder))
            other, own = (_probe(python, saved, options or {}, times) for python in (other_python, sys.executable))
        apart = float(np.nanmax(np.abs(own.pop("scores") - other.pop("scores"))))
        rows.append(
            {"graph": name, "other": other, "own": own, "largest_difference": apart}
            | {"speedup": other["seconds"] / own["seconds"]}
            | {"processor_speedup": other["processor_seconds"] / own["processor_seconds"]}
        )
    progress("bench against", len(graphs), len(graphs))
    return rows


def _save(graph: Graph, folder: Path) -> Path:
    features = graph.features
    arrays = {"edges": graph.edges, "n_nodes": np.array(graph.n_nodes)}
    if not graph.has_features:
        pass  # either version then makes its own
    elif is_sparse(features):
        parts = {part: getattr(features, part) for part in ("data", "indices", "indptr")}
        arrays |= parts | {"shape": np.array(features.shape)}
    else:
        arrays["dense"] = features
    file = folder / "graph.npz"
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file


def _environment(python: str) -> dict[str, str]:
    """Another Python must find its own kces, not the one that this one was pointed to."""
    return {name: value for name, value in os.environ.items() if python == sys.executable or name != "PYTHONPATH"}


def _probe(python: str, graph: Path, options: JsonObject, times: int) -> JsonObject:
    scores = graph.with_name("scores.npy")
    order = {"graph": str(graph), "scores": str(scores), "options": options, "times": times}
    try:
        ended = subprocess.run(
            [python, str(probe.__file__)],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            check=False,
            env=_environment(python),
        )
    except OSError as error:
        raise InvalidParameterError(f"cannot run {python}: {error.strerror}; name a Python that has kces") from error
    if ended.returncode != 0:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        raise KCESError(f"scoring with {python} failed: {last}")
    found: JsonObject = json.loads(ended.stdout)
    return found | {"scores": np.load(scores)}
