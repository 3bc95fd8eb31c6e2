"""Features as the robust score compares them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from kces.scorers.centered_features import CenteredFeatures


def test_centered_features_by_hand() -> None:
    features = CenteredFeatures.of(np.array([[2.0, 0.0], [0.0, 5.0], [0.0, 0.0]]))
    (columns,) = features.blocks
    block = np.empty((3, 2))
    features.write_block(columns, block)
    np.testing.assert_allclose(block, [[0.5, -0.5], [-0.5, 0.5], [0.0, 0.0]])
    np.testing.assert_allclose(features.times(np.eye(2)), block)
    np.testing.assert_allclose(features.transposed_times(np.eye(3)), block.T)


def test_columns_that_nobody_has_change_no_product() -> None:
    stored = sp.csr_array([[0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 3.0], [0.0, 4.0, 0.0, 0.0]])
    features = CenteredFeatures.of(stored)
    compact = features.without_empty_columns()
    assert features.entries_per_column.tolist() == [0, 2, 0, 2]
    assert features.entries_per_node.tolist() == [2, 1, 1]
    assert compact.n_columns == 2
    rows, fewer = (each.rows(np.arange(3)) for each in (features, compact))
    np.testing.assert_allclose(rows @ rows.T, fewer @ fewer.T, atol=1e-15)


def test_a_block_is_its_columns_of_all_rows() -> None:
    stored = np.random.default_rng(0).random((20, 300))
    features = CenteredFeatures.of(stored)
    assert [block.stop - block.start for block in features.blocks] == [256, 256]
    together = np.hstack([features.block(columns) for columns in features.blocks])
    np.testing.assert_allclose(together, features.rows(np.arange(20)), atol=1e-15)
