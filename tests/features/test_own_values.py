"""What a table said, kept beside the features that were made of it, whatever happens to the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kces.features import prepare_features
from kces.features.own_values import in_words
from kces.features.prepare import with_unknown_rows


def values(prepared, node):
    return {column.name: column.value(node) for column in prepared.own.columns}


def test_every_kind_of_column_is_kept_as_it_was_written():
    frame = pd.DataFrame(
        {
            "income": ["1200", "98000", ""],
            "rate": ["45%", "5 %", "30%"],
            "price": ["€1,200.50", "€7", "€12"],
            "vip": ["yes", "no", "yes"],
            "flag": [True, False, True],
            "city": ["Oslo", "Rome", "Oslo"],
            "since": ["2024-01-31", "2023-12-31", "2024-01-01"],
            "born": pd.to_datetime(["1990-05-01", None, "1991-01-01"]),
            "place": [[1.5, 2], [3, 4], [5, 6]],
            "small": np.array([0.1, 0.2, 0.3], dtype=np.float32),
        }
    )
    prepared = prepare_features(frame.loc[[0, 1, 2, 0, 1, 2]].reset_index(drop=True), scale="standard")
    assert values(prepared, 0) == {
        "income": 1200, "rate": "45%", "price": "€1,200.50", "vip": "yes", "flag": True, "city": "Oslo",
        "since": "2024-01-31", "born": "1990-05-01", "place[0]": 1.5, "place[1]": 2, "small": 0.1,
    }  # fmt: skip
    assert values(prepared, 2)["income"] is None
    assert values(prepared, 1)["born"] is None
    assert len(prepared.own.made_from) == len(prepared.names) == prepared.matrix.shape[1]
    assert [prepared.own.columns[place].name for place in prepared.own.made_from[:3]] == ["income", "income", "rate"]


def test_a_column_that_stands_alone_is_one_column():
    prepared = prepare_features(pd.DataFrame({"age": [30, 40, None]}))
    assert prepared.names == ["age near 30", "age near 35", "age near 40"]
    assert prepared.own.made_from.tolist() == [0, 0, 0]
    assert prepared.matrix.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_nodes_without_a_row_have_no_values_and_say_so():
    prepared = with_unknown_rows(prepare_features(pd.DataFrame({"age": [30, 40], "vip": [True, False]})), 1)
    assert values(prepared, 2) == {"age": None, "vip": None, "row in the table": False}
    assert values(prepared, 0) == {"age": 30, "vip": True, "row in the table": True}
    assert prepared.own.made_from.tolist() == [0, 0, 0, 1, 2]


def test_numbers_in_words():
    assert [in_words(value) for value in (98000, 1234567.89, 0.123456789, False)] == [
        "98000", "1234567.89", "0.123457", "no",
    ]  # fmt: skip
