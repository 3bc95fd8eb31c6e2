"""Finished cells as text: they come back whole, old ones are not used, and nothing finished is run again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kces.errors import UnreadableFileError
from kces.lab.reproduce import Cell, Outcome, Settings, Store, run_cells
from kces.lab.reproduce.kept_cells import read_cells, write_cells

GCN = Cell.of("accuracy", "cora@dice-0.25#0", "gcn", 1, trials=10, training="deeprobust")
KCES = Cell.of("accuracy", "cora@metattack-0.25", "kces", trials=10)
FAILED = Cell.of("accuracy", "polblogs", "jaccard", trials=10)
FINISHED = {
    GCN: Outcome("ok", {"accuracy": 76.25}, "", 1.5, "python 3"),
    KCES: Outcome("ok", {"accuracy": 77.0}, "", 2.5, "python 3"),
    FAILED: Outcome("not applicable", {}, "Jaccard needs features – none here", 0.5, "python 3"),
}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    with Store.open(tmp_path / "full.sqlite") as full, Store.open(tmp_path / "empty.sqlite") as empty:
        for cell, outcome in FINISHED.items():
            full.put(cell, outcome)
        yield full, empty


def test_cells_come_back_as_they_were(stores: tuple[Store, Store], tmp_path: Path) -> None:
    full, empty = stores
    files = write_cells(tmp_path / "cells", FINISHED, full)
    assert [file.name for file in files] == ["cora.jsonl", "polblogs.jsonl"]
    assert read_cells(tmp_path / "cells", empty) == 3
    assert empty.get(FINISHED) == FINISHED
    assert read_cells(tmp_path / "cells", empty) == 0


def test_a_second_run_adds_to_the_files_and_keeps_their_order(stores: tuple[Store, Store], tmp_path: Path) -> None:
    full, _ = stores
    write_cells(tmp_path, [KCES], full)
    (both,) = write_cells(tmp_path, [GCN], full)
    graphs = [json.loads(line)["cell"][1] for line in both.read_text().splitlines()]
    assert graphs == ["cora@dice-0.25#0", "cora@metattack-0.25"]


def test_cells_of_an_older_protocol_are_not_used(stores: tuple[Store, Store], tmp_path: Path) -> None:
    full, empty = stores
    (file,) = write_cells(tmp_path, [KCES], full)
    file.write_text(file.read_text().replace(f'"version": "{KCES.version}"', '"version": "0.0"'))
    assert read_cells(tmp_path, empty) == 0


def test_arrays_of_scores_and_attacked_graphs_stay_on_the_machine(stores: tuple[Store, Store], tmp_path: Path) -> None:
    full, _ = stores
    scores = Cell.of("score", "cora", "kces")
    full.put(scores, Outcome("ok", {"scores": "AAAA"}))
    assert write_cells(tmp_path, [scores], full) == []


def test_a_line_that_is_no_cell_is_named(stores: tuple[Store, Store], tmp_path: Path) -> None:
    (tmp_path / "cora.jsonl").write_text('{"cell": 3}\n')
    with pytest.raises(UnreadableFileError, match="line 1 is no finished cell"):
        read_cells(tmp_path, stores[1])


def test_what_only_finished_cells_need_is_not_made_again(stores: tuple[Store, Store], tmp_path: Path) -> None:
    """The scores behind a finished accuracy are not in the store, and nobody waits for them."""
    full, _ = stores
    settings = Settings(command=(sys.executable, "-c", "raise SystemExit(1)"), template=None)
    report = run_cells([KCES], full, settings)
    assert (report.reused, report.ran) == (1, {})
