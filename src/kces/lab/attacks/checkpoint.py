"""Saving a long attack now and then, so that an interrupted one goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kces.atomic import atomic_write
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.lab.attacks.flips import Details
from kces.types import Ints, Values, is_sparse

__all__ = ["Checkpoint", "State", "graph_fingerprint", "values_fingerprint"]

State: TypeAlias = dict[str, Values]

SECONDS_BETWEEN_SAVES = 60.0


class Checkpoint:
    """The arrays that an unfinished attack goes on from, in a file; without a path, nothing is kept.

    Parameters
    ----------
    path : the file, or None.
    graph, settings : what the run depends on. A checkpoint of another run is refused.
    """

    def __init__(self, path: str | Path | None, graph: Graph, settings: Details) -> None:
        self._path = None if path is None else Path(path)
        self._run = json.dumps(settings, sort_keys=True) + "|" + graph_fingerprint(graph)
        self._last_save = time.monotonic()

    def load(self) -> tuple[State, float]:
        """The arrays of the last save, by name (none before the first), and the seconds that the run had taken."""
        if self._path is None or not self._path.exists():
            return {}, 0.0
        try:
            with np.load(self._path, allow_pickle=False) as stored:
                state = {name: stored[name] for name in stored.files}
                run, seconds = str(state.pop("run")), float(state.pop("seconds"))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UnreadableFileError(f"checkpoint {self._path} is damaged; remove it to start over") from error
        if run != self._run:
            raise InvalidParameterError(
                f"checkpoint {self._path} belongs to another run (graph, budget, seed or parameters); "
                "remove it or name another file"
            )
        return state, seconds

    def save(self, state: State, seconds: float, *, now: bool = False) -> None:
        """Store the state if a minute has passed since the last time."""
        if self._path is None or (not now and time.monotonic() - self._last_save < SECONDS_BETWEEN_SAVES):
            return
        with atomic_write(self._path, force=True) as temporary, temporary.open("wb") as file:
            arrays: Details = {"run": np.array(self._run), "seconds": np.array(seconds)} | state
            np.savez_compressed(file, **arrays)
        self._last_save = time.monotonic()

    def clear(self) -> None:
        """Remove the file once the attack is complete."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def graph_fingerprint(graph: Graph) -> str:
    """A hash of what attacks depend on: edges, features, labels and the split."""
    return _hash(graph, *_where_entries_stand(graph))


def values_fingerprint(graph: Graph) -> str:
    """The hash that does not see where the entries of sparse features stand: what older files are named by."""
    return _hash(graph)


def _where_entries_stand(graph: Graph) -> list[Ints]:
    if not is_sparse(graph.features):
        return []
    # As 64 bits, because the same matrix may be kept with indices of 32.
    return [part.astype(np.int64) for part in (graph.features.indptr, graph.features.indices)]


def _hash(graph: Graph, *more: Ints) -> str:
    features = graph.features.data if is_sparse(graph.features) else graph.features
    digest = hashlib.sha256(graph.edges.tobytes())
    for part in (features, graph.labels, graph.train, graph.val, graph.test, *more):
        digest.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
