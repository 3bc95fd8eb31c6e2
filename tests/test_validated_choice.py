"""Choosing between prunings on validation nodes."""

from __future__ import annotations

import numpy as np
import pytest

from kces.validated_choice import informed_choice


def rights(*counts: int, nodes: int = 200) -> np.ndarray:
    """Row i: the first ``counts[i]`` of the validation nodes are right."""
    return np.arange(nodes) < np.array(counts)[:, None]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((100, 100, 100), 1),  # validation is indifferent: automatic
        ((100, 100, 103), 1),  # three nodes gained are chance
        ((100, 100, 160), 2),  # sixty are not
        ((160, 100, 160), 0),  # the automatic cut surely harms: none
        ((160, 158, 159), 1),
        ((100, 170, 165), 1),
    ],
)
def test_validation_decides_only_where_it_can(counts: tuple[int, ...], expected: int) -> None:
    assert informed_choice(rights(*counts), none=0, automatic=1) == expected


def test_only_nodes_that_differ_count() -> None:
    """Seven more right and none fewer is sure; the same lead out of a hundred differences is not."""
    none = np.arange(200) < 100
    steady, restless = none.copy(), none.copy()
    steady[100:107] = True
    restless[:50] = False
    restless[100:157] = True
    assert steady.sum() == restless.sum()
    assert informed_choice(np.array([none, none, steady]), none=0, automatic=1) == 2
    assert informed_choice(np.array([none, none, restless]), none=0, automatic=1) == 1
