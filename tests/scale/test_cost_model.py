"""The model behind ``kces lab plan``: within a quarter of every measured point, and plain about what breaks first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kces.errors import MemoryLimitError
from kces.scale.cost_model import Machine, Workload, make_plan
from program import RunKces

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def measured() -> list[tuple[int, int, int, float, float]]:
    """Nodes, edges, workers, GiB and seconds of each row of the page's table of runs on disk."""
    rows = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        if len(cells) == 9 and cells[0].isdigit() and cells[2].isdigit():
            rows.append((int(cells[0]), int(cells[1]), int(cells[2]), float(cells[3]), float(cells[4])))
    return rows


def test_the_page_has_points() -> None:
    assert len(measured()) >= 2
    assert max(edges for _, edges, *_ in measured()) > 30_000_000


@pytest.mark.parametrize("point", measured(), ids=str)
def test_the_model_is_within_a_quarter_of_what_was_measured(point: tuple[int, int, int, float, float]) -> None:
    nodes, edges, workers, gibibytes, seconds = point
    found = make_plan(Workload(nodes, edges, 64), workers=workers, memory=int(gibibytes * 2**30))
    assert found.total_seconds == pytest.approx(seconds, rel=0.25)


def test_memory_knows_the_nodes_and_not_the_edges() -> None:
    few, many = (make_plan(Workload(10**7, edges), memory=2**33) for edges in (10**8, 10**10))
    assert few.memory == many.memory <= 1.01 * 2**33
    with pytest.raises(MemoryLimitError):
        make_plan(Workload(10**9, 10**10), memory=2**33)


def test_machines_share_the_work_but_not_the_order() -> None:
    machine = Machine(threads=32, memory=2**38)
    one, eight = (make_plan(Workload(10**8, 10**9), machine, workers=1, machines=count) for count in (1, 8))
    assert eight.seconds["hops"] < one.seconds["hops"] / 4
    assert eight.seconds["order"] == one.seconds["order"]


def test_the_command_prints_amounts(run_kces: RunKces) -> None:
    words = ("lab", "plan", "--nodes", 10**6, "--edges", 10**7, "--workers", 2, "--price", 2)
    ran = run_kces(*words)
    assert ran.code == 0, ran.err
    assert "what breaks first" in ran.out
    said = json.loads(run_kces(*words, "--json").out)
    assert said["workers"] == 2
    assert said["total_seconds"] == pytest.approx(sum(said["seconds"].values()))
