"""The tables and figures of ``kces reproduce``, on synthetic graphs and made-up outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kces import Graph, load_builtin
from kces.api import score_edges
from kces.errors import InvalidParameterError, MemoryLimitError
from kces.lab.defenses import make_defense
from kces.lab.defenses.edge_sanitization import TimedScores
from kces.lab.defenses.tuning import accuracy
from kces.lab.reproduce import EXPERIMENTS, Cell, Experiment, Outcome, Plan, Report, Settings, Slot, reproduce
from kces.lab.reproduce.features import perturb_features
from kces.lab.reproduce.needs import PRESET_OF, in_order
from kces.lab.reproduce.plan import cells_of
from kces.lab.reproduce.published_numbers import ARXIV, CLUSTERING, COST, K_SENSITIVITY, METHODS, ROBUSTNESS, Reported
from kces.lab.reproduce.result_pages import markdown, write_report
from kces.lab.reproduce.tables import fill, to_frame, to_markdown
from kces.lab.reproduce.tasks import pack, run_task
from kces.scorers import ScoreOptions

GRAPH = "synthetic:n=80,classes=2,seed=0"


# -- the paper's numbers ----------------------------------------------------------------------------


def test_the_papers_numbers_are_those_of_its_tables():
    assert ROBUSTNESS["cora"]["metattack"]["kces"] == Reported(82.99, 0.08)
    assert ROBUSTNESS["polblogs"]["dice"]["gcn"] == Reported(71.47, 0.98)
    assert ROBUSTNESS["polblogs"]["clean"]["jaccard"] == Reported(None, mark="–")
    assert ROBUSTNESS["citeseer"]["nettack"]["airgnn"] == Reported(77.78, 0.77)
    assert ROBUSTNESS["pubmed"]["minmax"]["svd"] == Reported(80.50, 0.06)
    assert ROBUSTNESS["flickr"]["minmax"]["gpr-gae"] == Reported(9.80, 0.67)
    assert ARXIV["prbcd"]["kces"].mean == 58.62
    assert ARXIV["clean"]["prognn"].mark == "OOM"
    assert COST["seconds"]["prognn"].mean == 7340.23
    assert COST["peak_mb"]["kces"].mean == 1539
    assert K_SENSITIVITY["cora"]["5"].mean == 81.25
    assert CLUSTERING["citeseer"]["kmeans"].mean == 72.79


def test_the_robustness_table_is_complete():
    entries = [ROBUSTNESS[d][a][m] for d in ROBUSTNESS for a in ROBUSTNESS[d] for m in METHODS]
    assert len(entries) == 5 * 6 * 11
    # Only Polblogs, which has no features, has dashes: three methods under six attacks.
    assert sum(entry.mean is None for entry in entries) == 18
    assert all(entry.std is not None for entry in entries if entry.mean is not None)


# -- plans ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_full_and_a_smaller_quick_plan(name):
    full = cells_of(EXPERIMENTS[name].plan_slots(Plan(seeds=2)))
    quick = cells_of(EXPERIMENTS[name].plan_slots(Plan.quickly()))
    assert 0 < len(quick) < len(full)
    assert {cell.seed for cell in quick} == {0}


def test_tables_of_accuracy_have_floor_and_ceiling_in_every_column():
    for experiment in EXPERIMENTS.values():
        slots = [slot for slot in experiment.plan_slots(Plan(seeds=1)) if slot.quantity.startswith("accuracy")]
        columns = {(slot.section, slot.column) for slot in slots}
        for bound in ("mlp", "oracle"):
            assert {(slot.section, slot.column) for slot in slots if slot.row == bound} == columns, experiment.name


def test_the_main_table_has_all_methods_and_both_presets():
    slots = EXPERIMENTS["table-robustness"].plan_slots(Plan(seeds=1, only=("cora",)))
    assert len(slots) == 6 * 17
    assert {slot.section for slot in slots} == {"cora"}
    kces = [slot for slot in slots if slot.row in ("kces", "kces-paper") and slot.column == "metattack"]
    assert [slot.paper for slot in kces] == [Reported(82.99, 0.08)] * 2


def test_clean_graph_can_be_asked_for_alone() -> None:
    slots = EXPERIMENTS["table-robustness"].plan_slots(Plan(seeds=1, only=("cora@clean", "polblogs@nettack-5")))
    assert {cell.graph for cell in cells_of(slots)} == {"cora", "polblogs@nettack-5"}


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "supplement-runtime"])
def test_every_experiment_keeps_to_the_graphs_that_are_asked_for(name):
    graphs = sorted({cell.graph for cell in cells_of(EXPERIMENTS[name].plan_slots(Plan(seeds=1)))})
    wish = next(graph if "@" in graph else f"{graph}@clean" for graph in graphs)
    found = cells_of(EXPERIMENTS[name].plan_slots(Plan(seeds=1, only=(wish,))))
    assert {cell.graph for cell in found} == {wish.removesuffix("@clean")}


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_experiment_keeps_to_the_methods_that_are_asked_for(name):
    methods = {cell.method for cell in cells_of(EXPERIMENTS[name].plan_slots(Plan(seeds=1)))} - {"mlp", "oracle"}
    for wish in methods:
        found = cells_of(EXPERIMENTS[name].plan_slots(Plan(seeds=1, methods=(wish,))))
        assert {cell.method for cell in found} <= {wish, "mlp", "oracle"}


@pytest.mark.parametrize("wish", [{"only": ("cora", "nowhere")}, {"methods": ("gcn", "nothing")}])
def test_a_wish_that_selects_nothing_is_refused(wish):
    with pytest.raises(InvalidParameterError, match="table-robustness has no 'no"):
        EXPERIMENTS["table-robustness"].plan_slots(Plan(**wish))


# -- tasks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "preset"), PRESET_OF.items())
def test_kces_with_stored_scores_equals_kces(method, preset):
    graph = load_builtin(GRAPH)
    scoring = replace(TimedScores.of(graph, ScoreOptions(preset=preset)), seconds=2.0)
    stored, direct = make_defense(method), make_defense(method)
    stored.purifier.known = scoring
    assert stored.search_space() == direct.search_space()
    for alpha in (0.0, 0.4, *(["auto", "labels"] if preset == "robust" else [])):
        ours = stored.with_parameters({"alpha": alpha}).fit(graph, 1)
        assert np.array_equal(ours.predict(), direct.with_parameters({"alpha": alpha}).fit(graph, 1).predict())
        assert ours.reused_seconds == 2.0


def test_a_score_cell_keeps_all_that_a_cut_needs():
    graph = load_builtin(GRAPH)
    inputs = {"scores": run_task(Cell.of("score", GRAPH, "kces"), {})}
    for method in ("kces", "kces-validated", "kces+gat"):
        found = run_task(Cell.of("accuracy", GRAPH, method), inputs)
        direct = make_defense(method).fit(graph, 0).predict()
        assert found["accuracy"] == accuracy(graph, direct, graph.test)


def test_kces_before_a_purifier_hands_on_the_cleaned_graph():
    graph = load_builtin(GRAPH)
    scoring = TimedScores.of(graph, ScoreOptions(preset="paper"))
    both = make_defense("kces-paper+svd").with_parameters({"alpha": 0.5, "rank": 5})
    pruned = graph.keep_edges(scoring.scored.cut(0.5).kept)
    assert pruned.n_edges == graph.n_edges // 2
    alone = make_defense("svd").with_parameters({"rank": 5}).fit(pruned, 0).predict()
    assert np.array_equal(both.fit(graph, 0).predict(), alone)


def test_scores_do_not_depend_on_the_memory_that_is_free(monkeypatch):
    cell = Cell.of("score", GRAPH, "kces-paper")
    plenty = run_task(cell, {})
    assert plenty["engine"] == "exact"
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(2**19))
    with pytest.raises(MemoryLimitError, match="the exact engine"):
        run_task(cell, {})


def test_pruned_scores_are_cut_at_the_published_ratio_where_nothing_was_tuned():
    scores = run_task(Cell.of("score", GRAPH, "kces-paper"), {})
    found = run_task(Cell.of("pruned-score", GRAPH, "kces-paper"), {"scores": scores, "tuning": {"parameters": {}}})
    assert found["alpha"] == 0.3
    assert found["edges"] == scores["edges"] - int(np.ceil(0.3 * scores["edges"]))


def test_a_curve_starts_at_the_undefended_model():
    scores = {"scores": pack(score_edges(load_builtin(GRAPH), preset="paper"))}
    cell = Cell.of("curve", GRAPH, "kces-paper", order="high", ratios=(0.0, 0.5))
    found = run_task(cell, {"scores": scores})
    undefended = run_task(Cell.of("accuracy", GRAPH, "gcn"), {})
    assert list(found) == ["accuracy@0", "accuracy@0.5"]
    assert found["accuracy@0"] == undefended["accuracy"]


def test_moved_features_keep_the_count_of_every_word():
    words = sp.random_array((50, 20), density=0.2, random_state=np.random.default_rng(0), format="csr")
    words.data[:] = 1.0
    moved = perturb_features(words, 0.5)
    assert np.array_equal(moved.sum(axis=0), words.sum(axis=0))
    assert set(moved.data) == {1.0}
    changed = abs(moved - words).sum() / 2 / words.nnz
    assert 0.25 < changed < 0.5
    assert (perturb_features(words, 0.0) != words).nnz == 0


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_graph_with_moved_words_can_be_scored(share):
    words = sp.random_array((30, 20), density=0.3, random_state=np.random.default_rng(0), format="csr")
    ring = np.column_stack([np.arange(30), (np.arange(30) + 1) % 30])
    graph = replace(Graph.from_edges(ring, words), features=perturb_features(words, share))
    assert np.isfinite(score_edges(graph, preset="paper")).all()


def test_shuffled_dense_features_keep_every_columns_values():
    values = np.random.default_rng(0).standard_normal((40, 3))
    moved = perturb_features(values, 0.5)
    assert np.array_equal(np.sort(moved, axis=0), np.sort(values, axis=0))
    assert 0.2 < (moved != values).mean() < 0.7


# -- tables -----------------------------------------------------------------------------------------


def slot(row: str, seeds: int = 2, paper: Reported | None = None) -> Slot:
    return Slot("cora", row, "metattack", tuple(Cell.of("accuracy", "cora", row, s) for s in range(seeds)), paper=paper)


def outcomes(slots: list[Slot], values: dict[str, list[Outcome]]) -> dict[Cell, Outcome]:
    return {c: o for each in slots for c, o in zip(each.cells, values.get(each.row, []), strict=False)}


def ok(accuracy: float) -> Outcome:
    return Outcome("ok", {"accuracy": accuracy, "parameters": {"alpha": 0.3}}, seconds=1.0)


SLOTS = [
    slot("mlp"),
    slot("gcn", paper=Reported(53.12, 0.83)),
    slot("gat", paper=Reported(58.35, 0.22)),
    slot("prognn", paper=Reported(None, mark="OOM")),
    slot("jaccard"),
    slot("kces", paper=Reported(82.99, 0.08)),
    slot("oracle"),
]
VALUES = {
    "mlp": [ok(60.95), ok(61.05)],
    "gcn": [ok(48.0), ok(50.0)],
    "gat": [ok(55.0), Outcome("error", message="a | b\nc")],
    "prognn": [Outcome("oom", message="too large")] * 2,
    "jaccard": [Outcome("not applicable", message="no features")] * 2,
    "oracle": [ok(83.0), ok(84.0)],
}


def test_markdown_shows_ours_the_papers_the_difference_and_every_failure():
    lines = to_markdown(fill(SLOTS, outcomes(SLOTS, VALUES))).splitlines()
    assert lines[:4] == ["### cora", "", "| | metattack |", "|---|---|"]
    assert lines[4:] == [
        "| MLP (floor) | 61.0 ± 0.1 |",
        "| GCN | 49.0 ± 1.4<br>paper 53.12 ± 0.83 (−4.1) |",
        "| GAT | 55.0 (1 x error: a / b c)<br>paper 58.35 ± 0.22 (−3.4) |",
        "| ProGNN | OOM<br>paper OOM |",
        "| GCN-Jaccard | – |",
        "| KCES robust | not run<br>paper 82.99 ± 0.08 |",
        "| oracle (ceiling) | 83.5 ± 0.7 |",
    ]


def test_a_report_names_the_methods_that_got_fewer_trainings():
    fewer = Report(EXPERIMENTS["table-robustness"], Plan(seeds=3), [], outcomes(SLOTS, VALUES))
    assert "- ProGNN: 1 seed, default settings, not tuned; a training takes minutes." in markdown(fewer, [])
    alike = replace(fewer, plan=Plan(seeds=3, slow_seeds=3, slow_trials=10))
    assert "- ProGNN:" not in markdown(alike, [])
    assert "--slow-seeds 3 --slow-trials 10" in markdown(alike, [])
    more = markdown(replace(fewer, plan=Plan(seeds=3, slow=("prognn", "gat"))), [])
    assert "- GAT, ProGNN: 1 seed" in more
    assert "--slow prognn,gat" in more


def test_what_cannot_run_on_a_data_set_is_one_line_for_all_its_graphs():
    found = {
        Cell.of(task, graph, "jaccard"): Outcome(
            "not applicable", message=f"{before}{graph.partition('#')[0]} has none"
        )
        for task, before in [("tune", ""), ("accuracy", "tune: ")]
        for graph in ("polblogs", "polblogs@dice-0.25#0")
    }
    page = markdown(Report(EXPERIMENTS["table-robustness"], Plan(seeds=1), [], found), [])
    assert page.count("polblogs") == 2
    assert "- polblogs, GCN-Jaccard: not applicable: polblogs has none (4 cells)" in page


def test_a_page_of_costs_says_nothing_of_tuning():
    page = markdown(Report(EXPERIMENTS["table-cost"], Plan(seeds=1), [], {}), [])
    assert "Hyper-parameters" not in page
    assert "floor" not in page


def test_csv_has_floor_ceiling_and_difference_in_every_row():
    table = to_frame(fill(SLOTS, outcomes(SLOTS, VALUES))).set_index("row")
    assert set(table["floor"]) == {61.0}
    assert set(table["ceiling"]) == {83.5}
    assert table.loc["gcn", "difference"] == pytest.approx(-4.12)
    assert table.loc["gcn", "parameters"] == "alpha 0.3"
    assert table["runs"].tolist() == [2, 2, 1, 0, 0, 0, 2]
    assert table.loc["prognn", "problem"] == "OOM"
    assert pd.isna(table.loc["kces", "mean"])


@pytest.mark.parametrize("drawing", ["dots", "lines", "scale"])
def test_a_report_is_written_whole_even_with_failed_and_missing_cells(drawing, tmp_path):
    experiment = Experiment("table-test", "a test", lambda plan: SLOTS, notes=("A note.",), drawing=drawing)
    found = outcomes(SLOTS, VALUES)
    report = Report(experiment, Plan.quickly(only=("cora",)), fill(SLOTS, found), found)
    files = write_report(report, tmp_path / "results")
    text = (tmp_path / "results" / "table-test.md").read_text()
    assert "Quick run" in text
    assert "`kces reproduce table-test --quick --only cora`" in text
    assert "- cora, ProGNN: oom: too large (2 cells)" in text
    assert "- A note." in text
    assert {file.suffix for file in files} == {".md", ".csv"} | ({".png", ".svg"} if drawing != "lines" else set())
    assert all(file.stat().st_size > 200 for file in files)


def test_lines_and_histograms_are_drawn(tmp_path):
    cells = (Cell.of("curve", GRAPH, "kces", order="high", ratios=(0.0, 0.5)),)
    scored = Cell.of("score", GRAPH, "kces-paper")
    slots = [Slot("curves", f"{ratio:.2f}", "high-KC", cells, f"accuracy@{ratio:g}") for ratio in (0.0, 0.5)]
    slots.append(Slot("scores", "clean", "q50", (scored,), "q50"))
    found = {
        cells[0]: Outcome("ok", {"accuracy@0": 70.0, "accuracy@0.5": 75.0}),
        scored: Outcome(
            "ok", {"q50": 1.0, "scores": pack(np.random.default_rng(0).random(100)), "adversarial": [3, 7]}
        ),
    }
    experiment = Experiment("figure-test", "", lambda plan: slots, drawing="lines", has_distributions=True)
    files = write_report(Report(experiment, Plan(seeds=1), fill(slots, found), found), tmp_path)
    assert sorted(file.name for file in files) == [
        "figure-test-curves.png",
        "figure-test-curves.svg",
        "figure-test-scores.png",
        "figure-test-scores.svg",
        "figure-test.csv",
        "figure-test.md",
    ]
    for picture in (file for file in files if file.suffix == ".png"):
        width = int.from_bytes(picture.read_bytes()[16:20], "big")
        assert width >= 900, "large enough to read"
    assert "clean, adversarial" in (tmp_path / "figure-test-scores.svg").read_text()


# -- end to end -------------------------------------------------------------------------------------


def test_a_small_experiment_end_to_end_and_again_from_its_store(tmp_path, monkeypatch):
    monkeypatch.setenv("KCES_CACHE", str(tmp_path / "attacks"))
    attacked = f"{GRAPH}@dice-0.25#0"

    def slots(plan: Plan) -> list[Slot]:
        return [Slot("toy", method, "dice", plan.runs(attacked, method)) for method in ("kces-paper",)]

    experiment, plan = Experiment("table-toy", "", slots), Plan(seeds=1, trials=2)
    report, ran = reproduce(experiment, plan, tmp_path / "store.sqlite", Settings(jobs=2))
    assert ran is not None
    assert ran.ran == {"ok": len(in_order(cells_of(slots(plan))))} == {"ok": 4}
    assert all(each.mean is not None and 30 < each.mean <= 100 for each in report.filled)
    again, nothing = reproduce(experiment, plan, tmp_path / "store.sqlite", None)
    assert nothing is None
    assert [each.values for each in again.filled] == [each.values for each in report.filled]
