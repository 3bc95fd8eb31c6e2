"""What this package offers by name, and where it lives. Nothing is imported until it is asked for.

The registries are made of these tables, and the shell completes words from them: a new engine, format, attack or
defense is a file of its own and a line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

__all__ = [
    "ATTACKS",
    "BUILTIN_GRAPHS",
    "CLUSTERINGS",
    "DATASETS",
    "ENCODINGS",
    "ENGINES",
    "FORMATS",
    "MODELS",
    "PER_TARGET",
    "PURIFIERS",
    "SCORERS",
    "SHARE_OF_EDGES",
    "OfferedAttack",
    "load_target",
]


def load_target(target: str) -> Any:
    """What ``module:name`` names.

    >>> load_target("kces.errors:KCESError").__name__
    'KCESError'
    """
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


SCORERS = {
    "robust": "kces.scorers.robust:RobustScorer",
    "paper": "kces.scorers.paper:PaperScorer",
}

ENGINES = {
    "exact": "kces.engines.exact:ExactEngine",
    "local": "kces.engines.local:LocalEngine",
    "gradient": "kces.engines.gradient:GradientEngine",
    "subgraph": "kces.engines.subgraph:SubgraphEngine",
    "montecarlo": "kces.engines.subgraph:MonteCarloEngine",
}

CLUSTERINGS = ("kmeans", "gmm", "spectral")
ENCODINGS = ("linear", "onehot")

FORMATS = {
    "npz": "kces.interop.formats.npz:NPZ",
    "csv": "kces.interop.formats.edge_list:CSV",
    "tsv": "kces.interop.formats.edge_list:TSV",
    "edges": "kces.interop.formats.edge_list:EDGES",
    "json": "kces.interop.formats.json_edges:JSON",
    "jsonl": "kces.interop.formats.json_edges:JSONL",
    "parquet": "kces.interop.formats.parquet:PARQUET",
    "graphml": "kces.interop.formats.graphml:GRAPHML",
    "pt": "kces.interop.formats.pt:PT",
    "kces": "kces.interop.formats.kces_folder:KCES_FOLDER",
}

BUILTIN_GRAPHS = {
    "digits": "5-nearest-neighbor graph of scikit-learn's handwritten digits (1,797 nodes, 10 classes)",
    "synthetic": "degree-corrected block model, e.g. synthetic:n=2000,seed=0 "
    "(also classes=, degree=, homophily=, features=, signal=)",
}
"""Graphs made on the spot (``datasets/builtin.py``), and a line about each."""

DATASETS = {
    "cora": "citations, machine learning",
    "citeseer": "citations, computer science",
    "cora_ml": "citations, machine learning, other sample",
    "polblogs": "links between political blogs, no features",
    "pubmed": "citations, diabetes papers",
    "flickr": "users of a photo site, the small graph",
    "coauthor_physics": "authors of physics papers",
    "ogbn-arxiv": "citations, computer science",
    "texas": "web pages of a university",
    "wisconsin": "web pages of a university",
    "cornell": "web pages of a university",
    "actor": "actors named on one page",
    "chameleon_filtered": "Wikipedia pages, duplicates removed",
    "squirrel_filtered": "Wikipedia pages, duplicates removed",
}
"""A line about each data set; ``datasets/catalog.py`` knows its files and how to read them."""


class OfferedAttack(NamedTuple):
    """Where an attack lives, what its budget counts, what the attacker is assumed to see, and which version it is.

    Raise the version when a change of an attack changes what it makes: graphs of the earlier one are then made anew.
    """

    target: str
    budget_unit: str
    knows: str
    version: int = 1


SHARE_OF_EDGES = "share of edges"
PER_TARGET = "perturbations per target"
_SURROGATE = "structure, features, labels of the train nodes; its own predictions elsewhere"

ATTACKS = {
    "random": OfferedAttack("kces.lab.attacks.random_flips:random_flips", SHARE_OF_EDGES, "structure"),
    "dice": OfferedAttack("kces.lab.attacks.dice:dice", SHARE_OF_EDGES, "structure and all labels"),
    "metattack": OfferedAttack("kces.lab.attacks.metattack:metattack", SHARE_OF_EDGES, _SURROGATE),
    "metattack-approx": OfferedAttack("kces.lab.attacks.metattack:metattack_approx", SHARE_OF_EDGES, _SURROGATE),
    "minmax": OfferedAttack("kces.lab.attacks.minmax:minmax", SHARE_OF_EDGES, _SURROGATE),
    "prbcd": OfferedAttack("kces.lab.attacks.prbcd:prbcd", SHARE_OF_EDGES, _SURROGATE),
    "lrbcd": OfferedAttack("kces.lab.attacks.prbcd:lrbcd", SHARE_OF_EDGES, _SURROGATE),
    "adaptive-kces": OfferedAttack(
        "kces.lab.attacks.adaptive:adaptive_kces", SHARE_OF_EDGES, _SURROGATE + "; the defense and its settings"
    ),
    "adaptive-robust": OfferedAttack(
        "kces.lab.attacks.adaptive_robust:adaptive_robust",
        SHARE_OF_EDGES,
        _SURROGATE + "; the defense and its settings",
    ),
    "nettack": OfferedAttack(
        "kces.lab.attacks.nettack:nettack", PER_TARGET, _SURROGATE + ", and the labels of the targets"
    ),
}

MODELS = {
    "mlp": "kces.lab.defenses.mlp:MLP",
    "gcn": "kces.lab.defenses.gcn:GCN",
    "gat": "kces.lab.defenses.gat:GAT",
    "rgcn": "kces.lab.defenses.rgcn:RGCN",
    "gnnguard": "kces.lab.defenses.gnnguard:GNNGuard",
    "airgnn": "kces.lab.defenses.airgnn:AirGNN",
    "noisegnn": "kces.lab.defenses.noisegnn:NoiseGNN",
    "prognn": "kces.lab.defenses.prognn:ProGNN",
}
"""Defenses that are trained."""

PURIFIERS = {
    "jaccard": "kces.lab.defenses.jaccard:Jaccard",
    "svd": "kces.lab.defenses.svd:SVD",
    "gpr-gae": "kces.lab.defenses.gprgae:GPRGAE",
    "kces": "kces.lab.defenses.edge_sanitization:KCESRobust",
    "kces-validated": "kces.lab.defenses.edge_sanitization:KCESValidated",
    "kces-paper": "kces.lab.defenses.edge_sanitization:KCESPaper",
    "cosine": "kces.lab.defenses.cosine:Cosine",
    "oracle": "kces.lab.defenses.oracle:Oracle",
}
"""Defenses that change the graph before a model is trained on it."""
