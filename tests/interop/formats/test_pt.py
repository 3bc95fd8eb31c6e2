from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict

import pytest

from kces.errors import KCESError, MemoryLimitError, UnreadableFileError
from kces.interop import read_graph, write_graph

torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
Data = pytest.importorskip("torch_geometric.data", reason="needs the extra kces[pyg]").Data

from torch_geometric.data.storage import AttrType  # noqa: E402
from torch_geometric.transforms import Compose, NormalizeFeatures, ToSparseTensor, ToUndirected  # noqa: E402

CONTENT = {
    "x": torch.tensor([[1.0], [2.0], [3.0]]),
    "edge_index": torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
    "edge_attr": torch.tensor([10, 11, 12, 13]),
    "y": torch.tensor([0, 1, 1]),
    "title": "path",
    "extra": torch.arange(5),
}


@pytest.mark.parametrize("as_dict", [False, True])
def test_data_and_dict_come_back_with_all_they_held(tmp_path, as_dict):
    torch.save(CONTENT if as_dict else Data(**CONTENT), tmp_path / "g.pt")
    loaded = read_graph(tmp_path / "g.pt")
    assert loaded.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (loaded.graph.labels.tolist(), loaded.graph.name) == ([0, 1, 1], "g")
    loaded.write(tmp_path / "out.pt", [False, True])
    result = torch.load(tmp_path / "out.pt", weights_only=False)
    assert isinstance(result, dict if as_dict else Data)
    assert result["edge_index"].tolist() == [[1, 2], [2, 1]]
    assert result["edge_attr"].tolist() == [12, 13]
    assert result["extra"].tolist() == [0, 1, 2, 3, 4]
    assert result["title"] == "path"


def test_features_and_labels_beside(tmp_path, text):
    torch.save({"edge_index": CONTENT["edge_index"], "num_nodes": 3}, tmp_path / "g.pt")
    beside = {"features": text("x.csv", "2,9\n1,8\n0,7\n"), "labels": text("l.txt", "a\nb\na\n")}
    loaded = read_graph(tmp_path / "g.pt", **beside, scale="none")
    assert loaded.graph.features.tolist() == [[7], [8], [9]]
    assert loaded.graph.labels.tolist() == [0, 1, 0]


def test_graph_round_trip(tmp_path, path_graph):
    write_graph(path_graph, tmp_path / "g.pt")
    graph = read_graph(tmp_path / "g.pt").graph
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.node_ids.tolist() == path_graph.node_ids.tolist()


def test_other_contents_are_refused(tmp_path, refused):
    torch.save([1, 2], tmp_path / "list.pt")
    assert "holds a list" in refused(lambda: read_graph(tmp_path / "list.pt"), error=UnreadableFileError)
    torch.save(torch.nn.Linear(1, 1), tmp_path / "model.pt")
    assert "never loaded" in refused(lambda: read_graph(tmp_path / "model.pt"), error=UnreadableFileError)
    torch.save({"edge_index": "none"}, tmp_path / "odd.pt")
    assert "no edge_index tensor" in refused(lambda: read_graph(tmp_path / "odd.pt"), error=KCESError)


def test_a_tensor_larger_than_memory_is_refused(tmp_path, refused):
    x = torch.ones(1, 1).expand(3, 10**13)  # a few bytes that unfold to 240 TB
    torch.save({"edge_index": CONTENT["edge_index"], "x": x}, tmp_path / "g.pt")
    assert "of memory" in refused(lambda: read_graph(tmp_path / "g.pt"), error=MemoryLimitError)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_sparse_adjacency_comes_back_sparse(tmp_path):
    data = ToSparseTensor()(Data(x=CONTENT["x"], edge_index=CONTENT["edge_index"]))
    torch.save(data.to_dict(), tmp_path / "g.pt")
    loaded = read_graph(tmp_path / "g.pt")
    assert loaded.graph.edges.tolist() == [[0, 1], [1, 2]]
    loaded.write(tmp_path / "out.pt", [False, True])
    result = torch.load(tmp_path / "out.pt", weights_only=True)["adj_t"]
    assert result.layout == torch.sparse_csr
    assert result.to_dense().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize(
    "change", [ToUndirected(), Data.sort, ToSparseTensor(), Compose([ToUndirected(), NormalizeFeatures()])]
)
def test_data_that_a_transform_left_notes_in_is_read(tmp_path, change):
    torch.save(change(Data(**{name: CONTENT[name] for name in ("x", "edge_index", "y")})), tmp_path / "g.pt")
    allowed = set(torch.serialization.get_safe_globals())
    loaded = read_graph(tmp_path / "g.pt")
    assert loaded.graph.edges.tolist() == [[0, 1], [1, 2]]
    loaded.write(tmp_path / "out.pt", [False, True])
    assert read_graph(tmp_path / "out.pt").graph.edges.tolist() == [[1, 2]]
    assert set(torch.serialization.get_safe_globals()) == allowed


class Called:
    """Pickled as the call of something."""

    def __init__(self, what: object, *arguments: object) -> None:
        self.call = what, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        (defaultdict, (list,)),
        (defaultdict, (set, [(1, 2)])),
        (defaultdict, ()),
        (AttrType, ("Kind", ["A", "B"])),
        (AttrType, (1,)),
        (os.system, ("touch ran",)),
        (eval, ("1",)),
        (getattr, (1, "real")),
        (frozenset, ([1],)),
    ],
)
def test_notes_let_nothing_else_be_called(tmp_path, monkeypatch, refused, what, arguments):
    monkeypatch.chdir(tmp_path)
    torch.save({"edge_index": CONTENT["edge_index"], "notes": Called(what, *arguments)}, tmp_path / "g.pt")
    assert "g.pt is not" in refused(lambda: read_graph(tmp_path / "g.pt"), error=UnreadableFileError)
    assert not (tmp_path / "ran").exists()


def test_reading_says_nothing_of_its_own(tmp_path):
    torch.save(Data(**CONTENT), tmp_path / "g.pt")
    code = f"from kces.interop import read_graph; read_graph({str(tmp_path / 'g.pt')!r})"
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    assert "torch" not in done.stderr
