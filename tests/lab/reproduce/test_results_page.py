"""docs/results.md says what the stored results say: a table typed by hand would drift from its file."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from kces.lab.reproduce.plan import label_of

DOCS = Path(__file__).parents[3] / "docs"
STORED = {
    "cora": "table-robustness.csv",
    "citeseer": "table-robustness.csv",
    "polblogs": "table-robustness.csv",
    "pubmed": "large/table-robustness.csv",
    "flickr": "large/table-robustness.csv",
}
NO_DEFENSE = ("mlp", "oracle")


def printed(section: str) -> dict[tuple[str, str], str]:
    """The table under the data set's name, as (label of the row, column) -> text of the cell."""
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    lines = page.split(f"\n**{section.capitalize()}**\n\n")[1].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header, body = rows[0], rows[2:]
    return {(row[0], column): text for row in body for column, text in zip(header[1:], row[1:], strict=True)}


def stored(section: str) -> dict[tuple[str, str], str]:
    """The same table made from the file of the run."""
    frame = pd.read_csv(DOCS / "results" / STORED[section])
    frame = frame[(frame["section"] == section) & frame["mean"].notna()]
    defenses = frame[~frame["row"].isin(NO_DEFENSE)]
    best = defenses.groupby("column")["mean"].max().round(1)
    cells = {}
    for row in frame.itertuples():
        is_best = row.row not in NO_DEFENSE and round(row.mean, 1) == best[row.column]
        text = f"**{row.mean:.1f}**" if is_best else f"{row.mean:.1f}"
        cells[label_of(row.row), row.column] = text if pd.isna(row.paper) else f"{text} ({row.paper:.1f})"
    return cells


@pytest.mark.parametrize("section", STORED)
def test_the_tables_of_the_page_are_those_of_the_run(section: str) -> None:
    shown = {where: text for where, text in printed(section).items() if re.search(r"\d", text)}
    assert shown == stored(section)


@pytest.mark.parametrize("page", sorted([*DOCS.rglob("*.md"), DOCS.parent / "README.md"]), ids=lambda path: path.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([\w./-]+)[)#]", page.read_text(encoding="utf-8"))
    missing = [each for each in targets if "://" not in each and not (page.parent / each).exists()]
    assert not missing
