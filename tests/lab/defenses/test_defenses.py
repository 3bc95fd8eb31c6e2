"""Every defense keeps the same contract, on a small graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from kces import load_builtin
from kces.api import score
from kces.automatic_cut import twice_the_noise
from kces.datasets.attacked import AttackedGraph
from kces.datasets.planted import inject_cross_class_edges
from kces.errors import InvalidGraphError, InvalidParameterError, MemoryLimitError
from kces.graph import Graph
from kces.lab.defenses import MODELS, PURIFIERS, NeedsFeaturesError, NotApplicableError, make_defense
from kces.lab.defenses.gprgae import GPRGAE
from kces.lab.defenses.tuning import accuracy, tuned
from kces.scorers import Scored, ScoreOptions

NEED_FEATURES = {"gnnguard", "airgnn", "jaccard", "cosine"}
SHORT = {"prognn": {"epochs": 30, "learning_rate": 0.01}, "gpr-gae": {"epochs": 30}}


def small_graph() -> Graph:
    """Two hundred nodes, three classes, sparse 0/1 features that tell the classes apart somewhat."""
    graph = load_builtin("synthetic:n=200,classes=3,homophily=0.9,seed=0")
    words = sp.csr_array((np.asarray(graph.features) > 0.8).astype(np.float64))
    return replace(graph, features=words)


@pytest.fixture(scope="module")
def attacked() -> AttackedGraph:
    clean = small_graph()
    graph, _ = inject_cross_class_edges(clean, 0.2, seed=1)
    return AttackedGraph(graph, clean)


def ready(name: str, attacked: AttackedGraph):
    """The defense with its training cut short where the default is long."""
    defense = make_defense(name)
    if name in MODELS:
        return defense.with_parameters(SHORT.get(name, {}))
    purifier = replace(defense.purifier, **SHORT.get(name, {}))
    return replace(defense, purifier=purifier).informed_by(attacked)


@pytest.mark.parametrize("name", [*MODELS, *PURIFIERS])
def test_contract(name: str, attacked: AttackedGraph) -> None:
    graph = attacked.graph
    before = graph.adjacency.copy()
    classes = ready(name, attacked).fit(graph, seed=3).predict()
    assert classes.shape == (graph.n_nodes,)
    assert classes.dtype == np.int64
    assert set(np.unique(classes)) <= {0, 1, 2}
    majority = 100 * np.bincount(graph.labels[graph.test]).max() / len(graph.test)
    assert accuracy(graph, classes, graph.test) > majority + 5
    assert (graph.adjacency != before).nnz == 0
    np.testing.assert_array_equal(ready(name, attacked).fit(graph, seed=3).predict(), classes)


@pytest.mark.parametrize(
    "name", ["kces+gat", "jaccard+rgcn", "svd+gnnguard", "svd+prognn", "gpr-gae+gat", "cosine+airgnn"]
)
def test_purifiers_compose_with_models(name: str, attacked: AttackedGraph) -> None:
    defense = make_defense(name)
    if name == "gpr-gae+gat":
        defense = replace(defense, purifier=replace(defense.purifier, epochs=20))
    if name == "svd+prognn":
        defense = replace(defense, behind=replace(defense.behind, epochs=10, learning_rate=0.01))
    classes = defense.fit(attacked.graph, seed=0).predict()
    assert accuracy(attacked.graph, classes, attacked.graph.test) > 45


def test_composed_parameters_reach_their_part() -> None:
    defense = make_defense("kces+gat").with_parameters({"alpha": 0.7, "dropout": 0.1})
    assert defense.purifier.alpha == 0.7
    assert defense.behind.dropout == 0.1
    assert set(make_defense("kces-paper+gat").search_space()) == {"alpha"}  # the model behind keeps its settings


def test_grids_of_purifiers_and_models_never_share_a_name() -> None:
    for purifier in PURIFIERS.values():
        for model in MODELS.values():
            assert not set(purifier.grid) & set(model.grid)


def test_every_grid_value_is_a_parameter() -> None:
    for kind in (*MODELS.values(), *PURIFIERS.values()):
        for name, values in kind.grid.items():
            assert getattr(replace(kind(), **{name: values[0]}), name) == values[0]


def test_purifier_alone_stands_before_a_gcn(attacked: AttackedGraph) -> None:
    alone = make_defense("jaccard").fit(attacked.graph, seed=0).predict()
    spelled_out = make_defense(" Jaccard+GCN ").fit(attacked.graph, seed=0).predict()
    np.testing.assert_array_equal(alone, spelled_out)


@pytest.mark.parametrize("name", ["nothing", "gcn+kces", "kces+nothing", "", "kces+", "kces+gcn+gat"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="unknown defense"):
        make_defense(name)


@pytest.mark.parametrize("name", sorted(NEED_FEATURES))
def test_identity_features_are_refused_where_features_are_compared(name: str) -> None:
    graph = replace(small_graph(), features=sp.csr_array(sp.eye_array(200)))
    with pytest.raises(NeedsFeaturesError, match="needs features"):
        make_defense(name).fit(graph)


def test_identity_features_are_fine_for_the_others() -> None:
    graph = replace(small_graph(), features=sp.csr_array(sp.eye_array(200)))
    classes = make_defense("gcn").fit(graph).predict()
    assert accuracy(graph, classes, graph.test) > 50


def test_dense_and_sparse_features_agree() -> None:
    graph = small_graph()
    dense = replace(graph, features=graph.features.toarray())
    sparse_classes = make_defense("gcn").fit(graph, seed=0).predict()
    agreement = (make_defense("gcn").fit(dense, seed=0).predict() == sparse_classes).mean()
    assert agreement > 0.98


def test_training_leaves_the_callers_random_state_alone(attacked: AttackedGraph) -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    make_defense("gcn").fit(attacked.graph, seed=0)
    assert torch.equal(torch.rand(3), expected)


def test_predict_before_fit_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="not fitted"):
        make_defense("gcn").predict()


def test_a_graph_without_split_is_refused() -> None:
    with pytest.raises(InvalidGraphError, match="train and val split"):
        make_defense("gcn").fit(replace(small_graph(), val=None))


def test_unlabeled_training_nodes_are_refused() -> None:
    graph = small_graph()
    labels = graph.labels.copy()
    labels[graph.train[0]] = -1
    with pytest.raises(InvalidGraphError, match="unlabeled"):
        make_defense("gcn").fit(replace(graph, labels=labels))


def test_oracle_restores_the_clean_graph(attacked: AttackedGraph) -> None:
    restored = make_defense("oracle").informed_by(attacked).fit(attacked.graph, seed=0).predict()
    np.testing.assert_array_equal(restored, make_defense("gcn").fit(attacked.clean, seed=0).predict())


def test_oracle_without_knowledge_is_refused(attacked: AttackedGraph) -> None:
    with pytest.raises(NotApplicableError, match="adversarial"):
        make_defense("oracle").fit(attacked.graph)


def test_noisegnn_without_noise_is_a_gcn(attacked: AttackedGraph) -> None:
    quiet = make_defense("noisegnn").with_parameters({"beta": 0.0}).fit(attacked.graph, seed=0).predict()
    np.testing.assert_array_equal(quiet, make_defense("gcn").fit(attacked.graph, seed=0).predict())


@pytest.mark.parametrize("name", ["gcn", "prognn", "kces+prognn", "jaccard"])
def test_epochs_of_the_model_can_be_set(name: str, attacked: AttackedGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    from kces.lab import training

    looks = []
    improved = training.BestWeights.improved
    monkeypatch.setattr(training.BestWeights, "improved", lambda *args: looks.append(1) or improved(*args))
    make_defense(name).trained_for(7).fit(attacked.graph, seed=0)
    assert len(looks) == (14 if "prognn" in name else 7)  # ProGNN takes two steps of the GCN in an epoch


def test_prognn_refuses_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = small_graph()
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match=r"prognn .* needs 1.2 MiB"):
        make_defense("prognn").fit(graph)


def test_kces_scores_a_graph_once_and_reports_the_time_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    from kces.lab.defenses import edge_sanitization

    calls = []

    class CountingScorer:
        def __init__(self, options: ScoreOptions) -> None:
            self.preset = options.preset

        def score(self, graph: Graph) -> Scored:
            calls.append(self.preset)
            return Scored(graph, np.arange(graph.n_edges, dtype=float))

    monkeypatch.setattr(edge_sanitization, "make_scorer", CountingScorer)
    graph = small_graph()
    first = make_defense("kces-paper").with_parameters({"alpha": 0.0})
    adjacency = first.purifier.purify(graph)
    assert (adjacency != graph.adjacency).nnz == 0
    assert first.purifier.reused_seconds == 0
    second = make_defense("kces-paper").with_parameters({"alpha": 0.5})
    assert second.purifier.purify(graph).nnz == 2 * (graph.n_edges // 2)
    assert second.purifier.reused_seconds > 0
    assert calls == ["paper"]


def test_kces_validated_cuts_twice_the_noise_by_default() -> None:
    graph = small_graph()
    scored = score(graph)
    alpha = twice_the_noise(scored.evidence.yardstick).alpha
    assert 0 < alpha < 1
    assert make_defense("kces-validated").purifier.purify(graph).nnz == 2 * scored.cut(alpha).kept.sum()


def test_kces_is_cut_where_the_labels_say() -> None:
    graph = small_graph()
    assert make_defense("kces").purifier.purify(graph).nnz == 2 * score(graph).cut("labels").kept.sum()


def test_behind_kces_the_model_is_tuned() -> None:
    assert make_defense("kces").search_space() == {}
    assert make_defense("kces+gat").search_space() == make_defense("gat").search_space()
    assert make_defense("kces-paper+gat").search_space() == make_defense("kces-paper").search_space()


def test_auto_of_kces_paper_is_its_published_ratio() -> None:
    graph = small_graph()
    auto, published = (make_defense("kces-paper").with_parameters({"alpha": a}).purifier for a in ("auto", 0.3))
    assert (auto.purify(graph) != published.purify(graph)).nnz == 0


def test_kces_validated_takes_the_automatic_cut_where_validation_cannot_tell() -> None:
    settings = [{"alpha": "auto"}, {"alpha": 0.0}, {"alpha": 0.5}]
    right = np.arange(100) < np.array([[69], [70], [71]])
    assert make_defense("kces-validated").choose(settings, right) == 0
    assert make_defense("kces-paper").choose(settings, right) == 2


def test_kces_validated_hears_of_no_pruning_however_few_trials_there_are() -> None:
    tried = tuned(make_defense("kces-validated"), small_graph(), trials=2).trials
    assert {"auto", 0.0} < {trial.parameters["alpha"] for trial in tried}


def test_gpr_gae_trusts_planted_edges_less(attacked: AttackedGraph) -> None:
    purifier = replace(make_defense("gpr-gae").purifier, epochs=60)
    weights = purifier.purify(attacked.graph, seed=0)
    by_edge = weights[attacked.graph.edges[:, 0], attacked.graph.edges[:, 1]]
    assert by_edge.min() >= 0
    assert by_edge.max() <= 1
    assert by_edge[attacked.is_added].mean() < by_edge[~attacked.is_added].mean()


def test_gpr_gae_trains_once_for_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = small_graph()
    trained = []
    learn = GPRGAE._learn
    monkeypatch.setattr(GPRGAE, "_learn", lambda self, *given: (trained.append(self.rounds), learn(self, *given)))
    first, second = GPRGAE(epochs=20, rounds=1), GPRGAE(epochs=20, rounds=3)
    once, often = first.purify(graph), second.purify(graph)
    assert trained == [1]
    assert abs(once - often).max() > 0
    assert second.reused_seconds > 0
    assert abs(often - GPRGAE(epochs=20, rounds=3).purify(replace(graph))).max() == 0  # as if trained for itself
    GPRGAE(epochs=20, rounds=1, noise_ratio=0.5).purify(graph)
    GPRGAE(epochs=20, rounds=1).purify(graph, seed=1)
    assert len(trained) == 4
