"""``kces attack`` from the outside."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kces.datasets import load
from kces.interop.graph_files import read_graph

GRAPH = "synthetic:n=80,seed=0"


@pytest.fixture
def run(run_kces):
    return lambda *words: run_kces("attack", *words)


def test_json_has_the_promised_keys_and_the_file_holds_the_graph(tmp_path, run):
    out = tmp_path / "attacked.npz"
    ran = run(GRAPH, "--method", "dice", "--budget", "0.25", "-o", str(out), "--seed", "3", "--json")
    assert ran.code == 0, ran.err
    printed = json.loads(ran.out)
    assert set(printed) == {"method", "budget", "added", "removed", "seconds", "seed", "output", "files"}
    assert (printed["method"], printed["budget"], printed["seed"]) == ("dice", 0.25, 3)
    assert printed["output"] == str(out)
    assert printed["files"] == [str(out)]
    from kces.datasets.builtin import load_builtin

    clean, attacked = load_builtin(GRAPH), read_graph(out).graph
    assert printed["added"] + printed["removed"] == int(0.25 * clean.n_edges)
    assert attacked.n_edges == clean.n_edges + printed["added"] - printed["removed"]
    assert np.array_equal(attacked.labels, clean.labels)


def test_a_line_for_people(tmp_path, run):
    out = tmp_path / "a.npz"
    ran = run(GRAPH, "-m", "random", "-b", "0.1", "-o", str(out), "--quiet")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{GRAPH}@random-0.1: added ")


@pytest.mark.parametrize("text", ["[3, 5]", "3\n5\n", "3,5"])
def test_targets_file(tmp_path, text, run):
    targets, out = tmp_path / "targets.txt", tmp_path / "a.npz"
    targets.write_text(text)
    options = ["--method", "nettack", "--budget", "1", "--targets", str(targets), "-o", str(out), "--json"]
    ran = run(GRAPH, *options)
    assert ran.code == 0, ran.err
    printed = json.loads(ran.out)
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
def test_mistakes_are_one_line_and_code_2(tmp_path, run, words, message):
    targets = tmp_path / "targets.txt"
    targets.write_text("1")
    words = [str(targets) if word == "TARGETS" else word for word in words]
    out = tmp_path / "a.npz"
    ran = run(GRAPH, *words, "-o", str(out), "--quiet")
    assert ran.code == 2, ran.err
    assert message in ran.err
    assert not out.exists()


def test_parameters_of_the_method(tmp_path, run):
    words = [GRAPH, "--method", "random", "--budget", "0.2", "-o", str(tmp_path / "a.npz"), "--json", "--force"]
    ran = run(*words, "--attack-option", "add_share=1.0")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["removed"] == 0
    for wrong, message in (
        ("add_share=many", "random's add_share must be a number, got many"),
        ("speed=2", "attack random has no parameter speed"),
        ("add_share", "--attack-option takes NAME=VALUE"),
    ):
        ran = run(*words, "--attack-option", wrong)
        assert ran.code == 2, ran.err
        assert message in ran.err


def test_existing_output_is_refused_before_the_attack(tmp_path, run):
    out = tmp_path / "a.npz"
    out.write_text("precious")
    ran = run(GRAPH, "--method", "metattack", "--budget", "0.5", "-o", str(out))
    assert ran.code == 2, ran.err
    assert "use force to replace it" in ran.err
    assert out.read_text() == "precious"


@pytest.mark.parametrize("name", ["a.npz", "a.csv"])
def test_evaluate_judges_the_targets_and_the_oracle_knows_the_attack(tmp_path, run_kces, monkeypatch, name):
    graph, out = "synthetic:n=120,signal=0.1,degree=8,homophily=0.7,seed=0", tmp_path / name
    monkeypatch.setenv("KCES_CACHE", str(tmp_path))
    ran = run_kces("attack", graph, "-m", "nettack", "-b", "5", "-o", out, "--json")
    beside = [] if name == "a.npz" else [f"{out}.attack.npz"]
    assert json.loads(ran.out)["files"] == [str(out), *beside]
    np.save(tmp_path / "features.npy", load(graph).features)
    features = ["--features", tmp_path / "features.npy"] if beside else []
    wanted = ["--defense", "gcn,oracle", "--seeds", "1", "--trials", "1", "--json"]
    runs = []
    for words in ([f"{graph}@nettack-5"], [out, *features]):
        ran = run_kces("evaluate", *words, *wanted)
        assert ran.code == 0, ran.err
        runs.append([row["accuracy"] for row in json.loads(ran.out)["runs"]])
    assert runs[0] == runs[1]
    assert runs[0][0] < runs[0][1]
