"""Tables of coefficients in compiled loops."""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.polynomial import compiled_polynomial


def test_horner_is_the_sum_of_powers() -> None:
    table = (0.5, -1.0, 0.25, 3.0)
    polynomial = compiled_polynomial(table, np.float32)

    @numba.njit
    def at(x):  # type: ignore[no-untyped-def]
        return polynomial(x)

    assert np.isclose(at(np.float32(0.7)), np.polynomial.polynomial.polyval(0.7, table))
