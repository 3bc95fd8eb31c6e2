"""The best of each column: counted as the table shows it."""

from __future__ import annotations

from kces.lab.reproduce.plan import Slot
from kces.lab.reproduce.published_numbers import Reported
from kces.lab.reproduce.tables import Filled
from kces.lab.reproduce.verdicts import column_verdicts, verdict_lines


def filled(column: str, means: dict[str, float | None], claim: float | None = None) -> list[Filled]:
    paper = None if claim is None else Reported(claim, 0.1)
    return [
        Filled(
            Slot("cora", row, column, (), paper=paper if row == "kces" else None),
            () if mean is None else (mean,),
            (),
            {},
        )
        for row, mean in means.items()
    ]


def test_floor_ceiling_and_missing_rows_do_not_lead() -> None:
    (verdict,) = column_verdicts(filled("clean", {"mlp": 99.0, "gcn": 80.0, "kces": 79.0, "gat": None, "oracle": 98.0}))
    assert (verdict.best, verdict.best_kces, verdict.kces_leads) == (("gcn", 80.0), ("kces", 79.0), False)


def test_a_model_behind_kces_counts_and_equal_decimals_are_equal() -> None:
    (verdict,) = column_verdicts(filled("dice", {"airgnn": 80.84, "kces": 78.0, "kces+airgnn": 80.76}))
    assert verdict.best_kces == ("kces+airgnn", 80.76)
    assert verdict.kces_leads


def test_claims_are_met_within_half_a_point() -> None:
    near, far = (filled("x", {"gcn": 1.0, "kces": 80.0}, claim) for claim in (80.5, 80.6))
    assert column_verdicts(near)[0].claim_is_met
    assert not column_verdicts(far)[0].claim_is_met


def test_the_lines_count_what_the_columns_say() -> None:
    both = filled("clean", {"gcn": 83.0, "kces": 82.0}, 84.0) + filled("dice", {"gcn": 76.0, "kces": 78.4}, 78.0)
    text = "\n".join(verdict_lines(both))
    assert "in 1 of 2 columns" in text
    assert "in 1 of 2." in text
    assert "| cora, dice | KCES robust 78.4 | **KCES robust 78.4** | 78.0 |" in text
    assert verdict_lines(filled("clean", {"gcn": 83.0})) == []


def test_each_row_with_kces_is_also_counted_alone() -> None:
    both = filled("clean", {"gcn": 83.0, "kces": 82.0, "kces+gat": 84.0}) + filled("dice", {"gcn": 76.0, "kces": 76.0})
    text = verdict_lines(both)[-2]
    assert "KCES robust 1 of 2" in text
    assert "GAT (K robust) 1 of 1" in text
