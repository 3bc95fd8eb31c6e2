"""``kces bench``: its rows and its stages."""

from __future__ import annotations

import json

from program import RunKces


def test_bench_takes_engine_options(run_kces: RunKces) -> None:
    words = ["bench", "engines", "synthetic:n=60,seed=1", "--only", "local", "--engine-option", "cap=4"]
    code, out, _ = run_kces(*words, "--json", "--quiet")
    assert code == 0
    assert [row["engine"] for row in json.loads(out)] == ["exact", "local cap=4", "gcn, 200 epochs"]


def test_bench_shows_where_the_time_goes(run_kces: RunKces) -> None:
    code, out, _ = run_kces("bench", "engines", "synthetic:n=60,seed=1", "--only", "gradient", "--stages", "--quiet")
    assert code == 0
    assert "where the time goes" in out
    assert "solve the kernel" in out
