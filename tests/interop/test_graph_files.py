"""The dispatcher: choosing formats, converting, and round trips of random graphs through every format."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kces.errors import InvalidParameterError, MissingDependencyError, OutputError, UnreadableFileError
from kces.graph import Graph
from kces.interop import read_graph, write_graph
from kces.interop.formats import FORMATS
from kces.interop.optional import require

NEEDS = {"parquet": "pyarrow", "graphml": "networkx", "pt": "torch_geometric"}
AVAILABLE = [name for name in FORMATS if importlib.util.find_spec(NEEDS.get(name, "numpy"))]
WITH_FEATURES = {"npz", "graphml", "pt"}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Connected enough that every node has an edge, so that an edge list can name them all."""
    n_nodes = draw(st.integers(2, 12))
    backbone = [(draw(st.integers(0, node - 1)), node) for node in range(1, n_nodes)]
    node = st.integers(0, n_nodes - 1)
    extra = draw(st.lists(st.tuples(node, node), max_size=20))
    edges = sorted({(min(pair), max(pair)) for pair in [*backbone, *extra] if pair[0] != pair[1]})
    value = st.floats(-100, 100, width=32)
    row = st.lists(value, min_size=2, max_size=2)
    features = draw(st.lists(row, min_size=n_nodes, max_size=n_nodes))
    labels = draw(st.none() | st.lists(st.integers(0, 3), min_size=n_nodes, max_size=n_nodes))
    name = st.text("abcXYZ _é,\"'", min_size=1, max_size=6).map(str.strip).filter(bool)
    names = st.lists(name, min_size=n_nodes, max_size=n_nodes, unique=True)
    return Graph.from_edges(edges, features, labels=labels, node_ids=draw(st.none() | names))


@pytest.mark.parametrize("name", AVAILABLE)
@settings(max_examples=25, deadline=None)
@given(graph=graphs(), data=st.data())
def test_random_graphs_survive_a_round_trip_and_a_sanitization(name, graph, data):
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=graph.n_edges, max_size=graph.n_edges)))
    with tempfile.TemporaryDirectory() as folder:
        path, out = (Path(folder) / f"{stem}{FORMATS[name].extensions[0]}" for stem in ("g", "out"))
        write_graph(graph, path)
        loaded = read_graph(path)
        assert named_edges(loaded.graph) == named_edges(graph)
        if name in WITH_FEATURES:
            assert np.array_equal(loaded.graph.features, graph.features)
            assert (loaded.graph.labels is None) == (graph.labels is None)
        # Nodes of an edge list are numbered as they come: translate the mask by name.
        dropped = named_edges(graph) - named_edges(graph.keep_edges(kept))
        mask = np.array([pair not in dropped for pair in edge_names(loaded.graph)])
        loaded.write(out, mask)
        if kept.any():
            assert named_edges(read_graph(out).graph) == named_edges(graph.keep_edges(kept))


def edge_names(graph: Graph) -> list[frozenset[str]]:
    names = graph.ids_of(np.arange(graph.n_nodes))
    return [frozenset((str(names[i]), str(names[j]))) for i, j in graph.edges]


def named_edges(graph: Graph) -> set[frozenset[str]]:
    return set(edge_names(graph))


@pytest.mark.parametrize("target", [name for name in AVAILABLE if name != "csv"])
def test_another_extension_or_format_converts(text, tmp_path, target):
    loaded = read_graph(text("g.csv", "source,target,since\na,b,1\nb,c,2\n"))
    out = tmp_path / f"out{FORMATS[target].extensions[0]}"
    loaded.write(out, [True, False])
    assert named_edges(read_graph(out).graph) == {frozenset("ab")}
    loaded.write(tmp_path / "other.dat", [True, False], format=target)
    assert named_edges(read_graph(tmp_path / "other.dat", format=target).graph) == {frozenset("ab")}


@pytest.mark.parametrize("name", ["out.cleaned", "out", "out.npz.gz"])
def test_an_unknown_extension_is_refused_unless_the_format_is_named(text, tmp_path, refused, name):
    loaded = read_graph(text("g.csv", "a,b,1\nb,c,2\n"))
    reason = refused(lambda: loaded.write(tmp_path / name, [True, False]), error=InvalidParameterError)
    assert "known extensions are .npz, .csv" in reason
    assert not (tmp_path / name).exists()


def test_output_is_replaced_only_when_forced_even_onto_the_input(text, refused):
    path = text("g.csv", "a,b\nb,c\n")
    loaded = read_graph(path)
    assert "exists" in refused(lambda: loaded.write(path, [True, False]), error=OutputError)
    assert path.read_text() == "a,b\nb,c\n"
    loaded.write(path, [True, False], force=True)
    assert path.read_text() == "a,b\n"
    assert "does not exist" in refused(lambda: loaded.write(path.parent / "no" / "g.csv", [True, False]))


def test_a_wrong_mask_writes_nothing(text, tmp_path, refused):
    loaded = read_graph(text("g.csv", "a,b\nb,c\n"))
    assert "mask over the 2 edges" in refused(lambda: loaded.write(tmp_path / "o.csv", [True]))
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("name", AVAILABLE)
def test_missing_empty_and_foreign_files_are_refused(tmp_path, refused, name):
    extension = FORMATS[name].extensions[0]
    path = tmp_path / f"g{extension}"
    assert "does not exist" in refused(lambda: read_graph(path), error=UnreadableFileError)
    path.write_bytes(b"")
    assert "is empty" in refused(lambda: read_graph(path), error=UnreadableFileError)
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe")
    assert str(path) in refused(lambda: read_graph(path), error=UnreadableFileError)
    path.unlink()
    path.mkdir()
    assert "is a folder" in refused(lambda: read_graph(path), error=UnreadableFileError)


def test_unknown_formats_are_refused(text, path_graph, tmp_path, refused):
    assert "known extensions" in refused(lambda: read_graph(text("g.xyz", "a")), error=UnreadableFileError)
    reason = refused(lambda: read_graph(text("g.csv", "a,b"), format="xls"), error=InvalidParameterError)
    assert "choose one of npz, csv" in reason
    reason = refused(lambda: write_graph(path_graph, tmp_path / "g.xls"), error=InvalidParameterError)
    assert "cannot tell the format" in reason


def test_a_missing_package_is_named_with_its_extra(refused):
    reason = refused(
        lambda: require("no_such_package.part", extra="files", purpose="a Parquet file"),
        error=MissingDependencyError,
    )
    expected = "a Parquet file needs no_such_package, which is not installed"
    assert reason.startswith(expected)
    assert "[files]" in reason


def test_the_doors_open_without_the_optional_packages(tmp_path):
    """Edge lists and npz work where torch, NetworkX and pyarrow cannot be imported; the rest says what to install."""
    script = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torch_geometric", "networkx", "pyarrow"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from kces.graph import Graph
from kces.interop import read_graph, write_graph
graph = Graph.from_edges([[0, 1], [1, 2]])
for extension in ("csv", "npz"):
    write_graph(graph, "{tmp_path}/g." + extension)
    assert read_graph("{tmp_path}/g." + extension).graph.n_edges == 2
for extension, extra in (("pt", "pyg"), ("graphml", "files"), ("parquet", "files")):
    try:
        write_graph(graph, "{tmp_path}/g." + extension)
    except ImportError as error:
        assert f"[{{extra}}]" in str(error), error
    else:
        raise SystemExit(f"{{extension}} needs no package?")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.csv", "g.npz"]
