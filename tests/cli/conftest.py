"""Files as people have them, shared by the tests of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def edge_list(tmp_path: Path) -> Path:
    file = tmp_path / "links.csv"
    rows = ["source,target,since"]
    for team in "ab":
        rows += [f"{team}{i},{team}{j},20{i}{j}" for i in range(5) for j in range(i + 1, 5)]
    file.write_text("\n".join([*rows, "a0,b0,1999"]) + "\n")
    return file


@pytest.fixture
def node_features(tmp_path: Path) -> Path:
    file = tmp_path / "nodes.csv"
    lines = [
        f"{team}{i},{1 - 0.1 * i if team == 'a' else 0},{0 if team == 'a' else 1 - 0.1 * i}"
        for team in "ab"
        for i in range(5)
    ]
    file.write_text("node,x,y\n" + "\n".join(lines) + "\n")
    return file
