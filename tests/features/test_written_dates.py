"""Dates that are not in ISO form: how they are read, and what of them is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from kces.errors import InvalidGraphError
from kces.features import prepare_features
from kces.features.written_dates import dates_of_other_forms


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


@pytest.mark.parametrize(
    "cell",
    [
        "01-Aug-2022",
        "01 August 2022",
        "1. Aug. 2022",
        "Aug 1, 2022",
        "August 1st, 2022",
        "Mon, 01 Aug 2022 07:22:15 +0000",
        "01-AUG-22",
        "01AUG2022",
        "Aug 2022",
        "2022-Aug-01",
        "01/01/2022 07:22 PM",
        "1/1/2022 7:22:15 am",
        "01/01/2022, 07:22",
        "2022-01-01 07:22 p.m.",
        "2022/01/01 07:22:15.123",
        "31/01/24",
        "31.1.24 07:22",
    ],
)
def test_dates_of_forms_that_are_not_read_are_known_as_dates(cell):
    assert "dates of a form that is not read" in (dates_of_other_forms(pd.Series([cell, cell, "unknown"])) or "")


def test_a_column_of_such_dates_is_refused_as_that():
    for form, what in (
        ("{:02d}-Aug-2022", "dates of a form that is not read; write them as"),
        ("{:02d}:30", "times of"),
    ):
        cells = [form.format(place) for place in range(1, 24)]
        with pytest.raises(InvalidGraphError) as caught:
            prepare_features(pd.DataFrame({"since": cells}))
        assert str(caught.value).startswith(f"column 'since' holds {cells[0]!r}: it looks like {what}")


@pytest.mark.parametrize("cell", ["06:00", "6:00:15", "06:00 PM", "6pm", "18:30:01.5"])
def test_times_of_day_are_known_as_such(cell):
    assert "times of day" in (dates_of_other_forms(pd.Series([cell, cell, "unknown"])) or "")


@pytest.mark.parametrize(
    "cell",
    [
        "C12",
        "12A",
        "Augusta",
        "May",
        "March 5",
        "192.168.0.1",
        "31.02.2024",
        "2024-02-31",
        "1:2:3:4",
        "3-4",
        "06-1234567",
    ],
)
def test_other_text_is_not_taken_for_dates(cell):
    assert dates_of_other_forms(pd.Series([cell, cell, "unknown"])) is None
    assert dates_of_other_forms(pd.Series([cell, "x y", "unknown", "31/01/24"])) is None
