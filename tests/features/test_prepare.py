"""Tables as people have them: what becomes of each kind of column, what is refused, and what is said."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.features import prepare_features
from kces.features.prepare import with_unknown_rows


def prepared(scale="none", **columns):
    return prepare_features(pd.DataFrame(columns), scale=scale)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", " 2 ", "3e1"], [1, 2, 30]),
        (["1,5", "2,25", "-,5"], [1.5, 2.25, -0.5]),
        (["1,234.5", "1,000,000", "7"], [1234.5, 1e6, 7]),
        (["12,345,678", "1", "2"], [12345678, 1, 2]),
        (["true", "False", "TRUE"], [1, 0, 1]),
        (["yes", "no", "Yes"], [1, 0, 1]),
        ([True, False, True], [1, 0, 1]),
        (["2024-01-01", "2024-01-03", "2023-12-31"], [1, 3, 0]),
        (["2024-01-01T12:00:00Z", "2024-01-01 00:00", "2024-01-02T00:00:00+00:00"], [0.5, 0, 1]),
        (pd.to_datetime(["2024-01-01", "2024-01-03", "2024-01-02"]), [0, 2, 1]),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 1, 2)], [0, 2, 1]),
        (pd.to_timedelta([1, 2, 3], unit="D"), [1, 2, 3]),
        (pd.array([1, 2, 4], dtype="Int64"), [1, 2, 4]),
        (np.array([1, 2, 4], dtype=np.uint8), [1, 2, 4]),
        ([1, "2", 3.0], [1, 2, 3]),
    ],
)
def test_columns_of_one_kind(cells, expected):
    features = prepared(x=cells)
    assert features.names == ["x"]
    assert features.matrix[:, 0].tolist() == expected


@pytest.mark.parametrize("empty", ["", "NA", "n/a", "k.A.", "NaN", "None", "?", " ", "-", "—", None, np.nan, pd.NaT])
def test_every_word_for_nothing_is_filled_and_marked(empty):
    features = prepared(x=pd.Series(["1", empty, "5", "3"], dtype=object))
    assert features.names == ["x", "x missing"]
    assert features.matrix.tolist() == [[1, 0], [3, 1], [5, 0], [3, 0]]
    assert features.notes == ["1 missing value filled with the median and marked: x (1)"]


def test_missing_flags_dates_and_words():
    features = prepared(
        flag=["yes", "", "yes", "no"],
        day=["2024-01-01", "2024-01-05", "", "2024-01-05"],
        city=["Oslo", "Rome", "Oslo", ""],
        note=["", "NA", "", "?"],
    )
    assert features.names == [
        *("flag", "flag missing", "day", "day missing"),
        *("city=Oslo", "city=Rome"),
    ]
    assert features.matrix[1].tolist() == [1, 1, 4, 0, 0, 1]
    assert features.matrix[3].tolist() == [0, 0, 4, 0, 0, 0]
    assert features.notes == [
        "2 missing values filled with the median and marked: flag (1), day (1)",
        "1 missing value left blank: city (1)",
        "text as one 0/1 column per value: city (2)",
        "dates as days: day",
        "left out, no values: note",
    ]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["ann", "bob", "cy", "dee"], "column 'x' holds text with 4 values in 4 rows (such as 'ann')"),
        ([f"w{n % 21}" for n in range(100)], "21 values in 100 rows"),
        (["1", "2", "tall", "4"], "column 'x' has 'tall' in row 2 where a number is expected"),
        (["03/01/2024", "01/02/2024"], "column 'x' holds '03/01/2024': is the day or the month first?"),
        (["3.1.2024", "soon", "1.2.2024"], "column 'x' has 'soon' in row 1 where a date is expected"),
        (["3.1.24", "1.2.24"], "write them as 2024-01-31"),
        (["1.234,50", "ask Eve", "ask Bob", "7,1", "8,2"], "'ask Eve' in row 1 where a number is expected (2 cells"),
        (["2024-13-01", "2024-01-01"], "too many to be categories"),
        (["1,234", "5,678"], "a comma before decimals or between thousands?"),
        (["1", "inf", "2"], "column 'x' holds an infinite value in row 1"),
        ([1 + 2j, 3], "complex"),
        (["", "NA"], "no column with values"),
        ([[1], [2, 3], [4]], "column 'x' holds nested values that are no lists of numbers of one length"),
        ([{"a": 1}, {"a": 2}], "column 'x' holds nested values"),
        ([["a"], ["b"]], "column 'x' holds nested values"),
        ([[1.0], [np.inf]], "column 'x' holds nested values"),
    ],
)
def test_what_cannot_be_a_feature_is_refused_by_name(cells, reason):
    with pytest.raises(InvalidGraphError) as caught:
        prepare_features(pd.DataFrame({"x": cells}))
    assert reason in str(caught.value)


@pytest.mark.parametrize("named", [None, ["row", "age"]])
def test_a_column_that_counts_the_rows_is_left_out_unless_it_is_named(named):
    frame = pd.DataFrame({"row": range(5, 45), "age": [20, 30] * 20})
    features = prepare_features(frame, columns=named)
    assert any(name.startswith("row") for name in features.names) == (named is not None)
    assert ("left out, it only counts the rows: row" in features.notes) == (named is None)
    assert prepare_features(frame[["row"]]).names[0] == "row near 5"  # nothing else is there
    assert prepare_features(frame, scale="none").names == ["row", "age"]  # as it is


def test_columns_are_chosen_and_dropped_by_name():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "note": ["x", "y"]})
    assert prepare_features(frame, columns=["b", "a"], scale="none").names == ["a", "b"]
    assert prepare_features(frame, drop=["note", "a"], scale="none").names == ["b"]
    for wrong in ({"columns": ["c"]}, {"drop": ["c"]}):
        with pytest.raises(InvalidParameterError, match="no column 'c' in the table; it has a, b, note"):
            prepare_features(frame, **wrong)
    with pytest.raises(InvalidParameterError, match="no column is left"):
        prepare_features(frame, columns=["a"], drop=["a"])
    with pytest.raises(InvalidParameterError, match="scale must be one of auto, standard, none"):
        prepare_features(frame, drop=["note"], scale="minmax")


def test_columns_of_one_name_and_names_that_are_no_text():
    frame = pd.DataFrame([[1, 2, 3], [3, 4, 4]], columns=["a", "a", 7])
    features = prepare_features(frame, scale="none")
    assert features.names == ["a", "a", "7"]
    assert features.matrix.tolist() == [[1, 2, 3], [3, 4, 4]]


def test_nodes_without_a_row_get_medians_and_a_mark():
    features = with_unknown_rows(prepared(x=[1, 2, 9], vip=[True, True, False]), 2)
    assert features.names == ["x", "vip", "no row"]
    assert features.matrix[2:].tolist() == [[9, 0, 0], [2, 1, 1], [2, 1, 1]]


def test_lists_of_one_length_are_columns_that_stand_as_they_are():
    features = prepared(scale="auto", place=[[1, 200], None, [3, 400]], vip=[True, False, True])
    assert features.names == ["place[0]", "place[1]", "place missing", "vip"]
    assert features.matrix.tolist() == [[1, 200, 0, 1], [2, 300, 1, 0], [3, 400, 0, 1]]
    assert features.notes == ["1 missing value filled with the median and marked: place (1)"]


def test_columns_with_one_value_are_left_out_and_named():
    table = {"x": [1, 2, 9], "z": [3, 1, 2], "same": [0.1] * 3, "city": ["Oslo"] * 3, "held": [5, None, 5]}
    features = prepared(scale="auto", **table)
    assert [column.name for column in features.own.columns] == ["x", "z", "held"]
    assert features.names[-2:] == ["held=5", "held blank"]
    assert "left out, one value for all nodes: same, city" in features.notes
    assert prepared(scale="auto", same=[7, 7], flag=[1, 1]).names == ["same near 7", "flag"]


def test_a_table_taken_as_it_is_keeps_its_constants():
    assert prepared(scale="none", x=[1, 2, 9], same=[0.1] * 3).names == ["x", "same"]


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_near_values_of_a_column_that_stands_alone_are_alike(scale):
    features = prepared(scale=scale, age=[25, 27, 65, 45, 25, None])
    made = {"standard": ["age", "age (level)", "age missing"], "auto": ["age near 25", "age near 65"]}
    done = {"standard": "standardized", "auto": "compared by nearness"}
    assert features.names == made[scale]
    assert f"1 column {done[scale]}: it stands alone" in features.notes[-1]
    rows = features.matrix[:5] / np.linalg.norm(features.matrix[:5], axis=1, keepdims=True)
    alike = rows @ rows[0]
    assert alike[4] == pytest.approx(1)
    assert alike[4] > alike[1] > alike[3] > alike[2]
    assert prepared(scale="none", age=[25, 27, 65]).names == ["age"]


def test_the_input_stays_as_it_was():
    frame = pd.DataFrame({"age": [20.0, np.nan, 60], "income": [1e6, 2e6, 5e6]})
    before = frame.copy()
    prepare_features(frame, scale="standard")
    pd.testing.assert_frame_equal(frame, before)


def test_values_that_differ_by_case_alone_are_noted():
    frame = pd.DataFrame({"city": ["Lima", "lima", "Oslo", "Oslo", "Lima", "lima "] * 2})
    assert "city: 'Lima' and 'lima' are taken for two values" in prepare_features(frame).notes


def test_a_text_that_is_the_same_for_all_is_named_once():
    notes = prepare_features(pd.DataFrame({"x": [1.0, 2.0, 4.0], "kind": ["a", "a", "a"]})).notes
    assert [note for note in notes if "kind" in note] == ["left out, one value for all nodes: kind"]


@pytest.mark.parametrize("column", [[20191231, 20200101, 20200103], ["20191231", "20200101", "20200103"]])
def test_days_written_as_one_number(column):
    prepared = prepare_features(pd.DataFrame({"opened": column, "x": [1.0, 5.0, 2.0]}), scale="none")
    assert prepared.matrix[:, 0].tolist() == [0.0, 1.0, 3.0]
    assert "dates as days: opened" in prepared.notes


def test_numbers_of_eight_digits_that_are_no_days_stay():
    prepared = prepare_features(pd.DataFrame({"code": [20191231, 20209901], "x": [1.0, 5.0]}), scale="none")
    assert prepared.matrix[:, 0].tolist() == [20191231.0, 20209901.0]


def test_many_values_that_return_are_categories():
    countries = [f"country {number % 60}" for number in range(300)]
    assert len(prepared(country=countries).names) == 60


@pytest.mark.parametrize(("values", "rows"), [(60, 299), (1_001, 10_000), (1_000, 200_000)])
def test_values_that_seldom_return_or_take_too_much_room_are_refused(values, rows):
    with pytest.raises(InvalidGraphError, match=f"'name' holds text with {values} values .* too many to be categories"):
        prepared(name=[f"name {number % values}" for number in range(rows)])


NEVER = "9999-12-31"


@pytest.mark.parametrize(
    "days",
    [
        ["2024-01-01", NEVER, "2024-01-03"],
        ["01.01.2024", "31.12.9999", "03.01.2024"],
        ["2024-01-01", NEVER + " 00:00:00", "2024-01-03"],
        [dt.date(2024, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 1, 3)],
        np.array(["2024-01-01", NEVER, "2024-01-03"], dtype="datetime64[s]"),
    ],
)
def test_a_day_that_stands_for_none_does_not_outweigh_the_others(days):
    found = prepared(until=days)
    assert found.names == ["until", "until missing"]
    assert found.matrix.tolist() == [[0, 0], [1, 1], [2, 0]]
