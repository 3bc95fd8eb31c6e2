"""The pieces attacks are made of: budgets, projections, blocks, checkpoints, the cache."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from torch_geometric.contrib.nn import PRBCDAttack

from kces.datasets.builtin import load_builtin
from kces.errors import InvalidGraphError, InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.lab.attacks import ATTACKS, cache, load_or_make
from kces.lab.attacks.candidates import Candidates
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import apply_flips, flips_allowed
from kces.lab.attacks.local_budget import project_locally, select_locally
from kces.lab.attacks.nettack import default_targets
from kces.lab.attacks.projection import completed, project_onto_budget
from kces.lab.attacks.random_flips import sample_new_pairs


@pytest.fixture(scope="module")
def graph() -> Graph:
    made = load_builtin("synthetic:n=60,seed=0")
    return replace(made, train=np.arange(0, 60, 3), val=np.arange(1, 60, 3), test=np.arange(2, 60, 3))


@pytest.mark.parametrize(("share", "edges", "expected"), [(0.29, 100, 29), (0.25, 5069, 1267), (0.5, 3, 1), (1, 4, 4)])
def test_budget_is_rounded_down_but_not_by_binary_fractions(share, edges, expected):
    path = Graph.from_edges([[i, i + 1] for i in range(edges)])
    assert flips_allowed(share, path) == expected


def test_budget_below_one_edge_is_refused():
    with pytest.raises(InvalidParameterError, match="allows no change"):
        flips_allowed(0.1, Graph.from_edges([[0, 1], [1, 2], [2, 3]]))


def test_flips_twice_give_the_graph_back(graph):
    flips = np.array([graph.edges[0], graph.edges[5], sample_new_pairs(graph, 1, np.random.default_rng(0))[0]])
    there = apply_flips(graph, flips)
    assert there.n_edges == graph.n_edges - 1
    assert np.array_equal(apply_flips(there, flips).edges, graph.edges)


def test_new_pairs_of_a_nearly_complete_graph_are_found():
    rows, columns = np.triu_indices(12, k=1)
    almost = Graph.from_edges(np.stack([rows, columns], axis=1)[:-2])
    assert sample_new_pairs(almost, 2, np.random.default_rng(0)).tolist() in ([[9, 11], [10, 11]], [[10, 11], [9, 11]])
    with pytest.raises(InvalidParameterError, match="only 2 free pairs"):
        sample_new_pairs(almost, 3, np.random.default_rng(0))


class TestProjection:
    def test_point_within_the_budget_is_only_clipped(self):
        assert project_onto_budget(np.array([-1.0, 0.5, 3.0]), 2).tolist() == [0, 0.5, 1]

    @pytest.mark.parametrize("budget", [1, 7.5, 40])
    def test_budget_is_met_and_the_point_is_the_nearest(self, budget):
        rng = np.random.default_rng(0)
        values = rng.normal(size=200) * 2
        projected = project_onto_budget(values, budget)
        assert projected.sum() <= budget
        assert projected.sum() == pytest.approx(budget, rel=1e-2)
        # Optimality: no feasible point is nearer (variational inequality of a projection).
        for _ in range(50):
            other = rng.random(200)
            other *= min(1, budget / other.sum())
            assert (values - projected) @ (other - projected) <= 1e-2

    def test_draws_are_completed_by_weight(self):
        drawn, weights = np.array([False, True, True, False]), np.array([0.9, 0.2, 0.1, 0.0])
        assert completed(drawn, weights, 1).tolist() == [1]
        assert completed(drawn, weights, 3).tolist() == [0, 1, 2]
        assert completed(drawn, weights, 4).tolist() == [0, 1, 2, 3]


class TestLocalBudget:
    pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2]])

    def test_sums_at_each_node_stay_within_its_cap(self):
        caps = np.array([1, 1, 1, 1])
        weights = project_locally(np.array([0.3, 0.9, 0.8, 0.5]), self.pairs, caps)
        assert weights == pytest.approx([0.0, 0.9, 0.1, 0.1])

    def test_selection_respects_caps_in_order(self):
        assert select_locally(self.pairs, np.array([2, 1, 1, 1]), 9).tolist() == [0, 1]
        assert select_locally(self.pairs, np.array([2, 1, 1, 1]), 1).tolist() == [0]

    def test_lrbcd_keeps_to_the_budget_of_each_node(self, graph):
        attacked = ATTACKS["lrbcd"](graph, 0.2, epochs=6, local_share=0.3)
        flips = np.bincount(np.concatenate([attacked.added, attacked.removed]).ravel(), minlength=60)
        caps = np.maximum(1, np.floor(0.3 * np.diff(graph.adjacency.indptr)))
        assert (flips <= caps).all()

    def test_unreachable_budget_is_explained(self, graph):
        with pytest.raises(InvalidParameterError, match="raise local_share"):
            ATTACKS["lrbcd"](graph, 0.9, epochs=3, local_share=0.01)


def test_prbcd_leaks_no_settings_between_instances(graph):
    before = dict(PRBCDAttack.coeffs)
    first = ATTACKS["prbcd"](graph, 0.1, epochs=4)
    ATTACKS["lrbcd"](graph, 0.1, epochs=4)
    assert PRBCDAttack.coeffs == before
    assert np.array_equal(ATTACKS["prbcd"](graph, 0.1, epochs=4).graph.edges, first.graph.edges)


def test_prbcd_refuses_a_block_that_cannot_hold_the_budget(graph):
    with pytest.raises(InvalidParameterError, match="block_size must exceed"):
        ATTACKS["prbcd"](graph, 0.5, block_size=10)


def test_renewed_block_keeps_the_useful_pairs_and_their_weights(graph):
    rng = np.random.default_rng(0)
    candidates = Candidates(graph, 200, rng)
    weights = np.zeros(len(candidates.pairs), dtype=np.float32)
    weights[[3, 9]] = 0.25, 0.75
    kept = candidates.pairs[[3, 9]].tolist()
    before = len(candidates.pairs)
    renewed = candidates.renew(weights, rng)
    assert sorted(renewed[renewed > 0]) == [0.25, 0.75]
    assert candidates.pairs[renewed > 0].tolist() == kept
    assert before // 2 < len(candidates.pairs) == len(renewed) == len(candidates.direction) <= 200


def test_minmax_on_random_blocks_meets_the_budget(graph, monkeypatch):
    monkeypatch.setattr("kces.lab.attacks.minmax.LARGEST_FULL_SEARCH", 10)
    attacked = ATTACKS["minmax"](graph, 0.1, steps=4, samples=2, block_size=300)
    assert attacked.log["candidates"] == 300
    assert len(attacked.added) + len(attacked.removed) == int(0.1 * graph.n_edges)


class TestNettack:
    def test_default_targets_are_well_linked_test_nodes(self):
        star = [[0, i] for i in range(1, 13)]
        graph = Graph.from_edges(star, labels=np.zeros(13, int), test=[0, 1, 2])
        assert default_targets(graph).tolist() == [0]
        with pytest.raises(InvalidGraphError, match="more than 10 neighbors"):
            default_targets(replace(graph, test=np.array([1, 2])))

    @pytest.mark.parametrize(("targets", "message"), [([99], "outside"), ([1, 1], "twice"), ([], "list of node")])
    def test_bad_targets(self, graph, targets, message):
        with pytest.raises(InvalidParameterError, match=message):
            ATTACKS["nettack"](graph, 1, targets=targets)

    def test_degree_test_still_meets_the_budget(self, graph):
        attacked = ATTACKS["nettack"](graph, 2, targets=[2, 5], degree_test=True)
        assert len(attacked.added) + len(attacked.removed) == 4

    def test_flips_touch_the_targets(self, graph):
        attacked = ATTACKS["nettack"](graph, 2, targets=[2, 5])
        flips = np.concatenate([attacked.added, attacked.removed])
        assert np.isin(flips, [2, 5]).any(axis=1).all()


class TestCheckpoint:
    def test_interrupted_metattack_goes_on_where_it_was(self, graph, tmp_path, monkeypatch):
        whole = ATTACKS["metattack"](graph, 0.1, inner_steps=5)
        monkeypatch.setattr("kces.lab.attacks.checkpoint.SECONDS_BETWEEN_SAVES", 0.0)
        file = tmp_path / "state.npz"

        def stop_halfway(what: str, done: int, total: int) -> None:
            if done == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ATTACKS["metattack"](graph, 0.1, inner_steps=5, checkpoint=file, progress=stop_halfway)
        with np.load(file, allow_pickle=False) as stored:
            assert len(stored["flips"]) == 4
        steps = []
        resumed = ATTACKS["metattack"](
            graph, 0.1, inner_steps=5, checkpoint=file, progress=lambda what, done, total: steps.append(done)
        )
        assert steps[0] == 5
        assert np.array_equal(resumed.graph.edges, whole.graph.edges)
        assert not file.exists()

    def test_interrupted_minmax_draws_the_same_blocks(self, graph, tmp_path, monkeypatch):
        monkeypatch.setattr("kces.lab.attacks.minmax.LARGEST_FULL_SEARCH", 0)
        params = {"steps": 8, "block_size": 2 * int(0.1 * graph.n_edges)}
        self.test_long_attacks_go_on_where_they_stopped(graph, tmp_path, monkeypatch, "minmax", params)

    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("minmax", {"steps": 8}),
            ("nettack", {"targets": [2, 5, 9, 11]}),
            ("prbcd", {"epochs": 8}),
            ("lrbcd", {"epochs": 8}),
            ("adaptive-kces", {"epochs": 4, "rounds": 3, "preset": "robust"}),
        ],
    )
    def test_long_attacks_go_on_where_they_stopped(self, graph, tmp_path, monkeypatch, method, params):
        monkeypatch.setattr("kces.lab.attacks.checkpoint.SECONDS_BETWEEN_SAVES", 0.0)
        file, steps = tmp_path / "state.npz", []
        budget = 1 if method == "nettack" else 0.1

        def stop_halfway(what, done, total):
            if done == total // 2 + 1:
                raise KeyboardInterrupt

        whole = ATTACKS[method](graph, budget, **params)
        with pytest.raises(KeyboardInterrupt):
            ATTACKS[method](graph, budget, checkpoint=file, progress=stop_halfway, **params)
        resumed = ATTACKS[method](
            graph, budget, checkpoint=file, progress=lambda what, done, total: steps.append((done, total)), **params
        )
        assert steps[0] == (steps[0][1] // 2 + 2, steps[0][1])  # the finished steps were not repeated
        assert np.array_equal(resumed.graph.edges, whole.graph.edges)
        assert not file.exists()

    def test_checkpoint_of_another_run_is_refused(self, graph, tmp_path):
        file = tmp_path / "state.npz"
        Checkpoint(file, graph, {"seed": 0}).save({"flips": np.array([[0, 1]])}, 1.0, now=True)
        with pytest.raises(InvalidParameterError, match="belongs to another run"):
            Checkpoint(file, graph, {"seed": 1}).load()

    def test_damaged_checkpoint_is_refused(self, graph, tmp_path):
        file = tmp_path / "state.npz"
        file.write_bytes(b"not a checkpoint")
        with pytest.raises(UnreadableFileError, match="damaged"):
            Checkpoint(file, graph, {}).load()


class TestCache:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("KCES_CACHE", str(tmp_path))
        return tmp_path

    def test_second_call_reads_what_the_first_made(self, graph, monkeypatch):
        made = load_or_make(graph, "nettack", 1.0, 0) if len(_hubs(graph)) else load_or_make(graph, "dice", 0.1, 0)
        monkeypatch.setattr(cache, "_write", lambda *_: pytest.fail("made again"))
        again = load_or_make(graph, made.log["method"], made.log["budget"], 0)
        assert np.array_equal(again.graph.edges, made.graph.edges)
        assert again.log == made.log
        assert again.graph.name == made.graph.name
        assert (again.targets is None) == (made.targets is None)

    def test_seed_is_part_of_the_key_and_of_the_name(self, graph, folder):
        first, second = load_or_make(graph, "dice", 0.1, 0), load_or_make(graph, "dice", 0.1, 3)
        assert first.graph.name == f"{graph.name}@dice-0.1"
        assert second.graph.name == f"{graph.name}@dice-0.1#3"
        assert len(list((folder / "attacks").glob("*.npz"))) == 2

    def test_version_is_part_of_the_key(self, graph, folder, monkeypatch):
        load_or_make(graph, "dice", 0.1)
        monkeypatch.setattr(cache, "find_attack", lambda method: replace(ATTACKS[method], version=2))
        load_or_make(graph, "dice", 0.1)
        names = sorted(file.name for file in (folder / "attacks").glob("*.npz"))
        assert [name.endswith("-v2.npz") for name in names] == [True, False]

    def test_another_graph_of_the_same_name_is_not_confused(self, graph):
        other = replace(graph, labels=1 - np.minimum(graph.labels, 1))
        assert not np.array_equal(
            load_or_make(graph, "dice", 0.1).graph.edges, load_or_make(other, "dice", 0.1).graph.edges
        )

    def test_the_same_words_at_other_nodes_are_another_graph(self, graph, folder):
        words = sp.csr_array(np.eye(graph.n_nodes))
        here, there = replace(graph, features=words), replace(graph, features=sp.csr_array(words[::-1]))
        load_or_make(here, "dice", 0.1)
        load_or_make(there, "dice", 0.1)
        assert len(list((folder / "attacks").glob("*.npz"))) == 2

    def test_a_file_named_before_the_places_of_words_were_seen_is_still_read(self, graph, folder, monkeypatch):
        sparse = replace(graph, features=sp.csr_array(graph.features))
        with monkeypatch.context() as before:
            before.setattr(cache, "graph_fingerprint", cache.values_fingerprint)
            made = load_or_make(sparse, "dice", 0.1)
        monkeypatch.setattr(cache, "_write", lambda *_: pytest.fail("made again"))
        assert np.array_equal(load_or_make(sparse, "dice", 0.1).graph.edges, made.graph.edges)

    def test_damaged_file_is_made_again(self, graph, folder):
        made = load_or_make(graph, "dice", 0.1)
        (file,) = (folder / "attacks").glob("*.npz")
        file.write_bytes(b"PK\x03\x04 cut off")
        assert np.array_equal(load_or_make(graph, "dice", 0.1).graph.edges, made.graph.edges)

    def test_nothing_but_the_result_is_left(self, graph, folder):
        load_or_make(graph, "random", 0.1)
        assert len(list((folder / "attacks").iterdir())) == 1


def _hubs(graph: Graph) -> np.ndarray:
    return np.flatnonzero(np.diff(graph.adjacency.indptr)[graph.test] > 10)
