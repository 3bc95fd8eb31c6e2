"""The automatic cut: near zero where nothing was planted, near the planted share where something was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kces.automatic_cut import (
    Symptoms,
    Yardstick,
    automatic_choice,
    choice_by_symptoms,
    read_symptoms,
    twice_the_noise,
    unrelated_pairs,
    unrelated_share,
)
from kces.cut import AlphaChoice
from kces.datasets.builtin import digits, synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.scorers import Scored, ScoreOptions, make_scorer


def yardstick_of(graph: Graph) -> Yardstick:
    return make_scorer(ScoreOptions()).score(graph).evidence.yardstick


def automatic_alpha(yardstick: Yardstick) -> float:
    return automatic_choice(yardstick).alpha


def planted_digits(share: float) -> tuple[float, float]:
    """True share of planted cross-class edges in the noisy digits graph, and the estimate of it."""
    graph = digits()
    generator = np.random.default_rng(0)
    pairs = np.sort(generator.integers(graph.n_nodes, size=(4 * graph.n_edges, 2)), axis=1)
    pairs = pairs[graph.labels[pairs[:, 0]] != graph.labels[pairs[:, 1]]]
    new = np.setdiff1d(pairs @ [graph.n_nodes, 1], graph.edges @ [graph.n_nodes, 1])
    new = generator.permutation(new)[: round(share * graph.n_edges)]
    keys = np.concatenate([graph.edges @ [graph.n_nodes, 1], new])
    noisy = graph.with_edges(np.stack([keys // graph.n_nodes, keys % graph.n_nodes], axis=1))
    found = yardstick_of(noisy)
    return len(new) / noisy.n_edges, unrelated_share(found.scores, found.random_scores)


def test_a_clean_graph_loses_little() -> None:
    _, estimate = planted_digits(0.0)
    assert estimate < 0.03


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_a_noisy_graph_loses_about_what_was_planted(share: float) -> None:
    planted, estimate = planted_digits(share)
    assert estimate == pytest.approx(planted, abs=0.06)


def test_the_plain_rule_cuts_twice_the_noise_but_never_above_half() -> None:
    unrelated = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    for noisy, expected in ((0, 0.0), (1, 0.2), (2, 0.4), (6, 0.5)):
        scores = np.array([2.0] * noisy + [1.0] * (10 - noisy))
        assert twice_the_noise(Yardstick(scores, unrelated)).alpha == pytest.approx(expected)


@pytest.mark.parametrize(("share", "verdict"), [(0.0, "clean"), (0.1, "noisy"), (0.3, "noisy")])
def test_the_verdict_estimate_and_interval_on_planted_noise(share: float, verdict: str) -> None:
    graph = inject_cross_class_edges(digits(), share)[0] if share else digits()
    choice = automatic_choice(yardstick_of(graph))
    planted = share / (1 + share)
    assert choice.verdict == verdict
    assert choice.noise == pytest.approx(planted, abs=0.05)
    assert choice.interval[0] <= choice.noise <= choice.interval[1]
    assert choice.alpha == pytest.approx(planted, abs=0.1)


@pytest.mark.parametrize("change", ["noise", "shuffled"])
def test_features_that_do_not_speak_of_links_are_not_judged(change: str) -> None:
    graph, generator = digits(), np.random.default_rng(0)
    features = (
        generator.standard_normal(graph.features.shape)
        if change == "noise"
        else graph.features[generator.permutation(graph.n_nodes)]
    )
    choice = automatic_choice(yardstick_of(replace(graph, features=features)))
    assert (choice.verdict, choice.alpha) == ("cannot judge", 0.0)


def test_noise_that_gathers_at_nodes_is_cut_deeper() -> None:
    """The same number of noisy edges, thrown at random and all at ten nodes."""
    graph, generator = digits(), np.random.default_rng(0)
    found = []
    for busy in (np.arange(graph.n_nodes), np.arange(10)):
        ends = np.stack([generator.choice(busy, 1200), generator.integers(graph.n_nodes, size=1200)], axis=1)
        ends = np.sort(ends[graph.labels[ends[:, 0]] != graph.labels[ends[:, 1]]], axis=1)
        both = np.unique(np.concatenate([graph.edges, ends]), axis=0)
        found.append(read_symptoms(yardstick_of(graph.with_edges(both))))
    assert found[0].gathering < 2 < found[1].gathering


def test_the_cut_stays_where_noise_gathers() -> None:
    """Twenty closed groups of eight strangers: each node of them is full of noise, the others have next to none."""
    graph, generator = digits(), np.random.default_rng(0)
    groups = [generator.choice(graph.n_nodes, 8, replace=False) for _ in range(20)]
    pairs = [[group[i], group[j]] for group in groups for i in range(8) for j in range(i)]
    both = np.unique(np.concatenate([graph.edges, np.sort(pairs, axis=1)]), axis=0)
    yardstick = yardstick_of(graph.with_edges(both))
    found, choice = read_symptoms(yardstick), automatic_choice(yardstick)
    assert choice.verdict == "noisy"
    assert choice.alpha == found.reach < 0.7 * found.noise * found.gathering


def test_one_ring_does_not_deepen_the_cut_everywhere() -> None:
    graph, generator = synthetic(n=2000, seed=0, homophily=0.97), np.random.default_rng(0)
    ring = generator.choice(graph.n_nodes, 25, replace=False)
    pairs = [[ring[i], ring[j]] for i in range(25) for j in range(i)]
    both = np.unique(np.concatenate([graph.edges, np.sort(pairs, axis=1)]), axis=0)
    before, after = (read_symptoms(yardstick_of(each)) for each in (graph, graph.with_edges(both)))
    assert after.gathering > 8 * before.gathering
    assert after.depth < 3 * before.depth


def test_an_edge_of_which_nothing_is_known_is_spared() -> None:
    """A node with neither features nor another link: its only edge looks unrelated, and stays."""
    graph, _ = inject_cross_class_edges(digits(), 0.3)
    features = graph.features.copy()
    leaf = graph.n_nodes
    edges = np.concatenate([graph.edges, [[0, leaf]]])
    with_leaf = Graph.from_edges(edges, np.vstack([features, np.zeros(features.shape[1])]), n_nodes=leaf + 1)
    scored = make_scorer(ScoreOptions()).score(with_leaf)
    edge = with_leaf.edges.tolist().index([0, leaf])
    cut = scored.cut()
    assert cut.n_removed > 0
    assert scored.scores[edge] > cut.threshold
    assert cut.kept[edge]


def test_without_features_nothing_is_cut_automatically() -> None:
    edges = synthetic(n=200, seed=0).edges
    assert automatic_alpha(yardstick_of(Graph.from_edges(edges, n_nodes=200))) == 0.0


def test_the_lower_of_two_groups_is_the_null() -> None:
    generator = np.random.default_rng(0)
    agreement = np.concatenate([generator.normal(0.9, 0.02, 4000), generator.normal(1.4, 0.05, 4000)])
    center, spread = unrelated_pairs(2.0 / agreement)
    assert center == pytest.approx(0.9, abs=0.005)
    assert spread == pytest.approx(0.02, abs=0.003)


def test_without_anything_to_compare_nothing_is_cut() -> None:
    assert automatic_alpha(Yardstick(np.array([1.0, 3.0]), np.array([]))) == 0.0


def test_equal_scores_do_not_fail() -> None:
    assert automatic_alpha(Yardstick(np.full(5, 2.0), np.full(9, 2.0))) == 0.0


def test_no_scores_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="no scores"):
        automatic_alpha(Yardstick(np.array([]), np.array([1.0, 2.0])))


@pytest.mark.parametrize(
    ("found", "alpha", "said"),
    [
        (Symptoms(0.08, 0.09, 1.02, 0.9, 1.02), 0.0816, "about 8.0% of the edges look like noise (8.0% to 9.0%)"),
        (Symptoms(0.08, 0.09, 1.4, 0.9, 1.4), 0.112, "gather at nodes (1.4 times chance), so the cut goes deeper"),
        (Symptoms(0.08, 0.09, 4.0, 0.9, 4.0), 0.32, "more sound edges go than noise; alpha 0.08 takes the noise alone"),
        (Symptoms(0.08, 0.09, 6.0, 0.9, 5.0, 0.1), 0.1, "gather at nodes (5.0 times chance), so the cut goes deeper"),
        (Symptoms(0.017, 0.02, 1.0, 0.9), 0.0, "(noise 0.5%, at most 2.0%)"),
        (Symptoms(0.02, 0.02, 26.0, 0.9), 0.0, "or these nodes are the trouble; look at them first"),
    ],
)
def test_a_cut_says_why_it_is_not_the_noise_that_was_estimated(found: Symptoms, alpha: float, said: str) -> None:
    choice = choice_by_symptoms(found)
    assert choice.alpha == pytest.approx(alpha)
    assert choice.reason.endswith(said)


def departments(count: int, planted: float) -> tuple[Graph, float]:
    """People who know others of their own department, its name their only feature; and links between departments."""
    generator = np.random.default_rng(0)
    people = np.repeat(np.arange(count), 40)
    pairs = np.sort(generator.integers(len(people), size=(200 * len(people), 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    within = people[pairs[:, 0]] == people[pairs[:, 1]]
    own = generator.permutation(pairs[within])[: 2 * len(people)]
    others = generator.permutation(pairs[~within])[: round(planted * len(own))]
    graph = Graph.from_edges(np.concatenate([own, others]), np.eye(count)[people])
    return graph, len(others) / graph.n_edges


@pytest.mark.parametrize("count", [10, 50, 150])
def test_links_between_categories_stand_apart(count: int) -> None:
    """They all agree a little more than the median random pair, and there is nothing between them and the others."""
    for planted in (0.0, 0.05, 0.15):
        graph, share = departments(count, planted)
        choice = automatic_choice(yardstick_of(graph))
        assert choice.verdict == ("noisy" if planted else "clean")
        assert choice.noise == pytest.approx(share, abs=0.03)


def test_weak_links_that_blend_into_the_others_do_not_stand_apart() -> None:
    noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    weak = np.linspace(0.98, 1.5, 200)
    assert read_symptoms(Yardstick(2.0 / weak, noise)).apart == 0.0
    assert read_symptoms(Yardstick(2.0 / np.r_[weak[:8], weak[50:]], noise)).apart == 1.0


def test_a_column_of_names_that_return_by_chance_hides_no_link() -> None:
    graph, share = departments(10, 0.1)
    names = np.eye(100)[np.random.default_rng(1).integers(100, size=graph.n_nodes)]
    scored = make_scorer(ScoreOptions()).score(replace(graph, features=np.hstack([graph.features, names])))
    department = graph.features.argmax(axis=1)[graph.edges]
    removed = ~scored.cut().kept
    assert scored.automatic.noise == pytest.approx(share, abs=0.03)
    assert (department[removed, 0] != department[removed, 1]).mean() > 0.95


@pytest.mark.parametrize(("most", "removed"), [(0.05, 3), (0.04, 0)])
def test_an_automatic_cut_takes_equal_scores_whole_as_far_as_the_noise_may_go(most: float, removed: int) -> None:
    graph = synthetic(n=40, degree=3, seed=0)
    scores = np.append(np.linspace(1.0, 1.5, graph.n_edges - 3), [9.0, 9.0, 9.0])
    choice = AlphaChoice(1.5 / graph.n_edges, "some noise", "noisy", 0.02, (0.0, most * 60 / graph.n_edges))
    cut = Scored(graph, scores, known_choice=choice).cut()
    assert cut.n_removed == removed
    assert (np.flatnonzero(~cut.kept) >= graph.n_edges - 3).all()


def test_a_clean_verdict_names_a_group_of_links_that_stands_apart() -> None:
    """Two departments that work together: their links agree more than random pairs, and are no secret."""
    random = 2.0 / np.random.default_rng(0).normal(0.85, 0.01, 2000)
    sound, between = np.linspace(1.8, 2.0, 800), np.linspace(1.2, 1.5, 60)
    choice = automatic_choice(Yardstick(2.0 / np.append(sound, between), random))
    assert choice.verdict == "clean"
    assert "; but 7.0% of the edges stand apart from all others" in choice.reason
    assert "stand apart" not in automatic_choice(Yardstick(2.0 / sound, random)).reason
