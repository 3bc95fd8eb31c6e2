"""``kces attack`` from the outside."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kces.cli import main
from kces.datasets import load
from kces.interop.graph_files import read_graph

GRAPH = "synthetic:n=80,seed=0"


def run(*words: str, command: str = "attack") -> int:
    try:
        main([command, *words])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_json_has_the_promised_keys_and_the_file_holds_the_graph(tmp_path, capsys):
    out = tmp_path / "attacked.npz"
    assert run(GRAPH, "--method", "dice", "--budget", "0.25", "-o", str(out), "--seed", "3", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"method", "budget", "added", "removed", "seconds", "seed", "output", "files"}
    assert (printed["method"], printed["budget"], printed["seed"]) == ("dice", 0.25, 3)
    assert printed["output"] == str(out)
    assert printed["files"] == [str(out)]
    from kces.datasets.builtin import load_builtin

    clean, attacked = load_builtin(GRAPH), read_graph(out).graph
    assert printed["added"] + printed["removed"] == int(0.25 * clean.n_edges)
    assert attacked.n_edges == clean.n_edges + printed["added"] - printed["removed"]
    assert np.array_equal(attacked.labels, clean.labels)


def test_a_line_for_people(tmp_path, capsys):
    out = tmp_path / "a.npz"
    assert run(GRAPH, "-m", "random", "-b", "0.1", "-o", str(out), "--quiet") == 0
    assert capsys.readouterr().out.startswith(f"{GRAPH}@random-0.1: added ")


@pytest.mark.parametrize("text", ["[3, 5]", "3\n5\n", "3,5"])
def test_targets_file(tmp_path, text, capsys):
    targets, out = tmp_path / "targets.txt", tmp_path / "a.npz"
    targets.write_text(text)
    options = ["--method", "nettack", "--budget", "1", "--targets", str(targets), "-o", str(out), "--json"]
    assert run(GRAPH, *options) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["added"] + printed["removed"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "spam", "--budget", "0.1"], "unknown attack 'spam'"),
        (["--method", "dice", "--budget", "7"], "budget must be a share"),
        (["--method", "nettack", "--budget", "1", "--targets", "nowhere.txt"], "cannot read targets from nowhere.txt"),
        (["--method", "dice", "--budget", "0.1", "--targets", "TARGETS"], "dice has no parameter targets"),
    ],
)
def test_mistakes_are_one_line_and_code_2(tmp_path, capsys, words, message):
    targets = tmp_path / "targets.txt"
    targets.write_text("1")
    words = [str(targets) if word == "TARGETS" else word for word in words]
    out = tmp_path / "a.npz"
    assert run(GRAPH, *words, "-o", str(out), "--quiet") == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_parameters_of_the_method(tmp_path, capsys):
    words = [GRAPH, "--method", "random", "--budget", "0.2", "-o", str(tmp_path / "a.npz"), "--json", "--force"]
    assert run(*words, "--attack-option", "add_share=1.0") == 0
    assert json.loads(capsys.readouterr().out)["removed"] == 0
    for wrong, message in (
        ("add_share=many", "random's add_share must be a number, got many"),
        ("speed=2", "attack random has no parameter speed"),
        ("add_share", "--attack-option takes NAME=VALUE"),
    ):
        assert run(*words, "--attack-option", wrong) == 2
        assert message in capsys.readouterr().err


def test_existing_output_is_refused_before_the_attack(tmp_path, capsys):
    out = tmp_path / "a.npz"
    out.write_text("precious")
    assert run(GRAPH, "--method", "metattack", "--budget", "0.5", "-o", str(out)) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text() == "precious"


@pytest.mark.parametrize("name", ["a.npz", "a.csv"])
def test_evaluate_judges_the_targets_and_the_oracle_knows_the_attack(tmp_path, capsys, monkeypatch, name):
    graph, out = "synthetic:n=120,signal=0.1,degree=8,homophily=0.7,seed=0", tmp_path / name
    monkeypatch.setenv("KCES_CACHE", str(tmp_path))
    assert run(graph, "-m", "nettack", "-b", "5", "-o", str(out), "--json") == 0
    beside = [] if name == "a.npz" else [f"{out}.attack.npz"]
    assert json.loads(capsys.readouterr().out)["files"] == [str(out), *beside]
    np.save(tmp_path / "features.npy", load(graph).features)
    features = ["--features", str(tmp_path / "features.npy")] if beside else []
    wanted = ["--defense", "gcn,oracle", "--seeds", "1", "--trials", "1", "--json"]
    runs = []
    for words in ([f"{graph}@nettack-5"], [str(out), *features]):
        assert run(*words, *wanted, command="evaluate") == 0
        runs.append([row["accuracy"] for row in json.loads(capsys.readouterr().out)["runs"]])
    assert runs[0] == runs[1]
    assert runs[0][0] < runs[0][1]
