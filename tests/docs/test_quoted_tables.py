"""Tables in the documents say what the files of the runs say: one typed by hand would drift from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from docs.fences import ROOT
from kces.lab.reproduce.plan import label_of

RESULTS = ROOT / "docs" / "results"
PAGES = sorted(page for page in RESULTS.rglob("*.md") if page.with_suffix(".csv").exists())
ROBUSTNESS = (
    "table-robustness.csv",
    "large/table-robustness.csv",
    "flickr/table-robustness.csv",
    "earlier/large/table-robustness.csv",
)
"""Newest first: an earlier run counts where there is no newer one."""
NO_DEFENSE = ("mlp", "oracle")

Table = dict[tuple[str, str], str]


def tables_of(page: Path) -> Iterator[tuple[str, Table]]:
    """The tables of a page with the heading or the bold line above each, as (row, column) -> text of the cell."""
    heading, rows = "", []
    for line in [*page.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        if rows:
            header, body = rows[0], rows[2:]
            yield (
                heading,
                {(row[0], name): text for row in body for name, text in zip(header[1:], row[1:], strict=True)},
            )
            rows = []
        if found := re.fullmatch(r"#+ (.+)|\*\*(.+)\*\*", line):
            heading = found[1] or found[2]


def stored(*names: str) -> pd.DataFrame:
    frame = pd.concat([pd.read_csv(RESULTS / name) for name in names])
    return frame[frame["mean"].notna()].assign(label=lambda rows: rows["row"].map(label_of))


def number(text: str) -> float | None:
    """The first number of a cell; none in one that says why there is none."""
    found = re.match(r"\**(-?[\d,]+(?:\.\d+)?(?:e-?\d+)?)", text)
    return float(found[1].replace(",", "")) if found else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(RESULTS)))
def test_the_page_of_a_run_is_made_of_its_file(page: Path) -> None:
    frame = stored(str(page.with_suffix(".csv").relative_to(RESULTS)))
    known = {(row.section, row.label, row.column): row.mean for row in frame.itertuples()}
    compared = 0
    for section, table in tables_of(page):
        for (row, column), text in table.items():
            said = number(text)
            if said is None or (section, row, column) not in known:
                continue
            digits = len(re.match(r"\**-?[\d,]+\.?(\d*)", text)[1])  # type: ignore[index]
            assert said == pytest.approx(known[section, row, column], abs=0.51 * 10**-digits, rel=1e-2 * (digits > 3))
            compared += 1
    assert compared >= 0.9 * len(known)


def test_the_overview_is_made_of_the_runs() -> None:
    table = next(table for _, table in tables_of(ROOT / "docs" / "results.md") if ("Cora", "GCN") in table)
    runs = [stored(name) for name in ROBUSTNESS]
    sections = {section: frame for frame in reversed(runs) for section in frame["section"].unique()}
    wanted = {}
    for section, frame in sections.items():
        rows = frame[(frame["section"] == section) & (frame["column"] == "metattack")].set_index("row")
        defenses = rows[~rows.index.isin(NO_DEFENSE)]
        ours = defenses.index.str.startswith("kces")
        numbers = {
            "MLP": rows.loc["mlp", "mean"],
            "GCN": rows.loc["gcn", "mean"],
            "best other": defenses[~ours]["mean"].max(),
            "KCES paper": rows.loc["kces-paper", "mean"],
            "KCES robust": rows.loc["kces", "mean"],
            "best with KCES": defenses[ours]["mean"].max(),
            "oracle": rows.loc["oracle", "mean"],
            "claimed for KCES": rows.loc["kces", "paper"],
        }
        wanted |= {(section.capitalize(), name): f"{value:.1f}" for name, value in numbers.items()}
    assert table == wanted
