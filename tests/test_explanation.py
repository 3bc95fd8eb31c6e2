"""Reasons for an edge: numbers against the definition, names as the caller has them, words for people."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import kces
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path
from kces.errors import GraphWarning, InvalidParameterError
from kces.explanation import explain_edge, find_node
from kces.graph import Graph
from kces.scorers.feature_spaces import centered_space
from kces.scorers.link_cosines import leave_edge_out_cosines


@pytest.fixture(scope="module")
def people() -> Graph:
    graph = barbell()
    return replace(
        graph, node_ids=np.array([f"person {letter}" for letter in "abcdefghij"]), feature_names=("age", "income")
    )


def test_readings_are_the_views_without_and_with_the_edge() -> None:
    graph = synthetic(n=120, seed=3)
    scored = kces.score(graph)
    readings = explain_edge(scored, scored.cut(0.1), *graph.edges[7]).grounds.readings
    rows = centered_space(graph)
    without, linked = (
        leave_edge_out_cosines(graph, rows, graph.edges[[7]], leave_out=flag)[0] for flag in (True, False)
    )
    np.testing.assert_allclose([reading.without_edge for reading in readings[:4]], without, atol=1e-6)
    np.testing.assert_allclose([reading.with_edge for reading in readings[:4]], linked, atol=1e-6)
    assert sum(reading.weight for reading in readings) == pytest.approx(1.0)


def test_percentiles_count_links_and_random_pairs_below() -> None:
    graph = synthetic(n=120, seed=3)
    scored = kces.score(graph)
    reading = explain_edge(scored, scored.cut(0.1), *graph.edges[7]).grounds.readings[0]
    evidence = scored.evidence
    own = evidence.edge_views[7, 0]
    others = evidence.edge_views[:, 0]
    assert reading.above_links == pytest.approx(100 * (np.mean(others < own) + np.mean(others == own) / 2))
    assert reading.above_random == pytest.approx(100 * np.mean(evidence.random_views[:, 0] < own))


def test_the_bridge_in_words(people: Graph) -> None:
    explanation = kces.explain(people, "person f", "person e", alpha=0.04)
    text = str(explanation).splitlines()
    assert text[0].startswith("person f - person e: suspicious, rank 1 of 21 (score ")
    assert any(line.startswith("Neighbors: 0 shared; 4 only of person f (person g, ") for line in text)
    assert text[-1].startswith("Features that speak against it: ")
    assert text[-1].endswith("age 0.2476 against 1.12765, income 1.10146 against 0.287078.")


def test_shared_neighbors_are_named(people: Graph) -> None:
    neighbors = kces.explain(people, "person a", "person b").neighbors
    assert neighbors.shared_names == ("person c", "person d", "person e")
    assert (neighbors.only_source, neighbors.only_target) == (0, 0)


def test_numbers_go_through_json(people: Graph) -> None:
    for preset in ("robust", "paper"):
        found = json.loads(json.dumps(kces.explain(people, "person a", "person b", preset=preset).to_dict()))
        assert found["source"] == "person a"
        assert found["text"].startswith("person a - person b: not suspicious")


def test_paper_tells_pseudo_labels_and_change() -> None:
    graph = barbell()
    explanation = kces.explain(graph, 4, 5, preset="paper", labels="given")
    assert explanation.grounds.pseudo_labels == (0, 1)
    assert abs(explanation.grounds.change) == explanation.score
    assert "joins pseudo classes 0 and 1" in str(explanation).lower()


def test_without_features_only_the_neighborhoods_testify() -> None:
    graph = Graph.from_edges(synthetic(n=100, seed=0, degree=12).edges, n_nodes=100)
    grounds = kces.explain(graph, *graph.edges[0].tolist()).grounds
    assert [reading.view for reading in grounds.readings if reading.weight > 0] == ["the two neighborhoods"]
    assert grounds.features_for == grounds.features_against == ()


def test_a_node_that_is_not_there_gets_a_suggestion(people: Graph) -> None:
    with pytest.raises(InvalidParameterError, match="no node persn a; did you mean person a"):
        kces.explain(people, "persn a", "person b")
    with pytest.raises(InvalidParameterError, match="has no node 77"):
        find_node(path(3), 77)


def test_a_pair_that_is_no_edge_is_refused(people: Graph) -> None:
    with pytest.raises(InvalidParameterError, match="person a and person j are not linked in barbell"):
        kces.explain(people, "person a", "person j")


def test_scores_of_the_caller_have_no_reasons() -> None:
    graph = barbell()
    scored = kces.scorers.Scored(graph, np.arange(graph.n_edges, dtype=float))
    assert set(scored.reasons()) == {""}
    with pytest.raises(InvalidParameterError, match="without evidence"):
        explain_edge(scored, scored.cut(0.1), 0, 1)


def test_every_edge_has_a_reason_that_fits_its_side() -> None:
    graph = synthetic(n=300, seed=2)
    scored = kces.score(graph)
    reasons = scored.reasons()
    order = np.argsort(-scored.scores)
    assert all("less alike" in reasons[edge] for edge in order[:20])
    assert all("more alike" in reasons[edge] for edge in order[-20:])


def test_a_leaf_says_that_nothing_else_testifies() -> None:
    graph = path(5)
    reasons = kces.score(graph).reasons()
    assert reasons[0].endswith("an end has no other link to testify")
    assert not reasons[1].endswith("testify")


def test_edges_that_are_all_alike_have_no_reason() -> None:
    ring = Graph.from_edges([[i, (i + 1) % 6] for i in range(6)])
    assert set(kces.score(ring).reasons()) == {"no view tells it from the other links"}


def _two_clubs() -> tuple[pd.DataFrame, pd.DataFrame]:
    clubs = {club: [f"{club}{i}" for i in range(6)] for club in "ab"}
    links = [(one, other) for names in clubs.values() for one, other in combinations(names, 2)] + [("a0", "b0")]
    people = [
        {"id": name, "age": 30 + number, "income": f"€{income + number}", "city": city}
        for club, income, city in (("a", 1200, "Oslo"), ("b", 98000, "Rome"))
        for number, name in enumerate(clubs[club])
    ]
    return pd.DataFrame(links, columns=["source", "target"]), pd.DataFrame(people)


def test_features_are_told_as_the_table_has_them_each_column_once() -> None:
    explanation = kces.explain(_two_clubs(), "a0", "b0", alpha=0.04)
    against = {feature.name: feature for feature in explanation.grounds.features_against}
    assert set(against) == {"income", "city"}
    assert (against["income"].source_value, against["income"].target_value) == ("€1200", "€98000")
    assert "income €1200 against €98000" in str(explanation)
    assert "city Oslo against Rome" in str(explanation)
    assert "age 30 on both sides" in str(explanation)
    assert json.loads(json.dumps(explanation.to_dict()))["grounds"]["features_for"][0]["name"] == "age"


def test_values_stand_in_the_order_in_which_the_ends_are_named() -> None:
    for ends, incomes in ((("a0", "b0"), ("€1200", "€98000")), (("b0", "a0"), ("€98000", "€1200"))):
        explanation = kces.explain(_two_clubs(), *ends)
        assert (explanation.source, explanation.target) == ends
        income = next(each for each in explanation.grounds.features_against if each.name == "income")
        assert (income.source_value, income.target_value) == incomes
    graph = barbell()
    for ends in ((4, 5), (5, 4)):
        labels = kces.explain(graph, *ends, preset="paper", labels="given").grounds.pseudo_labels
        assert labels == tuple(graph.labels[list(ends)])


def test_a_lone_column_is_named_once_in_the_reason() -> None:
    links, people = _two_clubs()
    table = kces.rank_edges((links, people[["id", "income"]]))
    assert table.loc[0, "why"].endswith("; they differ in income")
    for word in ("(level)", "income,"):
        assert not table["why"].str.contains(word, regex=False).any()


def test_missing_values_speak_neither_for_a_link_nor_against_it() -> None:
    links, people = _two_clubs()
    explanation = kces.explain((links, people.replace({"income": {"€1200": ""}})[:-1]), "a0", "b0")
    assert "income" in str(kces.explain((links, people[:-1]), "a0", "b0"))
    assert "income" not in str(explanation)
    assert "row in the table" not in str(explanation) or "row in the table yes on both sides" in str(explanation)


def test_near_values_never_speak_against_an_edge_and_far_ones_never_for_it() -> None:
    """On either side of the mean by a hair is no difference; both above it, one by a year and one by thirty, is one."""
    generator = np.random.default_rng(0)
    ages = np.concatenate([generator.normal(40, 12, 198), [39.0, 41.0]]).clip(18)
    income = np.concatenate([generator.lognormal(10, 1, 198), [25e3, 250e3]])
    pairs = np.vstack([generator.integers(0, 198, (600, 2)), [[198, 199]]])
    people = pd.DataFrame({"name": [f"p{n}" for n in range(200)], "age": ages, "income": income})
    links = pd.DataFrame({"source": [f"p{a}" for a, _ in pairs], "target": [f"p{b}" for _, b in pairs]})
    with pytest.warns(GraphWarning):
        grounds = kces.explain((links, people), "p198", "p199").grounds
    assert "age" not in [feature.name for feature in grounds.features_against]
    assert "income" not in [feature.name for feature in grounds.features_for]
