"""The model behind ``kces lab plan``: within a quarter of every measured point, and plain about what breaks first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kces.errors import MemoryLimitError
from kces.processes.answers import JsonObject
from kces.scale.cost_model import Machine, Workload, make_plan
from program import RunKces

DOCS = Path(__file__).parents[2] / "docs"
PAGE, POINTS = DOCS / "scaling.md", DOCS / "results" / "scale"


def measured() -> list[tuple[JsonObject, JsonObject]]:
    """Every stored point of ``kces bench scale --json`` with each of its runs on disk."""
    points = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(POINTS.glob("*.json"))]
    return [(point, run) for point in points for run in point["disk"]]


def named(value: JsonObject) -> str:
    return f"{value['seconds']:.0f}s" if "seconds" in value else f"{value['nodes']} nodes"


def test_there_are_points_of_all_sizes() -> None:
    assert len(measured()) >= 4
    assert max(run["edges"] for _, run in measured()) > 30_000_000


@pytest.mark.parametrize(("point", "run"), measured(), ids=named)
def test_the_model_is_within_a_quarter_of_what_was_measured(point: JsonObject, run: JsonObject) -> None:
    memory = None if run["allowed"] is None else int(run["allowed"] * 2**30)
    work = Workload(point["nodes"], run["edges"], point["features"])
    found = make_plan(work, workers=run["workers"], memory=memory)
    assert found.total_seconds == pytest.approx(run["seconds"], rel=0.25)


@pytest.mark.parametrize(("point", "run"), measured(), ids=named)
def test_the_page_quotes_the_points(point: JsonObject, run: JsonObject) -> None:
    per_edge = [f"{run[name] / run['edges']:.0f}" for name in ("bytes_read", "bytes_written")]
    cells = [f"{point['nodes']:,}", f"{run['edges']:,}", f"{point['features']}", f"{run['workers']}"]
    cells += [
        "default" if run["allowed"] is None else f"{run['allowed']:g}",
        f"{run['seconds']:.1f}",
        f"{run['edges'] / run['seconds']:,.0f}",
    ]
    cells += [f"{run['peak_mb']:,.0f}", *per_edge]
    assert f"| {' | '.join(cells)} |" in PAGE.read_text(encoding="utf-8")


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
