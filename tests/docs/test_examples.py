"""The examples run as they stand and show what they promise."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from docs.fences import ROOT

pytest.importorskip("torch_geometric")
pytest.importorskip("matplotlib")

EXAMPLES = ROOT / "examples"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs an example in a folder of its own and returns what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(name: str) -> str:
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_all_examples_are_here() -> None:
    tested = {"own_csv.py", "pyg_training.py", "compare_defenses.py", "reproduce_figure.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}]" in listed for name in tested)


def test_own_csv(run, tmp_path: Path) -> None:
    said = run("own_csv.py")
    assert "rows look like noise" in said
    clean = pd.read_csv(tmp_path / "clean.csv")
    assert list(clean.columns) == ["payer", "payee", "amount"]
    assert 1300 < len(clean) < 1495
    assert (tmp_path / "report.html").stat().st_size > 500_000


def test_pyg_training(run) -> None:
    accuracy = {line.split()[0]: float(line.split()[-1]) for line in run("pyg_training.py").splitlines()}
    assert list(accuracy) == ["clean", "noisy", "sanitized"]
    assert accuracy["sanitized"] > accuracy["noisy"]


def test_compare_defenses(run, tmp_path: Path) -> None:
    said = run("compare_defenses.py")
    rows = pd.read_csv(tmp_path / "comparison.csv")
    assert rows["defense"].nunique() == 4
    assert all(name in said for name in rows["defense"])


def test_reproduce_figure(run, tmp_path: Path) -> None:
    said = run("reproduce_figure.py")
    assert said.count("0.") >= 30
    assert (tmp_path / "mechanism.png").read_bytes().startswith(b"\x89PNG")
