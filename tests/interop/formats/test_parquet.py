from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop import read_graph, write_graph

pytest.importorskip("pyarrow", reason="needs the extra kces[files]")

ROWS = pd.DataFrame(
    {
        "since": [1999, 2001, 2002, 2003, 2004],
        "src": ["ann", "bob", "bob", "cy", "dee"],
        "dst": ["bob", "ann", "cy", "cy", "cy"],
        "weight": [1.0, 1.0, 0.5, 1.0, 1.0],
    }
)


def test_extra_columns_and_types_are_kept(tmp_path):
    ROWS.to_parquet(tmp_path / "g.parquet")
    loaded = read_graph(tmp_path / "g.parquet")
    assert loaded.graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert loaded.graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert loaded.graph.repairs.weighted == 1
    loaded.write(tmp_path / "out.parquet", [False, True, True])
    result = pd.read_parquet(tmp_path / "out.parquet").reset_index(drop=True)
    pd.testing.assert_frame_equal(result, ROWS.iloc[2:].reset_index(drop=True))


def test_integer_ids_and_features_beside(tmp_path, text):
    pd.DataFrame({"u": [5, 7], "v": [7, 9]}).to_parquet(tmp_path / "g.pq")
    graph = read_graph(tmp_path / "g.pq", features=text("x.csv", "9,0.9\n7,0.7\n5,0.5\n"), scale="none").graph
    assert graph.node_ids.tolist() == [5, 7, 9]
    assert graph.features.tolist() == [[0.5], [0.7], [0.9]]


def test_categories_are_names(tmp_path):
    ROWS.astype({"src": "category", "dst": "category"}).to_parquet(tmp_path / "g.parquet")
    assert read_graph(tmp_path / "g.parquet").graph.n_edges == 3


def test_graph_round_trip(tmp_path, path_graph):
    write_graph(path_graph, tmp_path / "g.parquet")
    graph = read_graph(tmp_path / "g.parquet").graph
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.node_ids.tolist() == path_graph.node_ids.tolist()


@pytest.mark.parametrize(
    ("frame", "error", "reason"),
    [
        (pd.DataFrame({"u": ["a"]}), UnreadableFileError, "1 column"),
        (pd.DataFrame({"u": [0.5], "v": [1.5]}), InvalidGraphError, "node ids are integers or text"),
        (pd.DataFrame({"u": ["a", None], "v": ["b", "c"]}), InvalidGraphError, "1 missing node id"),
        (pd.DataFrame({"u": ["a"], "v": ["a"]}), InvalidGraphError, "no edges"),
        (pd.DataFrame({"u": np.array([], dtype=int), "v": np.array([], dtype=int)}), InvalidGraphError, "no nodes"),
    ],
)
def test_unusable_tables_are_refused(tmp_path, refused, frame, error, reason):
    frame.to_parquet(tmp_path / "g.parquet")
    assert reason in refused(lambda: read_graph(tmp_path / "g.parquet"), error=error)
