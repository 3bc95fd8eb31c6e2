"""Tuning, evaluating and measuring, on small graphs."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from kces import load_builtin
from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidGraphError, InvalidParameterError, MemoryLimitError
from kces.graph import Graph
from kces.lab import evaluation, measure
from kces.lab.defenses import Defense, Purifier, make_defense
from kces.lab.defenses.defense import Grid, Model
from kces.lab.defenses.gcn import GCN
from kces.lab.defenses.tuning import Trial, _undefended, accuracy, candidates, tuned
from kces.lab.measure import measure_fresh, watch
from kces.lab.training import PAPER
from kces.processes import Answer

SMALL = "synthetic:n=120,classes=3,homophily=0.9,seed=0"
ISSUE_COLUMNS = ["graph", "defense", "seed", "accuracy", "seconds", "peak_mb"]


@dataclass
class Fixed(Model):
    """Predicts the true class of a share of the nodes; stands for any model in tests of the harness."""

    right: float = 0.25

    grid: ClassVar[Grid] = {"right": (0.0, 1.0, 0.5)}
    fits: ClassVar[list[float]] = []

    def fit(self, graph: Graph, seed: int = 0, *, adjacency=None):
        self.fits.append(self.right)
        self._classes = np.where(np.arange(graph.n_nodes) < self.right * graph.n_nodes, graph.labels, -1)
        return self

    def _network(self, task):
        raise NotImplementedError


def split_graph(**changes) -> Graph:
    nodes = np.arange(20)
    parts = {"train": nodes[:4], "val": nodes[::2], "test": nodes[1::2]} | changes
    edges = np.stack([nodes[:-1], nodes[1:]], axis=1)
    return Graph.from_edges(edges, np.eye(20)[:, :7], labels=nodes % 2, name="small", **parts)


# -- tuning ----------------------------------------------------------------------------------------


def test_tuning_takes_the_best_on_validation_and_keeps_a_record() -> None:
    seen: list[Trial] = []
    result = tuned(Fixed(), split_graph(), trials=10, on_trial=seen.append)
    assert result.parameters == {"right": 1.0}
    assert result.defense.right == 1.0
    assert [trial.accuracy for trial in result.trials] == [30.0, 0.0, 100.0, 50.0]
    assert seen == result.trials[1:]  # the first are the published settings, which are no candidate


def guesses(*shares: float) -> Model:
    class Guess(Fixed):
        grid: ClassVar[Grid] = {"right": shares[1:]}

    return Guess(right=shares[0])


@pytest.mark.parametrize(
    ("shares", "undefended", "expected"),
    [
        ((0.70, 0.70, 0.75), 0.70, {}),  # one validation node of twenty more is chance: the published setting stays
        ((0.70, 0.50, 0.95), 0.95, {"right": 0.95}),  # surely better than what was published
        ((0.90, 0.50, 0.95), 0.50, {"right": 0.95}),  # surely better than no defense, so validation can tell: the best
        ((0.90, 0.50, 0.90), 0.20, {}),  # among equals too
        ((0.90, 0.50, 0.60), 0.20, {}),  # a grid worse than the published setting is not chosen from
    ],
)
def test_a_lead_on_validation_counts_only_where_it_is_sure(
    shares: tuple[float, ...], undefended: float, expected: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kces.lab.defenses.tuning.GCN", lambda *preset: Fixed(right=undefended))
    nodes = np.arange(100)
    chain = np.stack([nodes[:-1], nodes[1:]], axis=1)
    graph = Graph.from_edges(
        chain, np.eye(100)[:, :7], labels=nodes % 2, train=nodes[:4], val=nodes[::5], test=nodes[1::2], name="chain"
    )
    assert tuned(guesses(*shares), graph, trials=5).parameters == expected


def test_published_settings_among_the_candidates_are_not_trained_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fixed, "fits", [])
    monkeypatch.setattr("kces.lab.defenses.tuning.GCN", lambda *preset: Fixed(right=0.1))
    result = tuned(guesses(0.5, 0.0, 0.5, 1.0), split_graph(), trials=5)
    assert Fixed.fits == [0.0, 0.5, 1.0, 0.1]  # the candidates, and the undefended model
    assert [trial.parameters for trial in result.trials] == [{}, {"right": 0.0}, {"right": 0.5}, {"right": 1.0}]
    assert result.trials[0].accuracy == result.trials[2].accuracy


def test_the_undefended_model_of_a_purifier_is_the_model_behind_it() -> None:
    defense = make_defense("jaccard+gat", preset=PAPER)
    assert type(_undefended(defense)).__name__ == "GAT"
    assert _undefended(make_defense("gnnguard", preset=PAPER)) == GCN(PAPER)


def test_tuning_with_one_trial_takes_the_defaults() -> None:
    result = tuned(Fixed(), split_graph(), trials=1)
    assert result.parameters == {}
    assert result.defense.right == 0.25
    assert result.trials == []


def test_tuning_logs_its_choice(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="kces.lab.defenses.tuning"):
        tuned(Fixed(), split_graph())
    assert "chose {'right': 1.0}" in caplog.text


def test_candidates_cover_a_long_grid_evenly() -> None:
    chosen = candidates({"alpha": tuple(range(10)), "beta": ("a", "b")}, 10)
    assert [setting["alpha"] for setting in chosen] == list(range(10))
    assert sorted(setting["beta"] for setting in chosen) == ["a"] * 5 + ["b"] * 5
    assert chosen == candidates({"alpha": tuple(range(10)), "beta": ("a", "b")}, 10)


def test_candidates_never_exceed_the_budget_nor_repeat() -> None:
    grid = {"first": (1, 2, 3), "second": (1, 2, 3), "third": (1, 2, 3)}
    chosen = candidates(grid, 8)
    assert 3 <= len(chosen) <= 8
    assert len({tuple(setting.values()) for setting in chosen}) == len(chosen)


def test_candidates_need_a_trial() -> None:
    with pytest.raises(InvalidParameterError, match="at least one trial"):
        candidates({}, 0)


def test_accuracy_is_percent_of_the_judged_nodes() -> None:
    graph = split_graph()
    assert accuracy(graph, np.zeros(20, dtype=np.int64), np.array([0, 2, 1, 4])) == 75.0


# -- evaluation ------------------------------------------------------------------------------------


@pytest.fixture
def with_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "make_defense", lambda name, preset: Fixed())


@pytest.mark.usefixtures("with_fixed")
def test_one_row_per_run_judged_on_the_test_nodes() -> None:
    graph = split_graph()
    rows = evaluation.evaluate([AttackedGraph(graph, graph)], ["fixed"], seeds=[4, 5], trials=1)
    assert rows.columns[:6].tolist() == ISSUE_COLUMNS
    assert rows["seed"].tolist() == [4, 5]
    assert rows["accuracy"].tolist() == [20.0, 20.0]  # nodes 1 and 3 of ten test nodes lie in the first quarter
    assert (rows["seconds"] >= 0).all()
    assert (rows["peak_mb"] > 1).all()


@pytest.mark.usefixtures("with_fixed")
def test_targets_of_an_attack_are_judged_instead() -> None:
    graph = split_graph()
    rows = evaluation.evaluate(
        [AttackedGraph(graph, graph, targets=np.array([0, 1, 19]))], ["fixed"], seeds=1, trials=1
    )
    assert rows["accuracy"].tolist() == [pytest.approx(200 / 3)]


@pytest.mark.usefixtures("with_fixed")
def test_tuned_parameters_are_kept_for_all_seeds() -> None:
    graph = split_graph()
    rows = evaluation.evaluate([AttackedGraph(graph, graph)], ["fixed"], seeds=2, trials=5)
    assert rows["parameters"].map(json.loads).tolist() == [{"right": 1.0}] * 2
    assert rows["accuracy"].tolist() == [100.0, 100.0]
    assert rows["validation"].tolist() == [100.0, 100.0]
    assert rows["trials"].tolist() == [4, 4]


def test_saved_seconds_of_a_cache_are_added_back(monkeypatch: pytest.MonkeyPatch) -> None:
    defense = Fixed()
    defense.with_parameters = lambda parameters: defense  # type: ignore[method-assign]
    defense.reused_seconds = 1000.0
    monkeypatch.setattr(evaluation, "make_defense", lambda name, preset: defense)
    graph = split_graph()
    rows = evaluation.evaluate([AttackedGraph(graph, graph)], ["fixed"], seeds=1, trials=1)
    assert rows["seconds"].item() > 1000


def test_what_cannot_run_gives_a_row_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object, **__: object) -> None:
        raise MemoryLimitError("needs 9 TiB")

    monkeypatch.setattr(GCN, "fit", too_large)
    graph = load_builtin(SMALL)
    rows = evaluation.evaluate([AttackedGraph(graph, graph)], ["gcn", "mlp"], seeds=2, trials=1)
    refused = rows[rows["defense"] == "gcn"]
    assert len(refused) == 1
    assert refused["accuracy"].isna().all()
    assert refused["note"].item() == "needs 9 TiB"
    assert rows[rows["defense"] == "mlp"]["accuracy"].notna().all()


def test_a_breakdown_keeps_the_runs_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = GCN.fit

    def breaks_at_the_third(self: GCN, graph: Graph, seed: int = 0, **options: object) -> GCN:
        if seed == 2:
            raise RuntimeError("no\nconvergence")
        return fit(self, graph, seed, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(GCN, "fit", breaks_at_the_third)
    heard: list[dict] = []
    rows = evaluation.evaluate([SMALL], ["gcn"], seeds=4, trials=1, on_run=heard.append)
    assert rows["accuracy"].notna().tolist() == [True, True, False]
    assert rows["note"].tolist() == ["", "", "no convergence"]
    assert rows["seed"].tolist() == [each["seed"] for each in heard] == [0, 1, 2]
    assert evaluation.summarize(rows)["note"].item() == "no convergence"


@pytest.mark.usefixtures("with_fixed")
def test_nodes_without_a_label_are_not_judged() -> None:
    graph = split_graph()
    labels = graph.labels.copy()
    labels[[5, 7, 9, 11, 13, 15, 17, 19]] = -1
    half = replace(graph, labels=labels)
    rows = evaluation.evaluate([AttackedGraph(half, half)], ["fixed"], seeds=1, trials=1)
    assert rows["accuracy"].tolist() == [100.0]  # of nodes 1 and 3
    labels[[1, 3]] = -1
    with pytest.raises(InvalidGraphError, match="no label at any of the nodes"):
        evaluation.evaluate([AttackedGraph(half, half)], ["fixed"], seeds=1, trials=1)


def test_oracle_is_told_about_the_attack() -> None:
    rows = evaluation.evaluate([SMALL], ["oracle", "gcn"], seeds=1, trials=1)
    assert rows["accuracy"].nunique() == 1  # nothing was attacked: the oracle is a GCN


def test_instances_and_plain_graphs_are_evaluated() -> None:
    named = Fixed(right=1.0)
    named.name = "all right"
    rows = evaluation.evaluate([split_graph()], [Fixed(), named, "mlp"], seeds=1, trials=1)
    assert rows["graph"].unique().tolist() == ["small"]
    assert rows["defense"].tolist() == ["Fixed", "all right", "mlp"]
    assert rows["accuracy"][1] == 100.0


def test_a_purifier_of_ones_own_stands_before_a_gcn() -> None:
    @dataclass
    class Nothing(Purifier):
        def purify(self, graph: Graph, seed: int = 0):
            return graph.adjacency

    rows = evaluation.evaluate([SMALL], [Nothing(), "gcn"], seeds=1, trials=1)
    assert rows["defense"].tolist() == ["Nothing", "gcn"]
    assert rows["accuracy"].nunique() == 1


def test_a_defense_needs_no_more_than_fit_and_predict() -> None:
    class Constant(Defense):
        level = 0

        def fit(self, graph: Graph, seed: int = 0) -> Constant:
            self.classes = np.full(graph.n_nodes, self.level)
            return self

        def predict(self) -> np.ndarray:
            return self.classes

        def search_space(self) -> Grid:
            return {"level": (5, 1)}

    rows = evaluation.evaluate(graphs=[split_graph()], defenses=[Constant()], seeds=1, trials=2)
    assert json.loads(rows["parameters"].item()) == {}  # class 1 is at no validation node
    assert Constant().trained_for(3).with_parameters({"level": 4}).level == 4


@pytest.mark.parametrize(
    ("defenses", "message"), [([Fixed(), Fixed()], "two defenses are called 'Fixed'"), ([Fixed], "or an instance of")]
)
def test_defenses_that_cannot_be_told_apart_or_are_none_are_refused(defenses: list, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        evaluation.evaluate([SMALL], defenses, seeds=1, trials=1)


def test_progress_ends_complete() -> None:
    calls: list[tuple[str, int, int]] = []
    evaluation.evaluate([SMALL], ["jaccard"], seeds=2, trials=2, progress=lambda *call: calls.append(call))
    assert calls == [("jaccard", done, 4) for done in range(5)]


@pytest.mark.parametrize(("name", "trainings"), [("kces", 1), ("kces-validated", 4)])
def test_progress_of_kces_ends_complete_with_few_trials(name: str, trainings: int) -> None:
    calls: list[tuple[str, int, int]] = []
    evaluation.evaluate([SMALL], [name], seeds=1, trials=2, progress=lambda *call: calls.append(call))
    assert calls == [(name, done, trainings) for done in range(trainings + 1)]


def test_training_preset_is_named_in_the_rows() -> None:
    rows = evaluation.evaluate([SMALL], ["mlp"], seeds=1, trials=1, preset=PAPER)
    assert rows["training"].tolist() == ["paper"]


@pytest.mark.parametrize(
    ("changes", "message"), [({"val": None}, "train, val and test split"), ({"test": None}, "no test nodes")]
)
def test_graphs_that_cannot_be_judged_are_refused(changes: dict, message: str) -> None:
    graph = split_graph(**changes)
    with pytest.raises(InvalidGraphError, match=message):
        evaluation.evaluate([AttackedGraph(graph, graph)], ["gcn"], seeds=1)


@pytest.mark.parametrize("options", [{"seeds": 0}, {"trials": 0}, {"defenses": []}])
def test_bad_budgets_are_refused_before_anything_is_loaded(options: dict) -> None:
    with pytest.raises(InvalidParameterError):
        evaluation.evaluate(["no such graph"], **({"defenses": ["gcn"]} | options))


def test_summary_keeps_the_order_and_counts_runs() -> None:
    rows = pd.DataFrame(
        {
            "graph": "g",
            "defense": ["z", "z", "a"],
            "accuracy": [80.0, 82.0, np.nan],
            "seconds": [1.0, 3.0, np.nan],
            "peak_mb": [5.0, 7.0, np.nan],
            "training": "deeprobust",
            "parameters": "{}",
            "note": ["", "", "no"],
        }
    )
    summary = evaluation.summarize(rows)
    assert summary["defense"].tolist() == ["z", "a"]
    assert summary.loc[0, ["mean", "runs", "seconds", "peak_mb"]].tolist() == [81.0, 2, 2.0, 7.0]
    assert summary.loc[0, "std"] == pytest.approx(np.sqrt(2))
    assert summary.loc[1, "runs"] == 0


# -- cost ------------------------------------------------------------------------------------------


def test_watch_sees_a_large_array() -> None:
    with watch() as usage:
        block = np.ones(40_000_000)
        block += 1
    with watch() as after:
        del block
    assert usage.peak_mb > 300
    assert usage.seconds > 0
    assert after.peak_mb > 1


def test_measuring_in_a_fresh_process() -> None:
    cost = measure_fresh(SMALL, "mlp")
    assert cost.note == ""
    assert cost.seconds > 0
    assert cost.peak_mb >= cost.before_mb > 10
    graph = load_builtin(SMALL)
    expected = accuracy(graph, make_defense("mlp").fit(graph, seed=0).predict(), graph.test)
    assert cost.accuracy == pytest.approx(expected, abs=3)


def test_measuring_reports_why_it_could_not_run() -> None:
    cost = measure_fresh(SMALL, "nothing")
    assert (cost.seconds, cost.status) == (None, "error")
    assert "unknown defense 'nothing'" in cost.note


def test_measuring_tells_a_kill_for_memory_from_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "run_order", lambda order: Answer("oom", message="killed by the system"))
    killed = measure_fresh(SMALL, "gcn")
    assert (killed.status, killed.note, killed.seconds) == ("oom", "killed by the system", None)


def test_measuring_says_what_does_not_apply() -> None:
    refused = measure_fresh("synthetic:n=60,seed=0", "jaccard+oracle")
    assert refused.status == "not applicable"
    assert refused.note.startswith("oracle needs to know which edges")
