"""What a table of accuracies says in one look: the best defense of each column, and how KCES stands beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kces.lab.reproduce.needs import PRESET_OF
from kces.lab.reproduce.plan import CEILING, FLOOR, label_of
from kces.lab.reproduce.tables import Filled

__all__ = ["ColumnVerdict", "column_verdicts", "verdict_lines"]

SLACK = 0.5
"""Points by which a number may miss a claim and still count as reaching it: the spread of three seeds."""


@dataclass(frozen=True)
class ColumnVerdict:
    """One column of accuracies.

    Attributes
    ----------
    section, column : where it stands.
    best : the defense with the highest mean, floor and ceiling aside, and that mean.
    best_kces : the same among the rows that have KCES alone or in front.
    unbeaten : for each row with KCES, whether no defense without it is better.
    claim : what the paper has for KCES; None where it has nothing.
    """

    section: str
    column: str
    best: tuple[str, float]
    best_kces: tuple[str, float]
    unbeaten: dict[str, bool]
    claim: float | None

    @property
    def kces_leads(self) -> bool:
        """Whether no defense is better."""
        return _reaches(self.best_kces[1], self.best[1])

    @property
    def claim_is_met(self) -> bool:
        return self.claim is not None and self.best_kces[1] >= self.claim - SLACK


def column_verdicts(filled: Iterable[Filled]) -> list[ColumnVerdict]:
    """A verdict for each column that has a row of KCES and one of another defense."""
    columns: dict[tuple[str, str], list[Filled]] = {}
    for each in filled:
        if each.mean is not None and each.slot.row not in (FLOOR, CEILING):
            columns.setdefault((each.slot.section, each.slot.column), []).append(each)
    found = []
    for (section, column), members in columns.items():
        means = {each.slot.row: each.mean for each in members if each.mean is not None}
        ours = {row: mean for row, mean in means.items() if row.partition("+")[0] in PRESET_OF}
        if ours and len(ours) < len(means):
            claims = [each.slot.paper for each in members if each.slot.row == "kces"]
            claim = claims[0].mean if claims and claims[0] is not None else None
            others = max(mean for row, mean in means.items() if row not in ours)
            unbeaten = {row: _reaches(mean, others) for row, mean in ours.items()}
            found.append(ColumnVerdict(section, column, _highest(means), _highest(ours), unbeaten, claim))
    return found


def _reaches(mean: float, other: float) -> bool:
    """In the one decimal that tables show."""
    return round(mean, 1) >= round(other, 1)


def _highest(means: dict[str, float]) -> tuple[str, float]:
    """
    >>> _highest({"gcn": 80.0, "kces": 81.0})
    ('kces', 81.0)
    """
    row = max(means, key=lambda name: means[name])
    return row, means[row]


def verdict_lines(filled: Iterable[Filled]) -> list[str]:
    """Markdown: two counts, a table of the columns, and how the rows with KCES do when each is taken alone."""
    verdicts = column_verdicts(filled)
    if not verdicts:
        return []
    leads = sum(each.kces_leads for each in verdicts)
    claims = [each for each in verdicts if each.claim is not None]
    met = sum(each.claim_is_met for each in claims)
    return [
        "## The best of each column",
        "",
        f"No defense is better than the best row with KCES in {leads} of {len(verdicts)} columns. That row reaches "
        f"what the paper claims for KCES, within {SLACK} points, in {met} of {len(claims)}.",
        "",
        "| | best defense | best row with KCES | claimed for KCES |",
        "|---|---|---|---|",
        *(_row(each) for each in verdicts),
        "",
        f"The best row is picked by its test accuracy. Each taken alone is unbeaten by defenses without KCES in: "
        f"{_taken_alone(verdicts)}.",
        "",
    ]


def _taken_alone(verdicts: list[ColumnVerdict]) -> str:
    counts: dict[str, list[bool]] = {}
    for verdict in verdicts:
        for row, unbeaten in verdict.unbeaten.items():
            counts.setdefault(row, []).append(unbeaten)
    return ", ".join(f"{label_of(row)} {sum(each)} of {len(each)}" for row, each in counts.items())


def _row(verdict: ColumnVerdict) -> str:
    best, ours = (f"{label_of(row)} {mean:.1f}" for row, mean in (verdict.best, verdict.best_kces))
    claim = "" if verdict.claim is None else f"{verdict.claim:.1f}"
    ours = f"**{ours}**" if verdict.kces_leads else ours
    return f"| {verdict.section}, {verdict.column} | {best} | {ours} | {claim} |"
