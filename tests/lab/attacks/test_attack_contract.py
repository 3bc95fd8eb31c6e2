"""Every attack keeps the same promises; one test per promise, run over all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from kces.datasets.builtin import load_builtin
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks import ATTACKS, PER_TARGET, find_attack

QUICK = {
    "metattack": {"inner_steps": 10},
    "metattack-approx": {"inner_steps": 10, "gradients": 4},
    "minmax": {"steps": 6, "samples": 3},
    "prbcd": {"epochs": 8},
    "lrbcd": {"epochs": 8},
    "adaptive-kces": {"epochs": 6, "rounds": 2},
    "adaptive-robust": {"epochs": 6, "rounds": 2},
    "nettack": {"targets": [3, 40, 77]},
}
KEEPS_EVERY_NODE_LINKED = {"metattack", "metattack-approx", "nettack"}


@pytest.fixture(scope="module")
def graph() -> Graph:
    made = load_builtin("synthetic:n=120,seed=0")
    return replace(made, train=np.arange(0, 120, 3), val=np.arange(1, 120, 3), test=np.arange(2, 120, 3))


def run(name: str, graph: Graph, seed: int = 0):
    budget = 2 if ATTACKS[name].budget_unit == PER_TARGET else 0.1
    return ATTACKS[name](graph, budget, seed, **QUICK.get(name, {}))


@pytest.fixture(scope="module")
def results(graph):
    return {name: run(name, graph) for name in ATTACKS}


@pytest.mark.parametrize("name", ATTACKS)
class TestContract:
    def test_budget_is_met_exactly(self, name, graph, results):
        attacked = results[name]
        expected = 2 * 3 if name == "nettack" else int(0.1 * graph.n_edges)
        assert len(attacked.added) + len(attacked.removed) == expected
        assert attacked.log["added"] == len(attacked.added)
        assert attacked.log["removed"] == len(attacked.removed)

    def test_graph_is_undirected_simple_and_unweighted(self, name, results):
        adjacency = results[name].graph.adjacency
        assert (adjacency != adjacency.T).nnz == 0
        assert adjacency.diagonal().sum() == 0
        assert set(adjacency.data) == {1.0}

    def test_nodes_features_labels_and_splits_are_untouched(self, name, graph, results):
        attacked = results[name]
        assert attacked.clean is graph
        assert attacked.graph.features is graph.features
        assert attacked.graph.labels is graph.labels
        assert attacked.graph.train is graph.train

    def test_same_seed_same_result_and_the_caller_s_random_state_is_untouched(self, name, graph, results):
        before = torch.random.get_rng_state()
        assert np.array_equal(run(name, graph).graph.edges, results[name].graph.edges)
        assert torch.equal(torch.random.get_rng_state(), before)

    def test_log_names_the_run(self, name, results):
        log = results[name].log
        assert log["method"] == name
        assert log["seed"] == 0
        assert log["seconds"] >= 0
        assert results[name].graph.name.startswith(f"synthetic:n=120,seed=0@{name}-")

    def test_unknown_parameter_is_named(self, name, graph):
        with pytest.raises(InvalidParameterError, match=f"{name} has no parameter spam"):
            ATTACKS[name](graph, 1, spam=1)

    @pytest.mark.parametrize("budget", [0, -1, 1.5, float("nan")])
    def test_impossible_budget(self, name, graph, budget):
        with pytest.raises(InvalidParameterError, match="budget"):
            ATTACKS[name](graph, budget, **QUICK.get(name, {}))


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"nettack"}))
def test_other_seed_other_result(name, graph, results):
    assert not np.array_equal(run(name, graph, seed=1).graph.edges, results[name].graph.edges)


@pytest.mark.parametrize("name", sorted(KEEPS_EVERY_NODE_LINKED))
def test_no_node_loses_its_last_edge(name, graph, results):
    before, after = (np.diff(g.adjacency.indptr) for g in (graph, results[name].graph))
    assert not ((after == 0) & (before > 0)).any()


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"random"}))
def test_graph_without_labels_is_refused(name, graph):
    with pytest.raises(InvalidGraphError, match="label"):
        run(name, replace(graph, labels=None))


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"random", "dice"}))
def test_graph_without_train_nodes_is_refused(name, graph):
    with pytest.raises(InvalidGraphError, match="train"):
        run(name, replace(graph, train=None))


def test_unknown_attack_lists_the_known_ones():
    with pytest.raises(InvalidParameterError, match=r"unknown attack 'spam'; there are: random, dice"):
        find_attack("spam")
