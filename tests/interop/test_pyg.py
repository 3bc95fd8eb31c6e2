from __future__ import annotations

import pytest

from kces.errors import InvalidGraphError
from kces.interop import filter_pyg, from_pyg, to_pyg

torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
Data = pytest.importorskip("torch_geometric.data", reason="needs the extra kces[pyg]").Data


def triangle() -> Data:
    """0-1 both ways, 1-2 both ways, 2-0 one way and twice, and a self-loop."""
    return Data(
        x=torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        edge_index=torch.tensor([[0, 1, 1, 2, 2, 2, 1], [1, 0, 2, 1, 0, 0, 1]]),
        edge_attr=torch.arange(14).view(7, 2),
        edge_weight=torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0]),
        y=torch.tensor([0, 1, 1]),
        train_mask=torch.tensor([True, False, False]),
        test_mask=torch.tensor([False, True, True]),
        title="triangle",
    )


def test_data_is_read():
    graph = from_pyg(triangle())
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert graph.features.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert graph.labels.tolist() == [0, 1, 1]
    assert (graph.train.tolist(), graph.val, graph.test.tolist()) == ([0], None, [1, 2])
    assert (graph.repairs.weighted, graph.repairs.self_loops, graph.repairs.duplicates) == (2, 1, 1)


def test_filtering_keeps_edge_attributes_and_leaves_the_input():
    data = triangle()
    result = filter_pyg(data, from_pyg(data), [True, False, False])
    assert result.edge_index.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert result.edge_attr.tolist() == [[0, 1], [2, 3], [12, 13]]
    assert result.edge_weight.tolist() == [1.0, 1.0, 1.0]
    assert torch.equal(result.x, data.x)
    assert result.title == "triangle"
    assert data.edge_index.shape == (2, 7)
    assert data.edge_attr.shape == (7, 2)
    assert result.num_nodes == 3


def test_filtering_everything_keeps_the_nodes():
    data = triangle()
    result = filter_pyg(data, from_pyg(data), [False, False, False])
    assert result.edge_index.tolist() == [[1], [1]]
    assert result.num_nodes == 3


def test_two_edges_are_not_taken_for_pairs_of_rows():
    """A (2, 2) edge_index is columns in PyG and rows in Graph.from_edges."""
    graph = from_pyg(Data(edge_index=torch.tensor([[0, 0], [1, 2]]), num_nodes=3))
    assert graph.edges.tolist() == [[0, 1], [0, 2]]


def test_graph_round_trip(path_graph):
    data = to_pyg(path_graph)
    assert data.edge_index.shape == (2, 6)
    assert data.x.dtype == torch.float32
    graph = from_pyg(data)
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.features.tolist() == path_graph.features.tolist()
    for part in ("labels", "train", "val", "test", "node_ids"):
        assert getattr(graph, part).tolist() == getattr(path_graph, part).tolist()


def test_targets_that_are_no_classes_are_left_alone():
    data = triangle()
    data.y = torch.tensor([0.5, 1.0, 1.0])
    assert from_pyg(data).labels is None
    data.y = torch.tensor([[0], [1], [2]])
    assert from_pyg(data).labels.tolist() == [0, 1, 2]


def test_sparse_features_stay_sparse():
    data = triangle()
    data.x = data.x.to_sparse()
    assert from_pyg(data).features.toarray().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_unusable_data_is_refused(refused):
    assert "no edge_index" in refused(lambda: from_pyg(Data(x=torch.ones(3, 1))), error=InvalidGraphError)
    floats = Data(edge_index=torch.tensor([[0.0], [1.0]]), num_nodes=2)
    assert "whole numbers" in refused(lambda: from_pyg(floats), error=InvalidGraphError)
    outside = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [5]]))
    assert "names node 5" in refused(lambda: from_pyg(outside), error=InvalidGraphError)
    lost = Data(edge_index=torch.tensor([[0], [1]]), num_nodes="many")
    assert "how many nodes" in refused(lambda: from_pyg(lost), error=InvalidGraphError)
    nan = Data(x=torch.tensor([[1.0], [float("nan")]]), edge_index=torch.tensor([[0], [1]]))
    assert "NaN at node 1" in refused(lambda: from_pyg(nan), error=InvalidGraphError)


def test_an_attribute_called_node_ids_of_another_form_is_left_alone():
    data = triangle()
    data.node_ids = [["a"], "b", 3]
    assert from_pyg(data).node_ids is None
    data.node_ids = torch.tensor([7, 8, 9])
    assert from_pyg(data).node_ids.tolist() == [7, 8, 9]
