"""GraphML through NetworkX: all attributes are kept, and node attributes become features as NetworkX's do."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.errors import GraphWarning
from kces.graph import Graph
from kces.interop.edge_columns import plain_ids
from kces.interop.formats.base import Format, Request
from kces.interop.limits import damage_named
from kces.interop.networkx import MATRIX_MARK, NetworkXSource, from_networkx
from kces.interop.node_labels import LABEL_NAMES
from kces.interop.optional import require
from kces.interop.outputs import plain_name
from kces.interop.xml_guard import checked_elements

__all__ = ["ATTRIBUTE_PREFIX", "GRAPHML"]

ATTRIBUTE_PREFIX = "attr:"


def _networkx() -> Any:
    return require("networkx", extra="files", purpose="a GraphML file")


def _read(request: Request) -> tuple[Graph, Any]:
    path = request.path
    nx = _networkx()
    content = request.read()
    seen = checked_elements(content, path)
    if ports := seen.counts["port"]:
        warnings.warn(f"{path}: {ports} port(s) are neither read nor written", GraphWarning, stacklevel=2)
    if strangers := seen.ends - seen.nodes:
        said = f"edges name {len(strangers)} node(s) that are not declared, such as {min(strangers)[:80]!r}: added"
        warnings.warn(f"{path}: {said}", GraphWarning, stacklevel=2)
    with damage_named(path, "GraphML"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ports we have spoken
        G = nx.read_graphml(io.BytesIO(content))
    label = next((name for name in sorted(LABEL_NAMES) if _on_every_node(G, name)), None)
    graph = from_networkx(G, request.attributes, label, scale=request.scale)
    names = np.array([str(node) for node in G.nodes], dtype=object)
    return replace(graph, node_ids=plain_ids(names), name=plain_name(path).stem), G


def _on_every_node(G: Any, name: str) -> bool:
    return len(G) > 0 and all(name in attributes for _, attributes in G.nodes(data=True))


def _write_filtered(graph: Graph, payload: Any, kept: npt.NDArray[np.bool_], path: Path) -> None:
    _networkx().write_graphml_xml(NetworkXSource(payload).without(kept), path)


def _write_graph(graph: Graph, path: Path) -> None:
    """One attribute ``x0, x1, …`` per feature, GraphML has no lists, and a mark that says that they are a matrix."""
    G = _networkx().Graph(name=graph.name, **MATRIX_MARK)
    ids = graph.ids_of(np.arange(graph.n_nodes)).tolist()
    G.add_nodes_from(ids)
    if graph.has_features:
        for node, name in enumerate(ids):
            row = graph.features[[node]]
            values = row[0] if isinstance(row, np.ndarray) else row.toarray()[0]
            G.nodes[name].update({f"x{column}": float(value) for column, value in enumerate(values)})
    if graph.labels is not None:
        for name, label in zip(ids, graph.labels, strict=True):
            G.nodes[name]["label"] = int(label)
    G.add_edges_from((ids[source], ids[target]) for source, target in graph.edges)
    _networkx().write_graphml_xml(G, path)


GRAPHML = Format("graphml", (".graphml",), _read, _write_filtered, _write_graph, packs=True, has_attributes=True)
