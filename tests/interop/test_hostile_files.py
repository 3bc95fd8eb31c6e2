"""Crafted files that once gave a traceback, hung or filled the memory: each has an answer in one line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces.errors import GraphWarning, InvalidGraphError, MemoryLimitError, UnreadableFileError
from kces.graph import Graph
from kces.interop import read_graph
from kces.interop.arrays import Members, npy_bytes
from kces.interop.node_table import read_node_table
from kces.interop.text_table import MAX_COLUMNS
from kces.memory import peak_memory

RING = sp.csr_array(np.roll(np.eye(5), 1, axis=1) + np.roll(np.eye(5), -1, axis=1))
MEGABYTE = 2**20


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, raw in members.items():
            file.writestr(f"{name}.npy", raw)
    return path


def ring_members(**changes: bytes) -> dict[str, bytes]:
    parts = {"data": RING.data, "indices": RING.indices, "indptr": RING.indptr, "shape": np.array(RING.shape)}
    return {f"adj_{name}": npy_bytes(part) for name, part in parts.items()} | changes


def header(descr: str, shape: str, size: int) -> bytes:
    """An .npy file whose header says anything, with ``size`` zero bytes behind it."""
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(size)


@pytest.mark.parametrize("dtype", ["<f2", ">f8", ">f4", ">i2", "<u8", "<f16"])
def test_weights_of_any_number_type_are_read_and_come_back(tmp_path, dtype):
    path = archive(tmp_path / "g.npz", ring_members(adj_data=npy_bytes(RING.data.astype(dtype))))
    loaded = read_graph(path)
    assert loaded.graph.n_edges == 5
    loaded.write(tmp_path / "out.npz", np.arange(5) > 0)
    with np.load(tmp_path / "out.npz") as result:
        assert (result["adj_data"].dtype, len(result["adj_data"])) == (np.dtype(dtype), 8)


def test_swapped_indices_and_features_are_read(tmp_path):
    features = np.arange(10.0).reshape(5, 2).astype(">f4")
    swapped = {"adj_indices": npy_bytes(RING.indices.astype(">i8")), "attr_matrix": npy_bytes(features)}
    graph = read_graph(archive(tmp_path / "g.npz", ring_members(**swapped))).graph
    assert graph.features.tolist() == features.tolist()
    assert graph.features.dtype == np.dtype("=f8")


@pytest.mark.parametrize(
    ("descr", "shape", "size", "reason"),
    [
        ("|V0", "(3,)", 0, "items of no size"),
        ("<U0", "(10**9,)", 0, "not a readable"),
        ("<U0", "(1000000000,)", 0, "items of no size"),
        ("<f8", "(True, 3)", 24, "shape (True, 3)"),
        ("<f8", "(False,)", 0, "shape (False,)"),
        ("<f8", "(-1, -3)", 24, "shape (-1, -3)"),
        ("<f8", "(1000000000000, 1000)", 8, "does not match its size"),
    ],
)
def test_headers_that_declare_nonsense(tmp_path, refused, descr, shape, size, reason):
    raw = header(descr, shape, size)
    (tmp_path / "x.npy").write_bytes(raw)
    assert reason in refused(lambda: read_node_table(tmp_path / "x.npy"), error=UnreadableFileError)
    for member in ("adj_data", "adj_shape", "attr_matrix", "labels"):
        path = archive(tmp_path / "g.npz", ring_members(**{member: raw}))
        assert reason in refused(lambda path=path: read_graph(path), error=UnreadableFileError)


@pytest.mark.parametrize("member", ["adj_data", "adj_indices", "adj_indptr", "adj_shape", "format"])
def test_a_bomb_that_does_not_fit_the_other_arrays_is_never_inflated(tmp_path, refused, monkeypatch, member):
    members = ring_members(**{member: npy_bytes(np.zeros(MEGABYTE))})
    if member == "format":
        members = {name.removeprefix("adj_"): raw for name, raw in members.items()}
    path = archive(tmp_path / "g.npz", members)
    inflated = []
    inflate = Members.__getitem__
    monkeypatch.setattr(Members, "__getitem__", lambda self, name: inflated.append(name) or inflate(self, name))
    refused(lambda: read_graph(path), error=UnreadableFileError)
    assert member not in inflated


@pytest.mark.parametrize("member", ["attr_matrix", "labels", "node_ids", "idx_train"])
def test_an_array_of_more_rows_than_nodes_is_never_inflated(tmp_path, refused, monkeypatch, member):
    path = archive(tmp_path / "g.npz", ring_members(**{member: npy_bytes(np.zeros(MEGABYTE, dtype=np.int8))}))
    inflated = []
    inflate = Members.__getitem__
    monkeypatch.setattr(Members, "__getitem__", lambda self, name: inflated.append(name) or inflate(self, name))
    said = refused(lambda: read_graph(path), error=UnreadableFileError)
    assert f"array {member} of {path} has 1048576 rows, but the graph has 5 nodes" in said
    assert member not in inflated


def test_a_matrix_of_very_many_rows_is_refused_before_they_are_named(tmp_path, refused, monkeypatch, text):
    archive(tmp_path / "x.npz", {"x": npy_bytes(np.zeros(MEGABYTE, dtype=np.int8))})
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(64 * MEGABYTE))
    reason = refused(
        lambda: read_graph(text("e.csv", "0,1\n1,2\n"), features=tmp_path / "x.npz"), error=MemoryLimitError
    )
    assert "1048576 rows needs 400.0 MiB" in reason


def test_a_bomb_beside_the_graph_is_only_carried_along(tmp_path, monkeypatch):
    path = archive(tmp_path / "g.npz", ring_members(notes=npy_bytes(np.zeros(8 * MEGABYTE))))
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(4 * MEGABYTE))
    assert read_graph(path).graph.n_edges == 5


def test_sound_arrays_that_unfold_beyond_memory_are_refused_first(tmp_path, refused, monkeypatch):
    zeros = npy_bytes(np.zeros(MEGABYTE, dtype=np.int32))
    pointer = npy_bytes(np.array([0, 0, 0, 0, 0, MEGABYTE]))
    path = archive(tmp_path / "g.npz", ring_members(adj_data=zeros, adj_indices=zeros, adj_indptr=pointer))
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(20 * MEGABYTE))
    assert "60.0 MiB of memory" in refused(lambda: read_graph(path), error=MemoryLimitError)


def test_an_endless_header_is_not_followed(tmp_path, refused):
    raw = b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + b" " * MEGABYTE
    path = archive(tmp_path / "g.npz", ring_members(adj_data=raw))
    assert "not a readable numpy array" in refused(lambda: read_graph(path), error=UnreadableFileError)


def test_a_text_table_of_very_many_columns_is_refused_before_it_is_parsed(tmp_path, refused, text):
    wide = text("x.csv", "\n".join(f"{node}" + ",1" * 100_000 for node in range(3)))
    reason = refused(lambda: read_node_table(wide), error=UnreadableFileError)
    assert f"100001 columns; a table of text may have {MAX_COLUMNS}" in reason


def test_features_of_a_million_columns_are_read(tmp_path, text):
    edges = text("e.csv", "0,1\n1,2\n")
    columns = 2**20 + 1
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(([1.0, 2.0, 3.0], ([0, 1, 2], [0, 7, 2**20])), shape=(3, columns)))
    np.save(tmp_path / "x.npy", np.ones((3, columns), dtype=np.int8))
    for name in ("x.npz", "x.npy"):
        assert read_graph(edges, features=tmp_path / name).graph.n_features == columns


def test_a_node_number_without_end_is_refused_with_the_amount(refused, monkeypatch):
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(2**30))
    reason = refused(lambda: Graph.from_edges([[0, 10**8]]), error=MemoryLimitError)
    assert "100000001 nodes needs 4.7 GiB" in reason


def test_a_pt_file_that_names_a_far_node_is_refused_with_the_amount(tmp_path, refused, monkeypatch):
    torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
    pytest.importorskip("torch_geometric", reason="needs the extra kces[pyg]")
    torch.save({"edge_index": torch.tensor([[0, 1], [1, 10**8]])}, tmp_path / "g.pt")
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(2**30))
    assert "100000001 nodes" in refused(lambda: read_graph(tmp_path / "g.pt"), error=MemoryLimitError)


class TestParquet:
    @pytest.fixture
    def saved(self, tmp_path):
        pa = pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
        parquet = pytest.importorskip("pyarrow.parquet")

        def write(sources: object, targets: object) -> Path:
            parquet.write_table(pa.table({"u": sources, "v": targets}), tmp_path / "g.parquet")
            return tmp_path / "g.parquet"

        return write

    def test_run_lengths_are_counted_before_they_unfold(self, saved, refused, monkeypatch):
        path = saved(np.zeros(500_000, dtype=np.int64), np.ones(500_000, dtype=np.int64))
        assert path.stat().st_size < 100_000
        monkeypatch.setenv("KCES_MEMORY_LIMIT", str(64 * MEGABYTE))
        assert "reading" in refused(lambda: read_graph(path), error=MemoryLimitError)

    def test_long_text_is_measured_before_it_unfolds(self, saved, refused, monkeypatch):
        path = saved(["a" * 100_000] * 2_000, ["b"] * 2_000)
        assert path.stat().st_size < 100_000
        monkeypatch.setenv("KCES_MEMORY_LIMIT", str(64 * MEGABYTE))
        before = peak_memory()
        assert "unfolding the text" in refused(lambda: read_graph(path), error=MemoryLimitError)
        assert peak_memory() - before < 64 * MEGABYTE

    def test_text_comes_back_as_it_was(self, saved, tmp_path):
        loaded = read_graph(saved(["ann", "bob", "ann"], ["bob", "cy", "cy"]))
        loaded.write(tmp_path / "out.parquet", [False, True, True])
        again = read_graph(tmp_path / "out.parquet")
        assert again.graph.n_edges == 2
        assert str(again.payload.table.schema.field("u").type) == "string"


class TestGraphml:
    @pytest.fixture
    def graphml(self, tmp_path):
        pytest.importorskip("networkx", reason="needs the extra kces[files]")

        def write(body: str, *, before: str = "", keys: str = "", encoding: str = "utf-8") -> Path:
            text = (
                f'<?xml version="1.0" encoding="{encoding}"?>{before}'
                f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}{body}</graphml>'
            )
            (tmp_path / "g.graphml").write_bytes(text.encode(encoding))
            return tmp_path / "g.graphml"

        return write

    NODES = '<node id="a"/><node id="b"/>'
    EDGE = '<edge source="a" target="b"/>'

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
    def test_entities_are_refused_in_every_encoding(self, graphml, refused, encoding):
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        path = graphml(f"<graph>{self.NODES}{self.EDGE}</graph>", before=bomb, encoding=encoding)
        assert "declares XML entities" in refused(lambda: read_graph(path), error=UnreadableFileError)

    def test_utf_16_itself_is_welcome(self, graphml):
        path = graphml(f"<graph>{self.NODES}{self.EDGE}</graph>", encoding="utf-16")
        assert read_graph(path).graph.node_ids.tolist() == ["a", "b"]

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (f"<graph>{NODES}<node/>{EDGE}</graph>", "node 3 has no id"),
            (f'<graph>{NODES}<node id="a"/>{EDGE}</graph>', "declares node 'a' twice"),
            (f'<graph>{NODES}<edge source="a"/></graph>', "edge 1 lacks its source or target"),
            (f'<graph>{NODES}{EDGE}<hyperedge><endpoint node="a"/></hyperedge></graph>', "hyperedges"),
            (f'<graph>{NODES}{EDGE}<node id="c"><graph><node id="d"/></graph></node></graph>', "inside a node"),
            (f"<graph>{NODES}{EDGE}</graph><graph/>", "several graphs"),
        ],
    )
    def test_what_would_be_lost_is_refused(self, graphml, refused, body, reason):
        assert reason in refused(lambda: read_graph(graphml(body)), error=UnreadableFileError)

    def test_nodes_that_edges_name_and_nobody_declares_are_said(self, graphml):
        path = graphml(f'<graph>{self.NODES}{self.EDGE}<edge source="ghost" target="b"/></graph>')
        with pytest.warns(GraphWarning, match=r"edges name 1 node\(s\) that are not declared, such as 'ghost'"):
            assert read_graph(path).graph.n_nodes == 3

    def test_ports_are_said_to_be_ignored(self, graphml):
        path = graphml(f'<graph>{self.NODES}<node id="c"><port name="p"/></node>{self.EDGE}</graph>')
        with pytest.warns(GraphWarning, match=r"1 port\(s\) are neither read nor written"):
            assert read_graph(path).graph.n_nodes == 3

    def test_a_whole_number_too_large_for_a_feature_is_left_out_or_refused(self, graphml, refused):
        key = '<key id="k" for="node" attr.name="age" attr.type="long"/>'
        nodes = "".join(f'<node id="{name}"><data key="k">1{"0" * 400}</data></node>' for name in "ab")
        path = graphml(f"<graph>{nodes}{self.EDGE}</graph>", keys=key)
        with pytest.warns(GraphWarning, match="left out, node attribute 'age' holds a number that is too large"):
            assert not read_graph(path).graph.has_features
        assert "'age'" in refused(lambda: read_graph(path, features="attr:age"), error=InvalidGraphError)

    def test_such_a_label_is_refused_and_such_a_weight_is_ignored(self, graphml, refused):
        large = f'<data key="k">1{"0" * 400}</data>'
        nodes = "".join(f'<node id="{name}">{large}</node>' for name in "ab")
        key = '<key id="k" for="node" attr.name="label" attr.type="long"/>'
        path = graphml(f"<graph>{nodes}{self.EDGE}</graph>", keys=key)
        assert "must hold classes" in refused(lambda: read_graph(path), error=InvalidGraphError)
        edge = f'<edge source="a" target="b">{large}</edge>'
        path = graphml(
            f"<graph>{self.NODES}{edge}</graph>", keys=key.replace("node", "edge").replace("label", "weight")
        )
        assert read_graph(path).graph.repairs.weighted == 1
