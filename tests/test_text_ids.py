"""One name of a million letters among many short ones does not make all of them wide."""

from __future__ import annotations

from pathlib import Path

import kces
from kces.interop import read_graph
from kces.memory import peak_memory
from kces.scale.from_graph import write_graph_folder

LONG = "x" * 1_000_000


def test_a_graph_with_one_very_long_name(tmp_path: Path) -> None:
    links = [f"n{node},n{node + 1}" for node in range(2_000)] + [f"{LONG},n0"]
    (tmp_path / "g.csv").write_text("source,target\n" + "\n".join(links))
    before = peak_memory()
    loaded = read_graph(tmp_path / "g.csv")
    folder = write_graph_folder(loaded.graph, tmp_path / "g.kces")
    names = read_graph(folder.path).graph.node_ids
    scored = kces.score(loaded.graph)
    table = scored.table(scored.cut())
    loaded.write(tmp_path / "out.tsv", [False] * 5 + [True] * 1_996)
    assert peak_memory() - before < 300 * 2**20  # 2,000 names of one width would be 8 GB
    assert set(names) == set(loaded.graph.node_ids)
    assert LONG in {*table["source"], *table["target"]}
    assert (tmp_path / "out.tsv").read_text().count("\n") == 1_997
