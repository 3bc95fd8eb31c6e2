"""Slots filled with what was measured, as Markdown and CSV: our number, the paper's, the floor and the ceiling."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.plan import CEILING, FLOOR, Slot, label_of
from kces.lab.reproduce.store import Outcome
from kces.processes.answers import OK, JsonObject

__all__ = ["Filled", "fill", "plain_tables", "rows_of", "sections", "to_frame", "to_markdown"]

_NOT_RUN = "not run"
_LONGEST_MARK = 60


@dataclass(frozen=True)
class Filled:
    """A slot with its outcomes: the numbers of the runs that ended well, and the marks of the others."""

    slot: Slot
    values: tuple[float, ...]
    marks: tuple[str, ...]
    parameters: JsonObject
    floor: float | None = None
    ceiling: float | None = None

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def std(self) -> float | None:
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        paper = self.slot.paper
        if self.mean is None or paper is None or paper.mean is None:
            return None
        return self.mean - paper.mean

    @property
    def problem(self) -> str:
        """The marks of runs without a number, each once.

        A slot of which some seeds are missing still shows the mean of the others, with this beside it.
        """
        kinds = list(dict.fromkeys(self.marks))
        if not self.values:
            return "; ".join(kinds)
        return "; ".join(f"{self.marks.count(kind)} x {kind}" for kind in kinds)


def fill(slots: Iterable[Slot], outcomes: Mapping[Cell, Outcome]) -> list[Filled]:
    """Each slot with its numbers, the floor and the ceiling of its column beside them."""
    slots = list(slots)
    plain = [_filled(slot, outcomes) for slot in slots]
    bounds = {
        (each.slot.section, each.slot.column, each.slot.row): each.mean
        for each in plain
        if each.slot.row in (FLOOR, CEILING) and each.slot.quantity == "accuracy"
    }
    return [
        Filled(
            each.slot,
            each.values,
            each.marks,
            each.parameters,
            floor=bounds.get((each.slot.section, each.slot.column, FLOOR)),
            ceiling=bounds.get((each.slot.section, each.slot.column, CEILING)),
        )
        for each in plain
    ]


def _filled(slot: Slot, outcomes: Mapping[Cell, Outcome]) -> Filled:
    found = [outcomes.get(cell) for cell in slot.cells]
    good = [outcome.result for outcome in found if outcome is not None and outcome.status == OK]
    marks = [_NOT_RUN if outcome is None else outcome.mark for outcome in found]
    return Filled(
        slot,
        tuple(float(result[slot.quantity]) for result in good),
        tuple(mark for mark in marks if mark),
        good[0].get("parameters") or {} if good else {},
    )


def sections(filled: Iterable[Filled]) -> dict[str, list[Filled]]:
    """The slots of each section, in order."""
    grouped: dict[str, list[Filled]] = {}
    for each in filled:
        grouped.setdefault(each.slot.section, []).append(each)
    return grouped


def rows_of(filled: Iterable[Filled]) -> tuple[list[str], list[str], dict[tuple[str, str], Filled]]:
    """Rows, columns and the slots at their crossings, of one section."""
    grid = {(each.slot.row, each.slot.column): each for each in filled}
    return list(dict.fromkeys(row for row, _ in grid)), list(dict.fromkeys(column for _, column in grid)), grid


# -- Markdown ---------------------------------------------------------------------------------------


def to_markdown(filled: list[Filled]) -> str:
    """A table per section; every cell has our mean ± std, and the paper's number with the difference."""
    return "\n\n".join(_section(name, members) for name, members in sections(filled).items())


def _section(name: str, members: list[Filled]) -> str:
    rows, columns, grid = rows_of(members)
    lines = [f"### {name}", "", f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for row in rows:
        entries = [entry(grid[row, column]) if (row, column) in grid else "" for column in columns]
        lines.append(f"| {label_of(row)} | {' | '.join(entries)} |")
    return "\n".join(lines)


def entry(filled: Filled) -> str:
    """What one cell of a table says."""
    parts = [number for number in (_measured(filled), _reported(filled)) if number]
    return "<br>".join(parts).replace("|", "/").replace("\n", " ")


def _measured(filled: Filled) -> str:
    problem = filled.problem if len(filled.problem) <= _LONGEST_MARK else filled.problem[: _LONGEST_MARK - 1] + "…"
    if filled.mean is None:
        return problem
    spread = "" if filled.std is None else f" ± {_spread(filled.std, filled.mean)}"
    return number(filled.mean) + spread + (f" ({problem})" if problem else "")


def _reported(filled: Filled) -> str:
    paper = filled.slot.paper
    if paper is None:
        return ""
    if paper.mean is None:
        return f"paper {paper.mark}"
    spread = "" if paper.std is None else f" ± {paper.std}"
    difference = "" if filled.difference is None else f" ({filled.difference:+.1f})".replace("-", "−")
    return f"paper {paper.mean:g}{spread}{difference}"


def number(value: float) -> str:
    """Percentages and seconds with one decimal, small scores with three digits, large counts whole.

    >>> number(81.26), number(0.000123), number(1157799.0), number(0.0)
    ('81.3', '0.000123', '1,157,799', '0.0')
    """
    if value != 0 and abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"


def _spread(std: float, mean: float) -> str:
    """With as many decimals as the mean has."""
    return f"{std:.1f}" if 0.1 <= abs(mean) < 1000 else number(std)


def plain_tables(filled: list[Filled]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, columns and rows of each section, for a terminal."""
    tables = []
    for name, members in sections(filled).items():
        rows, columns, grid = rows_of(members)
        lines = [
            [
                label_of(row),
                *(
                    entry(grid[row, column]).replace("<br>", "\n") if (row, column) in grid else ""
                    for column in columns
                ),
            ]
            for row in rows
        ]
        tables.append((name, ["", *columns], lines))
    return tables


# -- CSV --------------------------------------------------------------------------------------------


def to_frame(filled: Iterable[Filled]) -> pd.DataFrame:
    """One row per slot, for machines."""
    return pd.DataFrame([_record(each) for each in filled])


def _record(filled: Filled) -> JsonObject:
    slot, paper = filled.slot, filled.slot.paper
    return {
        "section": slot.section,
        "row": slot.row,
        "column": slot.column,
        "quantity": slot.quantity.partition("@")[0],
        "mean": filled.mean,
        "std": filled.std,
        "runs": len(filled.values),
        "wanted": len(slot.cells),
        "problem": filled.problem,
        "paper": None if paper is None else paper.mean,
        "paper_std": None if paper is None else paper.std,
        "paper_mark": "" if paper is None else paper.mark,
        "difference": filled.difference,
        "floor": filled.floor,
        "ceiling": filled.ceiling,
        "parameters": ", ".join(f"{name} {value}" for name, value in filled.parameters.items()),
    }
