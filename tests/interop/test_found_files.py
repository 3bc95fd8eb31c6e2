"""Files that once broke a reader, found by ``make fuzz``: each is read, or refused with one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kces.errors import KCESError
from kces.interop import read_graph
from kces.interop.node_table import read_labels, read_node_table

FOLDER = Path(__file__).parents[1] / "data" / "found"
FOUND = sorted(FOLDER.glob("*.*"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
@pytest.mark.parametrize("read", [read_graph, read_node_table, read_labels])
def test_it_breaks_no_reader(path: Path, read) -> None:
    said = "read"
    try:
        read(path)
    except KCESError as refusal:
        said = str(refusal)
    assert len(said.splitlines()) == 1
