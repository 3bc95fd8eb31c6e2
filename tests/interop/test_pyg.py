from __future__ import annotations

import warnings

import numpy as np
import pytest

from kces.errors import InvalidGraphError
from kces.interop import from_pyg, open_source, to_pyg

torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
pytest.importorskip("torch_geometric", reason="needs the extra kces[pyg]")

from torch_geometric import EdgeIndex  # noqa: E402
from torch_geometric.data import Batch, Data, HeteroData, TemporalData  # noqa: E402
from torch_geometric.transforms import ToSparseTensor  # noqa: E402


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
    result = open_source(data).without([True, False, False])
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
    result = open_source(data).without([False, False, False])
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


# -- where the edges lie ----------------------------------------------------------------------------


def test_two_stores_of_the_same_edges_are_filtered_alike():
    data = triangle()
    ones = torch.ones(4)
    data.adj_t = torch.sparse_coo_tensor(torch.tensor([[1, 0, 2, 1], [0, 1, 1, 2]]), ones, (3, 3)).coalesce()
    result = open_source(data).without([True, True, False])
    assert result.edge_index.tolist() == [[0, 1, 2, 2, 1], [1, 0, 0, 0, 1]]
    assert result.adj_t.indices().tolist() == [[0, 1], [1, 0]]
    assert data.adj_t.indices().shape == (2, 4)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_adj_t_of_to_sparse_tensor_is_read_transposed_and_comes_back():
    data = Data(
        x=torch.eye(3), edge_index=torch.tensor([[0, 2, 1], [1, 1, 0]]), edge_attr=torch.tensor([5.0, 6.0, 1.0])
    )
    sparse = ToSparseTensor(attr="edge_attr")(data)
    source = open_source(sparse)
    assert source.pairs.tolist() == [[1, 0], [0, 1], [2, 1]]
    assert source.spread(np.array([0.25, 0.75]), np.nan).tolist() == [0.25, 0.25, 0.75]
    assert source.graph.repairs.weighted == 2
    result = source.without([False, True])
    assert result.adj_t.layout == torch.sparse_csr
    assert result.adj_t.to_dense().tolist() == [[0, 0, 0], [0, 0, 6], [0, 0, 0]]
    assert result.num_edges == 1
    assert sparse.num_edges == 3


def test_edges_of_unknown_stores_are_refused(refused):
    dense = Data(x=torch.eye(2), adj_t=torch.ones(2, 2))
    assert "must be a sparse tensor (CSR, CSC or COO), got torch.strided" in refused(lambda: from_pyg(dense))

    class SparseTensor:
        """Stands for the one of torch_sparse, a package that is never installed here."""

    SparseTensor.__module__ = "torch_sparse.tensor"
    foreign = Data(x=torch.eye(2), adj_t=SparseTensor())
    assert "torch_sparse.SparseTensor, a package that is not used here" in refused(lambda: from_pyg(foreign))
    wide = Data(x=torch.eye(2), adj_t=torch.ones(2, 3).to_sparse_coo())
    assert "adj_t must be square, got shape (2, 3)" in refused(lambda: from_pyg(wide))


def test_hetero_data_and_other_kinds_are_refused_with_a_way_out(refused):
    hetero = HeteroData()
    hetero["author"].x = torch.ones(2, 1)
    hetero["paper"].x = torch.ones(2, 1)
    hetero["author", "writes", "paper"].edge_index = torch.tensor([[0, 1], [1, 0]])
    hetero["paper", "cites", "paper"].edge_index = torch.tensor([[0], [1]])
    reason = refused(lambda: open_source(hetero), error=InvalidGraphError)
    assert "(author writes paper, paper cites paper); give data.to_homogeneous()" in reason
    batch = Batch.from_data_list([hetero, hetero])
    assert "to_homogeneous()" in refused(lambda: open_source(batch))
    assert from_pyg(hetero.to_homogeneous()).n_nodes == 4
    events = TemporalData(src=torch.tensor([0]), dst=torch.tensor([1]), t=torch.tensor([1]))
    assert "cannot read a graph from TemporalData" in refused(lambda: open_source(events))
    assert "cannot read a graph from EdgeIndex" in refused(lambda: open_source(EdgeIndex([[0], [1]])))


# -- what belongs to the edges ----------------------------------------------------------------------


def test_every_tensor_along_the_edges_is_filtered_and_nothing_else():
    data = triangle()
    data.e_id = torch.arange(7)
    data.edge_time = np.arange(7)
    data.edge_note = list("abcdefg")
    data.edge_label_index = torch.arange(14).view(2, 7)
    data.edge_label = torch.arange(7)
    data.pos_edge_index = torch.arange(14).view(2, 7)
    result = open_source(data).without([True, False, False])
    assert result.e_id.tolist() == [0, 1, 6]
    assert result.edge_time.tolist() == [0, 1, 6]
    assert result.edge_note == ["a", "b", "g"]
    assert torch.equal(result.edge_label_index, data.edge_label_index)
    assert torch.equal(result.edge_label, data.edge_label)
    assert torch.equal(result.pos_edge_index, data.pos_edge_index)
    assert len(data.edge_note) == 7


def test_with_as_many_edges_as_nodes_only_names_tell():
    data = Data(
        x=torch.eye(4),
        edge_index=torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]]),
        edge_attr=torch.arange(4),
        y=torch.arange(4),
        node_ids=["a", "b", "c", "d"],
    )
    result = open_source(data).without([True, False])
    assert result.edge_attr.tolist() == [0, 1]
    assert result.y.tolist() == [0, 1, 2, 3]
    assert result.node_ids == ["a", "b", "c", "d"]


def test_without_x_or_num_nodes_the_edges_say_how_many_nodes_there_are():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 2]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_pyg(data).n_nodes == 3


def test_an_edge_index_keeps_what_it_knows_of_itself():
    pairs = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = Data(edge_index=EdgeIndex(pairs, sparse_size=(3, 3), sort_order="row", is_undirected=True), num_nodes=3)
    result = open_source(data).without([False, True]).edge_index
    assert isinstance(result, EdgeIndex)
    assert (result.tolist(), result.sparse_size(), result.is_sorted_by_row) == ([[1, 2], [2, 1]], (3, 3), True)
    assert result.is_undirected


def test_undirected_data_stays_undirected(path_graph):
    data = to_pyg(path_graph)
    result = open_source(data).without([True, False, True])
    assert data.is_undirected()
    assert result.is_undirected()
    assert result.edge_index.tolist() == [[0, 2, 1, 3], [1, 3, 0, 2]]


# -- batches ----------------------------------------------------------------------------------------


def batch_of_three(**options: list[str]) -> Batch:
    square = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    parts = [
        Data(x=torch.eye(4), edge_index=square, edge_attr=torch.arange(6), y=torch.tensor([1]), node_ids=list("abcd")),
        Data(x=torch.ones(1, 4), edge_index=torch.empty(2, 0, dtype=torch.long), edge_attr=torch.arange(0)),
        Data(x=torch.ones(4, 4), edge_index=square.flip(0), edge_attr=torch.arange(10, 16), y=torch.tensor([0])),
    ]
    parts[1].y = torch.tensor([5])
    for part in parts[1:]:
        part.node_ids = list("wxyz")[: part.num_nodes]
    return Batch.from_data_list(parts, **options)


def test_a_batch_comes_apart_into_its_graphs_after_filtering():
    batch = batch_of_three()
    result = open_source(batch).without([True, False, True, False, True, True])
    assert type(result) is type(batch)
    assert result.num_graphs == 3
    assert result.ptr.tolist() == [0, 4, 5, 9]
    first, second, third = result.to_data_list()
    assert first.edge_index.tolist() == [[0, 1, 2, 3], [1, 0, 3, 2]]
    assert first.edge_attr.tolist() == [0, 1, 4, 5]
    assert (second.num_nodes, second.num_edges, second.y.tolist()) == (1, 0, [5])
    assert third.edge_index.tolist() == [[2, 1, 3, 2], [1, 2, 2, 3]]
    assert third.edge_attr.tolist() == [12, 13, 14, 15]
    assert (first.node_ids, third.node_ids) == (list("abcd"), list("wxyz"))
    assert torch.equal(third.x, torch.ones(4, 4))
    untouched = batch.to_data_list()
    assert untouched[0].edge_attr.tolist() == list(range(6))
    assert untouched[2].edge_attr.tolist() == list(range(10, 16))


def test_what_follows_the_batch_of_edges_is_moved_too():
    batch = batch_of_three(follow_batch=["edge_attr", "edge_index"])
    result = open_source(batch).without([True, False, True, False, True, True])
    for name in ("edge_attr", "edge_index"):
        assert result[f"{name}_batch"].tolist() == [0, 0, 0, 0, 2, 2, 2, 2]
        assert result[f"{name}_ptr"].tolist() == [0, 4, 4, 8]
        assert batch[f"{name}_ptr"].tolist() == [0, 6, 6, 12]


def test_numbers_that_happen_to_fit_the_edges_of_a_batch_stay():
    """Two graphs of three edges each, and six values that belong to other things."""
    part = Data(x=torch.ones(4, 1), edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), extra=torch.arange(3))
    other = Data(x=torch.ones(4, 1), edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), extra=torch.arange(3))
    part.six, other.six = torch.arange(2), torch.arange(4)
    batch = Batch.from_data_list([part, other])
    result = open_source(batch).without([False, True, True, True, True, False])
    assert result.extra.tolist() == [1, 2, 0, 1]
    assert result.six.tolist() == [0, 1, 0, 1, 2, 3]


def test_a_batch_of_edge_indices_comes_apart():
    pairs = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    part = Data(x=torch.ones(3, 1), edge_index=EdgeIndex(pairs, sparse_size=(3, 3), is_undirected=True))
    result = open_source(Batch.from_data_list([part, part])).without([False, True, True, False])
    assert [each.edge_index.tolist() for each in result.to_data_list()] == [[[1, 2], [2, 1]], [[0, 1], [1, 0]]]


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_batch_with_adj_t_is_filtered():
    part = ToSparseTensor()(Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])))
    batch = Batch.from_data_list([part, part])
    result = open_source(batch).without([False, True, True, True])
    assert (result.adj_t._nnz(), batch.adj_t._nnz(), result.ptr.tolist()) == (6, 8, [0, 3, 6])
    assert result.adj_t.to_dense()[:2, :2].sum() == 0
