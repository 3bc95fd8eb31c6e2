"""Graphs by name, from files that are downloaded once, checked and kept.

>>> from kces import datasets
>>> datasets.load("synthetic:n=200,seed=1").n_nodes
200
"""

from kces.datasets.catalog import DATASETS, LoadRequest, register_dataset
from kces.datasets.loading import fetch, files_needed, load, load_attacked
from kces.datasets.names import GraphName, parse_name
from kces.datasets.published import is_published, published_attacks
from kces.datasets.roots import cache_folder, data_root
from kces.datasets.summary import edge_homophily, graph_facts

__all__ = [
    "DATASETS",
    "GraphName",
    "LoadRequest",
    "cache_folder",
    "data_root",
    "edge_homophily",
    "fetch",
    "files_needed",
    "graph_facts",
    "is_published",
    "load",
    "load_attacked",
    "parse_name",
    "published_attacks",
    "register_dataset",
]
