"""``kces evaluate`` from the outside, on small graphs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from kces.lab.defenses.gcn import GCN
from program import RunKces

SMALL = "synthetic:n=120,classes=3,homophily=0.9,seed=0"
COLUMNS = ["graph", "defense", "seed", "accuracy", "seconds", "peak_mb"]


def test_prints_a_table_and_writes_the_rows(run_kces: RunKces, tmp_path: Path) -> None:
    out = tmp_path / "results.csv"
    words = [SMALL, "--defense", "mlp, gcn", "--seeds", "2", "--trials", "1", "-o", out, "--quiet"]
    ran = run_kces("evaluate", *words)
    assert ran.code == 0, ran.err
    assert "mlp" in ran.out
    assert "±" in ran.out
    written = pd.read_csv(out)
    assert written.columns[:6].tolist() == COLUMNS
    assert written["defense"].tolist() == ["mlp", "mlp", "gcn", "gcn"]
    assert written["accuracy"].between(0, 100).all()


def test_json_has_null_for_what_did_not_run(run_kces: RunKces) -> None:
    words = ["synthetic:n=60,seed=0", "--defense", "mlp", "--seeds", "1", "--trials", "1", "--json"]
    ran = run_kces("evaluate", *words)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["summary"][0]["std"] is None
    assert answer["runs"][0]["parameters"] == {}


@pytest.mark.parametrize(
    "words",
    [
        [SMALL, "--defense", "nothing"],
        [SMALL, "--defense", ","],
        [SMALL, "--preset-training", "nothing"],
        ["no-such-graph"],
        [SMALL, "-o", "/no/such/folder/out.csv"],
    ],
)
def test_mistakes_are_one_line_and_code_2(run_kces: RunKces, words: list[str]) -> None:
    ran = run_kces("evaluate", *words, "--quiet")
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_keeps_finished_runs_when_interrupted(
    run_kces: RunKces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(GCN, "fit", interrupted)
    out = tmp_path / "results.csv"
    words = [SMALL, "--defense", "mlp,gcn", "--seeds", "2", "--trials", "1", "-o", out, "--quiet"]
    ran = run_kces("evaluate", *words)
    assert ran.code == 130
    assert ran.err.startswith("stopped; 2 finished runs")
    assert pd.read_csv(out)["defense"].tolist() == ["mlp", "mlp"]


def test_a_note_with_brackets_is_printed_as_it_is(run_kces: RunKces, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cannot read [/data/x.npz] at [index 3]")

    monkeypatch.setattr(GCN, "fit", broken)
    ran = run_kces("evaluate", SMALL, "--defense", "gcn", "--seeds", "1", "--trials", "1", "--quiet")
    assert ran.code == 0, ran.err
    assert "gcn: cannot read [/data/x.npz] at [index 3]" in ran.out
