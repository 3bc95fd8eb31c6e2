"""``kces reproduce`` from the outside, without running an experiment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kces.lab.reproduce import EXPERIMENTS
from program import RunKces


def test_lists_what_there_is(run_kces: RunKces) -> None:
    assert [each["name"] for each in json.loads(run_kces("reproduce", "list", "--json").out)] == list(EXPERIMENTS)
    assert "figure-mechanism" in run_kces("reproduce").out


def test_writes_tables_of_what_is_finished(run_kces: RunKces, tmp_path: Path) -> None:
    words = ["table-k", "--quick", "--no-run", "--store", tmp_path / "s.sqlite", "-o", tmp_path / "out"]
    printed = json.loads(run_kces("reproduce", *words, "--json").out)
    assert (printed["quick"], printed["seeds"], printed["run"]) == (True, 1, None)
    assert {row["problem"] for row in printed["table"]} == {"not run"}
    assert (tmp_path / "out" / "table-k.md").exists()


def test_refuses_numbers_beside_quick(run_kces: RunKces, tmp_path: Path) -> None:
    ran = run_kces("reproduce", "table-k", "--quick", "--slow-seeds", "2", "--no-run", "-o", tmp_path / "out")
    assert ran.code == 2
    assert "leave out --slow-seeds" in ran.err


@pytest.mark.parametrize("words", [["table-nine"], ["table-k", "--training", "best"], ["table-k", "--only", "texas"]])
def test_refuses_bad_names(run_kces: RunKces, words: list[str], tmp_path: Path) -> None:
    ran = run_kces("reproduce", *words, "--no-run", "--store", tmp_path / "s.sqlite", "-o", tmp_path)
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
