"""Unit costs from measured stages: known ones are found again, and the model has those of the stored points."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from kces.bench.fit_scale import fit_units
from kces.processes.answers import JsonObject
from kces.scale.cost_model import UnitCosts, Workload, make_plan

POINTS = Path(__file__).parents[2] / "docs" / "results" / "scale"
NAMES = {"rows": "presence", "hops": "features-hops", "nodes": "features-nodes", "order": "random"}
"""Of the stages that a run calls otherwise than the model."""


def point(nodes: int, edges: int, features: int, workers: int, units: UnitCosts) -> JsonObject:
    """What ``kces bench scale`` would print on a machine of these unit costs."""
    plan = make_plan(Workload(nodes, edges, features), workers=workers, memory=2**32, units=units)
    stages = {NAMES.get(stage, stage.replace("patterns", "patterns-hops")): s for stage, s in plan.seconds.items()}
    run = {"workers": workers, "edges": edges, "seconds": plan.total_seconds, "stages": stages}
    return {"nodes": nodes, "features": features, "disk": [run | {"layout": plan.layout.to_json()}]}


def test_known_unit_costs_are_found_again() -> None:
    units = UnitCosts(hop_miss=7.0, pair_entry=1.25, cut_edge=321.0)
    sizes = ((10**5, 10**6, 64), (10**6, 10**7, 20), (4 * 10**6, 3 * 10**7, 64), (2 * 10**6, 10**6, 200))
    points = [point(*size, workers, units) for size in sizes for workers in (0, 1, 2)]
    for found, expected in zip(asdict(fit_units(points)).values(), asdict(units).values(), strict=True):
        assert found == pytest.approx(expected, rel=0.02)


def test_the_unit_costs_of_the_model_are_fitted_to_the_stored_points() -> None:
    points = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(POINTS.glob("*.json"))]
    assert fit_units(points) == UnitCosts()
