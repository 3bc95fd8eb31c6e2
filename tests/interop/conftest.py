"""Small graphs and files shared by the tests of the doors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kces.errors import KCESError
from kces.graph import Graph


@pytest.fixture
def path_graph() -> Graph:
    """0 - 1 - 2 - 3 with features, labels, a split and names."""
    return Graph.from_edges(
        [[0, 1], [1, 2], [2, 3]],
        [[1.0, 0.0], [0.5, 0.25], [0.0, 1.0], [2.0, 2.0]],
        labels=[0, 0, 1, 1],
        train=[0],
        val=[1],
        test=[2, 3],
        node_ids=["ann", "bob", "cy", "dee"],
        name="path",
    )


@pytest.fixture
def kept() -> np.ndarray:
    """Drop the middle edge of three."""
    return np.array([True, False, True])


@pytest.fixture
def refused() -> Callable[..., str]:
    """Call with an action that must be refused; returns the message after checking it is one line."""

    def check(action: Callable[[], object], *, error: type[KCESError] = KCESError) -> str:
        with pytest.raises(error) as caught:
            action()
        message = str(caught.value)
        assert message
        assert "\n" not in message
        return message

    return check


@pytest.fixture
def text(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a text file and give its path."""

    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode())
        return path

    return write
