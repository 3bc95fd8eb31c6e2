"""``kces report``: a page from files, built-in graphs and attacked graphs, and one line about it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from program import RunKces


def data_of(path: Path) -> dict:
    match = re.search(r'id="kces-data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(match[1])


def test_planted_edges_are_known_to_the_report(run_kces: RunKces, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = run_kces("report", "synthetic:n=300", "--inject", "0.25", "-o", page, "--quiet")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 1
    assert "wrote" in ran.out
    data = data_of(page)
    assert data["alphas"]["recall"][-1] == 1.0
    assert 0 < sum(data["edges"]["injected"]) < data["shown_edges"]
    assert set(data["accuracy"]) == {"clean", "attacked", "sanitized", "how"}


def test_a_table_of_edges_is_reported_with_its_names(run_kces: RunKces, tmp_path: Path) -> None:
    table = tmp_path / "links.csv"
    table.write_text("payer,payee,amount\nann,bob,1\nbob,cy,2\ncy,ann,3\ncy,<b>,4\n")
    ran = run_kces(
        "report", table, "--source", "payer", "--target", "payee", "--alpha", "0.5", "-o", tmp_path / "r.html"
    )
    assert ran.code == 0
    data = data_of(tmp_path / "r.html")
    assert sorted(data["nodes"]["name"]) == ["<b>", "ann", "bob", "cy"]
    assert data["about"]["reading"]
    assert data["accuracy"] is None
    assert data["alphas"]["precision"] is None


def test_the_record_of_an_attack_beside_a_file_is_used(run_kces: RunKces, tmp_path: Path) -> None:
    attacked = tmp_path / "attacked.csv"
    made = run_kces("attack", "synthetic:n=100", "--method", "random", "--budget", "0.2", "-o", attacked)
    assert made.code == 0, made.err
    assert run_kces("report", attacked, "-o", tmp_path / "r.html").code == 0
    assert data_of(tmp_path / "r.html")["alphas"]["recall"] is not None


def test_facts_for_machines(run_kces: RunKces, tmp_path: Path) -> None:
    ran = run_kces("report", "synthetic:n=80", "-o", tmp_path / "r.html", "--json", "--quiet")
    facts = json.loads(ran.out)
    assert facts["bytes"] == (tmp_path / "r.html").stat().st_size
    assert facts["preset"] == "robust"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--inject", "2"], "--inject must lie in [0, 1]"),
        (["--alpha", "7"], "alpha must lie in [0, 1]"),
        (["-o", "-"], "a report is a file"),
        (["-o", "nowhere/r.html"], "does not exist"),
    ],
)
def test_mistakes_are_one_line(run_kces: RunKces, tmp_path: Path, words: list[str], said: str) -> None:
    target = [] if "-o" in words else ["-o", tmp_path / "r.html"]
    ran = run_kces("report", "synthetic:n=60", *words, *target)
    assert ran.code == 2
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []
