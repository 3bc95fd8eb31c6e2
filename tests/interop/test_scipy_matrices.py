from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kces.errors import AmbiguousInputError, GraphWarning, InvalidParameterError
from kces.interop import as_graph, open_source


def test_a_stored_zero_is_no_edge_and_stays():
    matrix = sp.csr_array((np.array([1.0, 0.0, 2.0]), np.array([1, 2, 0]), np.array([0, 2, 3, 3])))
    source = open_source(matrix)
    assert source.graph.edges.tolist() == [[0, 1]]
    assert source.spread(np.array([0.5]), np.nan)[[0, 2]].tolist() == [0.5, 0.5]
    assert np.isnan(source.spread(np.array([0.5]), np.nan)[1])
    result = source.without([False])
    assert (result.nnz, result.data.tolist(), result.indices.tolist()) == (1, [0.0], [2])
    assert matrix.nnz == 3


def test_a_matrix_of_stored_zeros_has_no_edges():
    source = open_source(sp.coo_array((np.zeros(2), ([0, 1], [1, 0])), shape=(3, 3)))
    assert not source.has_edges
    assert source.without(np.empty(0, dtype=bool)).nnz == 2


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_unsorted_and_duplicate_entries_stay_as_they_lie(kind):
    matrix = kind((np.array([3, 4, 5, 6]), np.array([2, 1, 1, 0]), np.array([0, 3, 4, 4])), shape=(3, 3))
    result = open_source(matrix).without([True, False])
    assert result.indices.tolist() == [1, 1, 0]
    assert result.data.tolist() == [4, 5, 6]
    assert result.indptr.tolist() == [0, 2, 3, 3]
    assert type(result) is kind


def test_types_of_numbers_and_blocks_stay():
    flags = sp.csr_array(np.array([[False, True], [True, False]]))
    assert open_source(flags).without([False]).dtype == bool
    pattern = np.kron(np.eye(2, k=1) + np.eye(2, k=-1), np.ones((2, 2)))
    blocks = sp.bsr_array(pattern.astype(np.float32), blocksize=(2, 2))
    result = open_source(blocks).without([True, False, True, True])
    assert (result.blocksize, result.dtype) == ((2, 2), np.float32)
    assert result.toarray()[0].tolist() == [0, 0, 1, 0]


def test_dense_arrays_are_matrices_and_keep_their_type():
    matrix = np.array([[0, 2, 0], [1, 0, 1], [0, 1, 7]], dtype=np.int16)
    source = open_source(matrix)
    assert source.spread(np.array([0.25, 0.75]), np.nan)[:4].tolist() == [0.25, 0.25, 0.75, 0.75]
    result = source.without([False, True])
    assert result.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 7]]
    assert (result.dtype, matrix[0, 1]) == (np.int16, 2)


def test_features_beside_a_matrix():
    path = sp.diags_array([np.ones(2), np.ones(2)], offsets=[1, -1])
    assert open_source(path, nodes=[[1.0], [2.0], [3.0]]).graph.features.tolist() == [[1], [2], [3]]
    assert as_graph((path, sp.csr_array(np.eye(3, 2)))).features.shape == (3, 2)
    table = pd.DataFrame({"vip": [True, False, True], "city": ["Oslo", "Rome", "Oslo"]})
    graph = open_source((path, table), features=["vip"]).graph
    assert (graph.features.tolist(), graph.feature_names) == ([[1, 0], [0, 1], [1, 0]], ("vip", "not vip"))
    with pytest.raises(InvalidParameterError, match="no column 'age' in the table"):
        _ = open_source((path, table), features="age").graph


def test_a_column_of_ids_beside_a_matrix_orders_the_rows_and_is_no_feature(refused):
    path = sp.diags_array([np.ones(2), np.ones(2)], offsets=[1, -1])
    table = pd.DataFrame({"id": [2, 0, 1], "vip": [True, False, False], "label": [1, 0, 0]})
    for nodes in (table, table.astype({"id": float}), table.set_index(pd.Index([5, 6, 7]))):
        graph = as_graph((path, nodes))
        assert (graph.features.tolist(), graph.feature_names) == ([[0, 1], [0, 1], [1, 0]], ("vip", "not vip"))
        assert graph.labels.tolist() == [0, 0, 1]
    strange = table.assign(id=table["id"] + 10)
    question = refused(lambda: as_graph((path, strange)), error=AmbiguousInputError)
    assert "which column of nodes holds the node numbers 0 to 2? Column 'id' does not" in question
    by_row = open_source((path, strange), id_column="index", features="vip").graph
    assert by_row.features.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert "nodes has 2 rows, but the matrix has 3 nodes" in refused(lambda: as_graph((path, table[:2])))


def test_other_arrays_are_refused(refused):
    assert "must be square, got shape (3, 2); for pairs use kces.Graph.from_edges" in refused(
        lambda: as_graph(np.array([[0, 1], [1, 2], [2, 0]]))
    )
    assert "must be square, got shape (2, 3)" in refused(lambda: as_graph(sp.csr_array((2, 3))))
    assert "must be square, got shape (4,)" in refused(lambda: as_graph(np.ones(4)))
    assert "holds numbers" in refused(lambda: as_graph(np.array([["a", "b"], ["b", "c"]])))
    assert "NaN or infinite" in refused(lambda: as_graph(np.array([[0, np.nan], [1, 0]])))
    assert "describe 2 nodes, but the graph has 3" in refused(lambda: as_graph((sp.eye_array(3, k=1), np.ones((2, 1)))))


def test_a_table_without_ids_beside_a_matrix_is_joined_by_place_and_says_so(refused):
    path = sp.diags_array([np.ones(2), np.ones(2)], offsets=[1, -1])
    table = pd.DataFrame({"vip": [True, False, False]})
    for nodes in (table, table.set_axis(["ann", "bob", "cy"])):
        with pytest.warns(GraphWarning, match="nodes has no column of ids: its row r is taken for node r"):
            assert as_graph((path, nodes)).features.tolist() == [[1, 0], [0, 1], [0, 1]]
    shuffled = table.set_axis([2, 0, 1])
    assert "in another order than its rows" in refused(lambda: as_graph((path, shuffled)), error=AmbiguousInputError)
    assert open_source((path, shuffled), id_column="index").graph.features.tolist() == [[0, 1], [0, 1], [1, 0]]
    by_place = as_graph((path, shuffled.reset_index(drop=True)))
    assert by_place.features.tolist() == [[1, 0], [0, 1], [0, 1]]
