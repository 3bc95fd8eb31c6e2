"""The researcher: a defense and an attacked graph of one's own, beside the published ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from kces.datasets.attacked import AttackedGraph
from kces.datasets.builtin import synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.kernel import propagation
from kces.lab.defenses import Defense
from kces.lab.evaluation import evaluate, summarize

PLUGIN = '''
"""A defense that a package could register, in a file."""
import numpy as np
from kces.lab.defenses import Defense, register_defense

@register_defense("majority")
class Majority(Defense):
    """Every node gets the most frequent train class: a floor."""

    def search_space(self):
        return {}

    def fit(self, graph, seed=0):
        self.classes = np.full(graph.n_nodes, np.bincount(graph.labels[graph.train]).argmax())
        return self

    def predict(self):
        return self.classes
'''


class NearestTrainNode(Defense):
    """One's own idea, never registered anywhere: the class of the train node with the most alike smoothed features."""

    def search_space(self):
        return {}

    def fit(self, graph, seed=0):
        step = propagation(graph)
        rows = step @ (step @ graph.features)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.classes = graph.labels[graph.train][(rows @ rows[graph.train].T).argmax(axis=1)]
        return self

    def predict(self):
        return self.classes


def test_instances_beside_names_on_a_graph_of_ones_own():
    clean = synthetic(n=300, seed=0, homophily=0.95)
    noisy, _ = inject_cross_class_edges(clean, 0.5)
    rows = evaluate([AttackedGraph(noisy, clean)], [NearestTrainNode(), "gcn", "kces+gcn"], seeds=1, trials=1)
    found = summarize(rows).set_index("defense")["mean"]
    assert list(found.index) == ["NearestTrainNode", "gcn", "kces+gcn"]
    assert found["kces+gcn"] > found["gcn"]
    assert found["NearestTrainNode"] > 30


def test_a_plugin_file_on_the_command_line(tmp_path: Path, run_kces):
    plugin = tmp_path / "floor.py"
    plugin.write_text(PLUGIN)
    words = ["--plugin", plugin, "--defense", "majority,gcn", "--seeds", "1", "--trials", "1", "--json"]
    ran = run_kces("evaluate", "synthetic:n=120,seed=0", *words)
    assert ran.code == 0, ran.err
    accuracy = {row["defense"]: row["mean"] for row in json.loads(ran.out)["summary"]}
    assert accuracy["majority"] < accuracy["gcn"]
