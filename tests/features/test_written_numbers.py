"""Numbers with signs, separators and units, and what of them is refused."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from kces.errors import InvalidGraphError
from kces.features import prepare_features


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["45%", "5 %", "-3.5%"], [45, 5, -3.5]),
        (["$1,200.50", "$7", "-$3"], [1200.5, 7, -3]),
        (["€ 1.234,56", "€ 7", "€ 0,5"], [1234.56, 7, 0.5]),
        (["1.234.567 EUR", "12 EUR"], [1234567, 12]),
        (["USD 12", "USD 1,000,000"], [12, 1e6]),
        (["1 234 567", "12"], [1234567, 12]),
        (["1'234.5", "2"], [1234.5, 2]),
        (["12 kg", "7.5 kg"], [12, 7.5]),
        (["−5 %", "3 %"], [-5, 3]),
        (["1\u202f234,5", "7"], [1234.5, 7]),
    ],
)
def test_read_as_numbers_and_said(cells, expected):
    prepared = prepare_features(pd.DataFrame({"x": cells}), scale="none")
    assert prepared.matrix[:, 0].tolist() == expected
    assert prepared.notes[0].startswith(f"read as numbers: x ({cells[0]} is ")


@pytest.mark.parametrize("form", ["{}k", "{}K", "${}k", "{}kg", "{}y", "{}bn", "{}.5kg", "-{}m", "€ {}k", "{},25kg"])
def test_a_unit_glued_to_its_number_is_read_as_one_with_a_space(form):
    glued = [form.format(n) for n in range(20, 32)]
    spaced = [re.sub(r"(\d)([a-zK])", r"\1 \2", cell) for cell in glued]
    found, expected = (prepare_features(pd.DataFrame({"x": cells}), scale="none") for cells in (glued, spaced))
    assert found.matrix.tolist() == expected.matrix.tolist()
    assert len(np.unique(found.matrix)) == 12
    assert found.notes[0].startswith(f"read as numbers: x ({glued[0]} is ")


@pytest.mark.parametrize(
    "cells",
    [
        [f"{n}{'AB'[n % 2]}" for n in range(10, 22)],  # flats
        [f"A{n}" for n in range(10, 22)],
        [f"{n:03d}A" for n in range(1, 13)],
        [f"{n % 9}A" for n in range(12)],  # too few numbers
        [*(f"{n}k" for n in range(10, 22)), "800"],
        [*(f"{n}k" for n in range(10, 22)), "8m"],
        [f"{n}kilometers" for n in range(12)],
    ],
)
def test_codes_with_letters_stay_text(cells):
    assert prepare_features(pd.DataFrame({"x": cells * 5})).names == [f"x={cell}" for cell in sorted(set(cells))]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["45%", "0.3", "12%"], "holds '45%' and '0.3': are they in one unit?"),
        (["€5", "$7", "€6"], "holds '€5' and '$7'"),
        (["€1,234", "€5,678"], "a comma before decimals or between thousands?"),
        (["C12", "C345", "C6"], "too many to be categories"),
        (["INV00018", "INV00019", "INV00021"], "too many to be categories"),
        (["٣1", "٣2", "٣3"], "too many to be categories"),
        (["853", "1.100", "4.211"], "a point before decimals or between thousands"),
        (["853 €", "1.100 €", "4.211 €"], "a point before decimals or between thousands"),
        (["192.168.0.1", "10.0.0.12", "10.0.0.7"], "too many to be categories"),
        (["0049 171 1234", "0049 30 5678"], "too many to be categories"),
    ],
)
def test_refused(cells, reason):
    with pytest.raises(InvalidGraphError) as caught:
        prepare_features(pd.DataFrame({"x": cells}))
    assert reason in str(caught.value)
