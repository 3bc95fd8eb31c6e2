"""The benchmark measures what it says; its speeds are not tested, machines differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from kces.bench.compare import agreement, growth_exponent, top_overlap
from kces.bench.measurement import Job, _engine, _pose, _small_like
from kces.bench.runs import bench_engines, bench_exact, measure
from kces.datasets.builtin import synthetic
from kces.engines.regime import Regime
from kces.errors import KCESError
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
    assert {"solve the kernel", "far field", "local: score edges"} <= set(local["stages"])
    assert sum(local["stages"].values()) == pytest.approx(local["seconds"])


@pytest.mark.parametrize("nodes", [60, 5000])
def test_the_warm_up_takes_the_graphs_code(nodes: int) -> None:
    small = synthetic(n=nodes, degree=2, features=8, seed=0)
    sparse = replace(small, features=sp.csr_array(small.features))
    assert type(_small_like(sparse, "local").features) is type(sparse.features)
    assert Regime.of(_small_like(sparse, "local")).solver == Regime.of(sparse).solver
    assert _small_like(sparse, "exact").n_nodes == 40
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
