"""What is offered by name is what the registries have, and one line and one file are enough to offer more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kces import offered
from kces.datasets import DATASETS
from kces.engines import ENGINES
from kces.interop.formats import FORMATS
from kces.offered import load_target

TOY_FORMAT = '''
"""Pairs of node numbers, joined by a dash."""

from pathlib import Path

from kces.graph import Graph
from kces.interop.formats.base import Format, Request


def read(request: Request):
    lines = request.read().decode().split()
    return Graph.from_edges([[int(end) for end in line.split("-")] for line in lines]), lines


def write_filtered(graph, payload, kept, path: Path) -> None:
    write_graph(graph.keep_edges(kept), path)


def write_graph(graph: Graph, path: Path) -> None:
    path.write_text("".join(f"{i}-{j}\\n" for i, j in graph.edges))


DASHES = Format("dashes", (".dash",), read, write_filtered, write_graph)
'''

TOY_ATTACK = '''
"""The first edges go."""

from kces.datasets.attacked import AttackedGraph
from kces.lab.attacks.flips import flips_allowed
from kces.progress import silent


def behead(graph, budget, seed=0, *, progress=silent):
    return AttackedGraph(graph.with_edges(graph.edges[flips_allowed(budget, graph) :]), graph)
'''

ADDED = """
import sys
from kces import offered
offered.FORMATS["dashes"] = "toy_format:DASHES"
offered.ATTACKS["behead"] = offered.OfferedAttack("toy_attack:behead", offered.SHARE_OF_EDGES, "structure")
from kces.cli import main
main(sys.argv[1:])
"""


@pytest.fixture
def run_with_toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """``kces`` as it is after the two files and the two lines were added."""
    (tmp_path / "toy_format.py").write_text(TOY_FORMAT)
    (tmp_path / "toy_attack.py").write_text(TOY_ATTACK)
    (tmp_path / "line.dash").write_text("".join(f"{i}-{i + 1}\n" for i in range(10)))
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", ADDED, *words], capture_output=True, text=True)

    return run


@pytest.mark.parametrize("table", [offered.SCORERS, offered.ENGINES, offered.FORMATS])
def test_every_line_leads_somewhere(table: dict[str, str]) -> None:
    assert [load_target(target).name for target in table.values()] == list(table)


def test_registries_are_made_of_the_tables() -> None:
    assert list(ENGINES) == list(offered.ENGINES)
    assert list(FORMATS) == list(offered.FORMATS)
    assert [name for name in DATASETS if DATASETS.is_own(name)] == list(offered.DATASETS)


def test_the_laboratory_is_made_of_the_tables() -> None:
    pytest.importorskip("torch")
    from kces.lab.attacks import ATTACKS
    from kces.lab.defenses import MODELS, PURIFIERS

    assert [name for name in ATTACKS if ATTACKS.is_own(name)] == list(offered.ATTACKS)
    assert [name for name in MODELS if MODELS.is_own(name)] == list(offered.MODELS)
    assert [name for name in PURIFIERS if PURIFIERS.is_own(name)] == list(offered.PURIFIERS)


def test_a_new_format_is_read_written_named_in_errors_and_completed(run_with_toys, monkeypatch) -> None:
    done = run_with_toys("sanitize", "line.dash", "-o", "clean.dash", "--alpha", "0.3", "--json")
    removed = json.loads(done.stdout)["removed"]
    assert removed > 0, done.stderr
    assert Path("clean.dash").read_text().count("-") == 10 - removed
    assert "dashes" in run_with_toys("sanitize", "line.dash", "-o", "x.csv", "--format", "none").stderr
    assert ".dash" in run_with_toys("sanitize", "line.dash", "-o", "x.unknown").stderr
    monkeypatch.setenv("_KCES_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "kces sanitize --format da")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert run_with_toys().stdout.split() == ["dashes"]


def test_a_new_attack_runs_by_name_and_is_named_in_errors_and_completed(run_with_toys, monkeypatch) -> None:
    pytest.importorskip("torch")
    done = run_with_toys("attack", "line.dash", "-m", "behead", "-b", "0.2", "-o", "attacked.dash")
    assert done.returncode == 0, done.stderr
    assert Path("attacked.dash").read_text().count("-") == 8
    assert "behead" in run_with_toys("attack", "line.dash", "-m", "none", "-b", "0.2", "-o", "x.dash").stderr
    monkeypatch.setenv("_KCES_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "kces attack --method be")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert run_with_toys().stdout.split() == ["behead"]
