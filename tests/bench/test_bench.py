"""The benchmark measures what it says; its speeds are not tested, machines differ."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces.bench.against import bench_against
from kces.bench.cases import open_graph
from kces.bench.ceilings import Ceilings
from kces.bench.compare import agreement, growth_exponent, top_overlap
from kces.bench.measurement import Job, _engine, _pose, _small_like
from kces.bench.runs import bench_engines, bench_exact, bench_growth, bench_robust, measure
from kces.bench.work_counts import engine_work, robust_work
from kces.datasets.builtin import synthetic
from kces.engines.exact import SINGLE_FROM
from kces.engines.regime import Regime
from kces.errors import InvalidParameterError, KCESError
from kces.progress import silent


def test_exact_against_algorithm_1() -> None:
    found = bench_exact("synthetic:n=60,seed=0", sample=4)
    assert found["sampled_edges"] == 4
    assert found["largest_difference"] < 1e-9
    assert found["speedup"] == pytest.approx(found["algorithm1_seconds_all_edges"] / found["exact_seconds"])


def test_engines_are_compared_with_exact() -> None:
    rows = bench_engines("synthetic:n=80,seed=0", contenders=(("local", {}),), with_gcn=False)
    assert [row["engine"] for row in rows] == ["exact", "local"]
    assert rows[1]["rho_signed"] > 0.9
    assert rows[1]["peak_mb"] > 10


def test_the_ratio_to_gcn_counts_the_labels_and_tells_the_engine_apart() -> None:
    local, gcn = bench_engines("synthetic:n=80,seed=0", contenders=(("local", {}),))[1:]
    assert local["engine_ratio_to_gcn"] == pytest.approx(local["seconds"] / gcn["seconds"])
    labels = local["label_seconds"] / gcn["seconds"]
    assert local["ratio_to_gcn"] == pytest.approx(local["engine_ratio_to_gcn"] + labels)


def test_the_stages_make_up_the_time() -> None:
    local = bench_engines("synthetic:n=80,seed=0", contenders=(("local", {}),), with_gcn=False)[1]
    assert {"solve the kernel", "far field", "score edges"} <= set(local["stages"])
    assert sum(local["stages"].values()) == pytest.approx(local["seconds"])


@pytest.mark.parametrize("nodes", [60, 5000])
def test_the_warm_up_takes_the_graphs_code(nodes: int) -> None:
    small = synthetic(n=nodes, degree=2, features=8, seed=0)
    sparse = replace(small, features=sp.csr_array(small.features))
    assert type(_small_like(sparse, "local").features) is type(sparse.features)
    assert Regime.of(_small_like(sparse, "local")).solver == Regime.of(sparse).solver
    assert _small_like(sparse, "exact").n_nodes == (SINGLE_FROM if sparse.n_nodes >= SINGLE_FROM else 40)
    assert np.isfinite(_engine(_pose(_small_like(sparse, "gradient")), Job("", "gradient"), None, silent)).all()


def test_a_failed_measurement_says_why() -> None:
    with pytest.raises(KCESError, match="benchmark of exact on nowhere failed"):
        measure(Job("nowhere", "exact"))


def test_agreement_of_opposite_rankings() -> None:
    scores = np.arange(1.0, 11.0)
    found = agreement(scores, -scores)
    assert found["rho_signed"] == -1.0
    assert found["rho_absolute"] == 1.0
    assert top_overlap(scores, scores[::-1], 0.5) == 0.0


def test_quadratic_growth_is_told() -> None:
    assert growth_exponent([1, 10, 100], [1.0, 100.0, 10_000.0]) == pytest.approx(2.0)


def test_shares_are_of_the_ceilings_of_the_run() -> None:
    ceilings = Ceilings(gemm32=4e9, gemm64=2e9, stream=1e9, sparse=5e8)
    (row,) = bench_robust(["synthetic:n=80,seed=0"], ceilings=ceilings)
    work = robust_work(open_graph("synthetic:n=80,seed=0"))
    assert row["arithmetic_share"] == pytest.approx(work.operations / row["seconds"] / 5e8)
    assert row["bytes_share"] == pytest.approx(work.moved / row["seconds"] / 1e9)
    assert row["cut_share"] == pytest.approx(row["cut_seconds"] / row["seconds"])
    local = bench_engines("synthetic:n=80,seed=0", contenders=(("local", {}),), with_gcn=False, ceilings=ceilings)[1]
    assert local["arithmetic_share"] > 0


@pytest.mark.parametrize("name", ["plain:edges=400", "hashed:edges=400", "synthetic:n=100,degree=8,features=64,seed=0"])
def test_twice_the_graph_is_twice_the_work(name: str) -> None:
    double = name.replace("400", "800").replace("n=100", "n=200")
    assert robust_work(open_graph(double)).operations > robust_work(open_graph(name)).operations


def test_the_dense_count_by_hand() -> None:
    graph = synthetic(n=100, degree=4, features=20, seed=0)
    entries, pairs = 2 * graph.n_edges + 100, graph.n_edges + 20_000
    assert robust_work(graph).operations == 2 * (20 + 16) * (2 * entries + 9 * (100 + pairs))


def test_exact_counts_its_rows() -> None:
    graph = synthetic(n=100, seed=0)
    work, regime = engine_work(graph, "exact"), Regime.of(graph)
    assert work is not None
    product = (4 * graph.n_edges + 3 * regime.triangles) * 100**2  # with a triangle: half of the multiplications
    assert work.operations == 2 * regime.exact_work - product > product


def test_cases_without_features_and_with_hashed_ones() -> None:
    assert not open_graph("plain:edges=400").has_features
    assert np.diff(open_graph("hashed:edges=400").features.indptr).max() <= 10
    with pytest.raises(InvalidParameterError, match="plain graphs are named plain:edges=E"):
        open_graph("plain:edges=few")


def test_growth_of_robust_tells_memory_per_edge() -> None:
    (row,) = bench_growth(("robust",), sizes=(400, 800))
    assert row["edges"] == pytest.approx([400, 800], rel=0.3)
    assert row["peak_bytes_per_edge"] == pytest.approx(row["peak_mb"][-1] * 2**20 / row["edges"][-1])


def test_a_version_against_itself() -> None:
    for name in ("plain:edges=80", "hashed:edges=80", "synthetic:n=60,seed=0"):
        (row,) = bench_against(sys.executable, [name], times=1)
        assert row["largest_difference"] == 0.0
        assert row["speedup"] == pytest.approx(row["other"]["seconds"] / row["own"]["seconds"])


def test_a_python_without_kces_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="name a Python that has kces"):
        bench_against(str(tmp_path / "python"), ["synthetic:n=60,seed=0"])
    with pytest.raises(KCESError, match="failed"):
        bench_against(sys.executable, ["synthetic:n=60,seed=0"], options={"preset": "none such"})
