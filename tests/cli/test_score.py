"""``kces score``: the ranked list of edges."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from program import RunKces


def test_score_json(run_kces: RunKces) -> None:
    code, out, _ = run_kces("score", "synthetic:n=60,seed=1", "--engine", "exact", "--preset", "paper", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["engine"] == "exact"
    assert len(found["scores"]) == found["edges"] > 100
    assert sum(row["suspicious"] for row in found["scores"]) == math.ceil(0.3 * found["edges"])


def test_engine_options_reach_the_engine(run_kces: RunKces, tmp_path: Path) -> None:
    words = ["score", "synthetic:n=80,seed=1", "--preset", "paper", "--engine", "local", "--json", "--quiet"]
    plain, small = (
        json.loads(run_kces(*words, *more)[1])["scores"]
        for more in ([], ["--engine-option", "cap=1", "--engine-option", "fill=2"])
    )
    assert plain != small
    code, out, _ = run_kces(
        "sanitize", "synthetic:n=80,seed=1", "-o", str(tmp_path / "out.npz"), "--preset", "paper",
        "--engine", "local", "--engine-option", "hops=2", "--json", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["preset"] == "paper"


def test_labels_from_a_file(tmp_path: Path, run_kces: RunKces) -> None:
    np.save(tmp_path / "labels.npy", np.arange(60) % 3)
    code, out, _ = run_kces(
        "score",
        "synthetic:n=60,seed=1",
        "--labels",
        str(tmp_path / "labels.npy"),
        "--preset",
        "paper",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["clusters"] == 3


def test_memory_is_named_and_another_engine_offered(monkeypatch: pytest.MonkeyPatch, run_kces: RunKces) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000000")
    code, _, err = run_kces("score", "synthetic:n=300,seed=1", "--engine", "exact", "--preset", "paper", "--quiet")
    assert code == 2
    assert "the exact engine needs" in err
    assert "use engine local" in err
