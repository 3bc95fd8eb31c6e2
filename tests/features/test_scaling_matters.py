"""The reason for scaling: on a graph of people with an age, an income in cents and days as customer, it decides."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from kces import score_edges
from kces.features import prepare_features
from kces.graph import Graph


def people_and_links(n_nodes: int = 600, n_groups: int = 6) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Groups that differ in age, income and days, links within them, and one link in ten to anybody."""
    chance = np.random.default_rng(3)
    group = chance.integers(n_groups, size=n_nodes)
    age, income, days = (chance.permutation(n_groups) for _ in range(3))
    frame = pd.DataFrame(
        {
            "age": 25 + 8 * age[group] + chance.normal(0, 3, n_nodes),
            "income_cents": 1e6 * (2 + income[group]) + chance.normal(0, 4e5, n_nodes),
            "days": 300.0 * days[group] + chance.normal(0, 120, n_nodes),
        }
    )
    within = [chance.choice(np.flatnonzero(group == own), 4) for own in group]
    links = np.array([(node, friend) for node, friends in enumerate(within) for friend in friends])
    odd = chance.random(len(links)) < 0.1
    links[odd, 1] = chance.integers(n_nodes, size=int(odd.sum()))
    return frame, links, group


def test_scaled_columns_rank_odd_links_far_better():
    frame, links, group = people_and_links()
    auc = {}
    for scale in ("none", "auto"):
        prepared = prepare_features(frame, scale=scale)
        graph = Graph.from_edges(links, prepared.matrix, feature_names=prepared.names)
        across = group[graph.edges[:, 0]] != group[graph.edges[:, 1]]
        auc[scale] = roc_auc_score(across, score_edges(graph))
    assert auc["auto"] > 0.93
    assert auc["auto"] > auc["none"] + 0.05
