"""``kces lab cost|strength|study`` from the outside."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from kces.cli import main

SMALL = "synthetic:n=60,seed=0"


def run(*words: str) -> int:
    try:
        main(["lab", *words])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_cost_prints_writes_and_says_what_did_not_run(tmp_path, capsys):
    out = tmp_path / "costs.csv"
    assert run("cost", SMALL, "--defense", "mlp,jaccard+oracle", "-o", str(out), "--quiet") == 0
    printed = capsys.readouterr().out
    assert "jaccard+oracle: oracle needs to know" in printed
    assert f"wrote {out}" in printed
    table = pd.read_csv(out)
    assert table["status"].tolist() == ["ok", "not applicable"]
    assert table["peak_mb"][0] > 10


def test_cost_as_json(capsys):
    assert run("cost", SMALL, "--defense", "mlp", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["defense"], row["status"]) == ("mlp", "ok")


def test_strength_prints_a_markdown_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("KCES_CACHE", str(tmp_path))
    words = ["--only", SMALL, "--methods", "random", "--budgets", "0.1", "--seeds", "1"]
    assert run("strength", *words, "-o", str(tmp_path / "rows.csv"), "--quiet") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| graph | source |")
    assert lines[1].count("---") == 8
    assert [line.split(" | ")[0] for line in lines[2:4]] == [f"| {SMALL}", f"| {SMALL}@random-0.1#0"]
    assert pd.read_csv(tmp_path / "rows.csv")["source"].tolist() == ["clean", "ours"]


def test_study_prints_one_line_per_variant(tmp_path, capsys):
    out = tmp_path / "study.csv"
    assert run("study", "tune", "--graph", SMALL, "--variant", "robust", "--references", "-o", str(out)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "graph,variant,adversarial,auc,precision,alpha,accuracy,informed alpha,informed accuracy"
    assert out.read_text().splitlines() == lines
    variants = pd.read_csv(out)["variant"].tolist()
    assert variants == ["robust", "robust at automatic α", "no defense", "oracle"]


def test_study_as_json(capsys):
    assert run("study", "look", "--graph", SMALL, "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["variant"], row["accuracy"]) == ("robust", None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cost", "no-such-graph", "--defense", "gcn"], "nothing could be measured on no-such-graph: unknown data set"),
        (["cost", SMALL, "--defense", ","], "--defense names nothing to measure"),
        (["cost", SMALL, "--defense", "gcn", "-o", "/no/such/folder/x.csv"], "output folder"),
        (["strength", "--only", "nowhere"], "unknown data set 'nowhere'"),
        (["strength", "--methods", "magic"], "unknown attack 'magic'"),
        (["strength", "--budgets", "much"], "--budgets takes numbers"),
        (["study", "stare"], "unknown table 'stare'"),
        (["study", "look", "--graph", "nowhere"], "unknown data set 'nowhere'"),
        (["study", "look", "--variant", "best"], "unknown variant 'best'"),
    ],
)
def test_mistakes_are_one_line_and_code_2(words, message, capsys):
    assert run(*words, "--quiet") == 2
    assert message in capsys.readouterr().err
