"""When columns are brought to one scale, and what that does to a score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kces.features import prepare_features, scale_matrix

RANDOM = np.random.default_rng(7)
NORMAL = RANDOM.normal(size=(200, 4))
COUNTS = RANDOM.poisson(0.4, size=(200, 30)).astype(float)

LEFT_ALONE = {
    "embedding": NORMAL,
    "embedding after a rectifier": np.maximum(NORMAL, 0),
    "spreads within a factor of ten": NORMAL * [1, 2, 4, 8],
    "zeros and ones": np.eye(4)[np.arange(200) % 4],
    "bag of words": COUNTS,
    "shares": RANDOM.dirichlet(np.ones(5), size=200),
}
SCALES_OF_THEIR_OWN = {
    "spreads apart": NORMAL * [1, 1, 1, 100],
    "means far from zero": NORMAL + np.array([0, 0, 50, 0]),
    "an age beside a bag of words": np.column_stack([COUNTS, np.arange(20, 220) // 3]),
    "an age beside a flag": np.column_stack([NORMAL[:, 0] > 0, np.arange(200) // 3]),
    "age, cents and days": np.exp(RANDOM.normal([3.7, 15, 5], [0.3, 1, 1], (200, 3))),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_one_scale_stays(name):
    features = prepare_features(pd.DataFrame(LEFT_ALONE[name]))
    assert np.array_equal(features.matrix, LEFT_ALONE[name])
    assert features.notes == []


@pytest.mark.parametrize("name", SCALES_OF_THEIR_OWN)
def test_scales_of_their_own_are_compared_by_nearness_but_not_flags(name):
    table = SCALES_OF_THEIR_OWN[name]
    features = prepare_features(pd.DataFrame(table))
    assert "compared by nearness" in features.notes[-1]
    for column in range(table.shape[1]):
        made = features.matrix[:, features.own.made_from == column]
        if np.isin(table[:, column], (0, 1)).all():
            assert np.array_equal(made[:, 0], table[:, column])
        else:
            assert made.sum(axis=1) == pytest.approx(np.ones(len(table)))


@pytest.mark.parametrize("name", SCALES_OF_THEIR_OWN)
def test_many_columns_with_scales_of_their_own_are_standardized_but_not_flags(name, monkeypatch):
    monkeypatch.setattr("kces.features.prepare.MOST_COLUMNS", 0)
    table = SCALES_OF_THEIR_OWN[name]
    features = prepare_features(pd.DataFrame(table))
    assert "standardized" in features.notes[-1]
    for column in range(table.shape[1]):
        if np.isin(table[:, column], (0, 1)).all():
            assert np.array_equal(features.matrix[:, column], table[:, column])
        else:
            assert features.matrix[:, column].mean() == pytest.approx(0, abs=1e-9)
            assert features.matrix[:, column].std() == pytest.approx(1)


def test_asked_for_or_forbidden():
    frame = pd.DataFrame(NORMAL)
    assert prepare_features(frame, scale="standard").notes == ["4 columns standardized: as asked"]
    apart = pd.DataFrame(SCALES_OF_THEIR_OWN["spreads apart"])
    assert np.array_equal(prepare_features(apart, scale="none").matrix, apart.to_numpy())


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_a_constant_column_gives_no_noise(scale):
    frame = pd.DataFrame({"same": [0.1] * 50, "age": np.arange(50.0) * 100, "height": np.arange(50.0) % 7})
    assert [column.name for column in prepare_features(frame, scale=scale).own.columns] == ["age", "height"]
    alone = prepare_features(frame[["same"]], scale=scale).matrix[:, :1]
    assert np.isfinite(alone).all()
    assert len(np.unique(alone)) == 1


@pytest.mark.filterwarnings("error")
def test_huge_and_tiny_values_are_standardized():
    table = pd.DataFrame(NORMAL * [1e300, 1e-300, 1, 1])
    assert prepare_features(table, scale="standard").matrix.std(axis=0) == pytest.approx(np.ones(4))
    near = prepare_features(table)
    assert near.notes == ["4 columns compared by nearness: the spreads differ very much"]
    assert near.matrix.sum(axis=1) == pytest.approx(np.full(len(table), 4.0))


def test_a_matrix_is_scaled_only_when_asked():
    apart = SCALES_OF_THEIR_OWN["spreads apart"]
    assert scale_matrix(apart, "auto")[0] is apart
    assert scale_matrix(apart, "standard")[0].std(axis=0) == pytest.approx(np.ones(4))
    sparse = sp.csr_array(COUNTS * 5)
    assert scale_matrix(sparse, "none")[0] is sparse
    scaled, note = scale_matrix(sparse, "standard")
    assert scaled.nnz == sparse.nnz
    assert scaled.toarray().std(axis=0) == pytest.approx(np.ones(30))
    assert "divided by their spread" in note
