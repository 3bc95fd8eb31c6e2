from __future__ import annotations

import numpy as np
import pytest

from kces.graph import Graph
from kces.interop.records import checked_mask, count_weights, surviving_records

PATH = Graph.from_edges([[0, 1], [1, 2], [2, 3]])


def test_both_directions_and_duplicates_go_together_and_self_loops_stay():
    sources = [0, 1, 1, 2, 2, 1, 3]
    targets = [1, 0, 0, 1, 2, 2, 2]
    survives = surviving_records(PATH, [False, True, True], sources, targets)
    assert survives.tolist() == [False, False, False, True, True, True, True]


def test_a_record_that_is_no_edge_of_the_graph_stays():
    assert surviving_records(PATH, [False] * 3, [0, 0], [3, 1]).tolist() == [True, False]


def test_no_records_survive_trivially():
    assert surviving_records(PATH, [True] * 3, [], []).shape == (0,)


@pytest.mark.parametrize("mask", [[True, True], [1, 0, 1], np.ones((3, 1), dtype=bool)])
def test_a_mask_of_another_length_or_type_is_refused(mask, refused):
    assert "mask over the 3 edges" in refused(lambda: checked_mask(PATH, mask))


def test_weights_are_counted_once_and_may_be_text():
    assert count_weights(np.array(["1", "heavy", "0.5"], dtype=object)) == 2
    assert count_weights([1, 1.0, 1]) == 0
