"""Cells of ``kces evaluate`` and ``kces reproduce`` on the workers of a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kces.lab.evaluation import evaluate
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.runner import Settings, run_cells
from kces.lab.reproduce.store import Store
from kces.scale.dask_cluster import dask_executor
from program import RunKces

GRAPH = "synthetic:n=120,seed=0"


def test_evaluate_on_a_cluster_gives_the_rows_of_one_process(run_kces: RunKces) -> None:
    ran = run_kces("evaluate", GRAPH, "--defense", "mlp,gcn", "--seeds", 1, "--trials", 1, "--workers", 1, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)["runs"]
    alone = evaluate([GRAPH], ["mlp", "gcn"], seeds=1, trials=1)
    assert [row["defense"] for row in found] == alone["defense"].tolist()
    assert [row["accuracy"] for row in found] == pytest.approx(alone["accuracy"].tolist())


def test_cells_of_reproduce_run_beside_the_workers(tmp_path: Path) -> None:
    cell = Cell("accuracy", GRAPH, "mlp", options=(("trials", 1),))
    with (
        dask_executor(workers=1, memory=2**31) as executor,
        Store.open(tmp_path / "results.sqlite") as store,
    ):
        settings = Settings(client=executor.client, memory=2**31)
        report = run_cells([cell], store, settings)
        assert report.ran.get("ok", 0) >= 1, store.get([cell])
        assert run_cells([cell], store, settings).ran == {}
