"""Dates that are not in ISO form: how they are read, and what of them is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from kces.features import prepare_features


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["31.01.2024", "02.02.2024", "1.2.2024"], "day first"),
        (["03.01.2024", "05.01.2024", "04.01.2024"], "day first"),  # points alone say so
        (["31/01/2024", "02/02/2024", "1/2/2024"], "day first"),
        (["01/31/2024", "02/02/2024", "2/1/2024"], "month first"),
        (["31-01-2024 09:30", "02-02-2024 09:30", "01-02-2024 09:30:00"], "day first"),
        (["2024/01/31", "2024/02/02", "2024/02/01"], "year first"),
        (["2024-1-31", "2024-2-2", "2024-2-1"], "year first"),
    ],
)
def test_read_as_days_and_said(cells, order):
    prepared = prepare_features(pd.DataFrame({"since": cells}), scale="none")
    assert prepared.matrix[:, 0].tolist() == [0, 2, 1]
    assert prepared.notes == [f"dates as days: since ({order})"]
    assert prepared.own.columns[0].value(0) == cells[0]  # an explanation shows what was written


@pytest.mark.parametrize("cells", [["31/01/2024", "01/31/2024"] * 20, ["31.02.2024", "01.02.2024"] * 20])
def test_days_that_do_not_exist_are_words(cells):
    assert prepare_features(pd.DataFrame({"since": cells})).names == [f"since={cell}" for cell in sorted(set(cells))]
