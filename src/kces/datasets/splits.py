"""The train, validation and test nodes that Pro-GNN published for its graphs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kces.errors import UnreadableFileError

__all__ = ["prognn_nettack_targets", "prognn_split"]


def prognn_split(path: Path) -> dict[str, npt.NDArray[np.int64]]:
    """Keyword arguments ``train``, ``val`` and ``test`` for :class:`kces.Graph`."""
    return {part: _nodes(path, f"idx_{part}") for part in ("train", "val", "test")}


def prognn_nettack_targets(path: Path) -> npt.NDArray[np.int64]:
    """The test nodes that Nettack perturbed, on which accuracy is measured."""
    return _nodes(path, "attacked_test_nodes")


def _nodes(path: Path, key: str) -> npt.NDArray[np.int64]:
    try:
        return np.array(json.loads(path.read_text(encoding="utf-8"))[key], dtype=np.int64)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableFileError(f"{path} holds no node list '{key}': {error}") from error
