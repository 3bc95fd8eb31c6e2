"""Files of strange content that nobody had listed: each is read as it says, or refused with the reason."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pytest

from kces.errors import GraphWarning, InvalidGraphError, KCESError
from kces.interop import read_graph
from kces.interop.limits import unpacked
from kces.memory import peak_memory

MEGABYTE = 2**20


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("twice.json", '[{"source": "a", "source": "z", "target": "b"}]', "an object names 'source' twice"),
        (
            "twice.jsonl",
            '{"source": "a", "target": "b", "target": "q"}',
            "line 1 is not JSON: an object names 'target'",
        ),
        ("outside.json", '{"edges": [["a", "b"]], "edges": [["a", "c"]]}', "an object names 'edges' twice"),
        ("half.json", '[{"source": "\\ud800", "target": "b"}]', "half of a character"),
        ("half.jsonl", '{"source": "a", "target": "b", "note": "\\udc00"}', "line 1 is not JSON: half of a character"),
        ("nul.json", '[["b", "c"], ["a\\u0000", "a"]]', "record 2 has a node id with a NUL in it"),
        ("nul.csv", "a\0,b\nb,c\n", "holds binary data"),
        ("deep.json", "[" * 100_000, "recursion"),
        ("deep.jsonl", '{"source": "a", "target": ' + "[" * 100_000, "line 1 is not JSON"),
        ("digits.json", f'[{{"source": 1{"0" * 5_000}, "target": 2}}]', "digits"),
        ("flag.json", '[{"source": true, "target": false}, {"source": false, "target": true}]', "integers or text"),
        ("list.json", '[{"source": [1], "target": [2]}]', "integers or text"),
        ("none.json", '[{"source": NaN, "target": 2}]', "missing node id"),
        ("quote.csv", 'source,target\n"a,b\nb,c\n', "opens a quote that never closes"),
        ("mark.csv", "\ufeff", "holds no records"),
    ],
)
def test_what_cannot_be_told_is_refused(text, refused, name, content, reason):
    assert reason in refused(lambda: read_graph(text(name, content)))


@pytest.mark.parametrize(
    ("content", "edges"),
    [
        ("a,b\r\nb,c\nc,d\re,f\r\n", 4),
        ('"a""b",c\nc,"d\ne"\n', 2),
        ("a\x85x,b\nb\u2028y,c\n", 2),
        ("-0,0\n0,1\n+1,1\n01,1\n1.0,1\n", 5),
        ("\x1b[31mred\x1b[0m,b\nb,\x07\n", 2),
    ],
)
def test_text_is_taken_at_its_word(text, content, edges):
    assert read_graph(text("g.csv", "source,target\n" + content)).graph.n_edges == edges


def test_an_emoji_in_two_halves_is_a_character(text):
    graph = read_graph(text("g.jsonl", '{"source": "\\ud83d\\ude00", "target": "\\\\ud800"}')).graph
    assert set(graph.node_ids) == {"\N{GRINNING FACE}", "\\ud800"}


@pytest.mark.parametrize("other", ["Jose\u0301", "Jos\xe9\u200b", "\ufeffJos\xe9", "JOS\xc9"])
def test_names_that_look_alike_are_two_nodes_and_it_is_said(text, other):
    with pytest.warns(GraphWarning, match="taken for two nodes; 1 name.s. differ by case, blanks or hidden marks"):
        graph = read_graph(text("g.csv", f"source,target\nJos\xe9,b\n{other},b\n")).graph
    assert graph.n_nodes == 3


def test_nodes_that_are_called_like_nothing_are_nodes_and_it_is_said(text):
    with pytest.warns(GraphWarning, match="5 row.s. name a node 'nan'"):
        graph = read_graph(text("g.csv", "source,target\nnan,None\nNone,NULL\nNULL,inf\ninf,x\nx,nan\nNA,nan\n")).graph
    assert graph.n_nodes == 6


def test_a_square_table_with_one_long_cell_stays_small(text):
    file = text("g.csv", f"source,target,note\na,b,{'x' * 3_000_000}\nb,c,y\n")
    before = peak_memory()
    assert read_graph(file).graph.n_edges == 2
    assert peak_memory() - before < 150 * MEGABYTE


def test_packed_files_that_are_cut_doubled_or_damaged(tmp_path, refused):
    sound = gzip.compress(b"source,target\na,b\nb,c\n")
    damaged = {
        "cut": sound[:-6],
        "checksum": sound[:-8] + bytes(4) + sound[-4:],
        "garbage": sound + b"garbage",
        "twice": gzip.compress(sound),
        "plain": b"source,target\na,b\n",
    }
    for name, content in damaged.items():
        path = tmp_path / f"{name}.csv.gz"
        path.write_bytes(content)
        assert "readable gzip file" in refused(lambda path=path: read_graph(path)) or name == "twice"
    assert unpacked(sound + gzip.compress(b"c,d\n"), tmp_path).endswith(b"b,c\nc,d\n")


class TestParquetTypes:
    @pytest.fixture
    def saved(self, tmp_path):
        pa = pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
        parquet = pytest.importorskip("pyarrow.parquet")

        def write(sources: object, targets: object, kind: str | None = None):
            columns = {
                name: pa.array(values, None if kind is None else getattr(pa, kind)())
                for name, values in (("source", sources), ("target", targets))
            }
            parquet.write_table(pa.table(columns), tmp_path / "g.parquet")
            return tmp_path / "g.parquet"

        return write

    @pytest.mark.parametrize("kind", ["float16", "uint64", "string", "large_string"])
    def test_numbers_and_text_of_any_width_are_ids_without_a_word(self, saved, kind):
        values = {"float16": np.float16([1, 2, 3]), "uint64": [2**63 + 1, 2**63 + 2, 5]}.get(kind, ["a", "b", "c"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert read_graph(saved(values[:2], values[1:], kind)).graph.n_nodes == 3

    @pytest.mark.parametrize("values", [[b"\xff", b"b"], [True, False], [{"a": 1}, {"a": 2}], [1.5, 2.5], ["a", None]])
    def test_what_is_no_id_is_refused(self, saved, refused, values):
        refused(lambda: read_graph(saved(values, values[::-1])), error=InvalidGraphError)


def test_torch_tensors_of_every_layout(tmp_path):
    torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
    pytest.importorskip("torch_geometric", reason="needs the extra kces[pyg]")
    ring = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
    one = torch.eye(5)
    read = {
        "sparse": one.to_sparse(),
        "strided": torch.arange(50.0).reshape(5, 10)[:, ::2],
        "expanded": torch.ones(1, 3).expand(5, 3),
        "half": one.to(torch.bfloat16),
        "learned": one.clone().requires_grad_(),
    }
    for name, features in read.items():
        torch.save({"edge_index": ring, "x": features}, tmp_path / f"{name}.pt")
        assert np.isfinite(abs(read_graph(tmp_path / f"{name}.pt").graph.features).sum())
    refused = {
        "complex": {"edge_index": ring, "x": one.to(torch.complex64)},
        "meta": {"edge_index": ring, "x": torch.empty(5, 10**12, device="meta")},
        "endless": {"edge_index": torch.zeros(1, 1, dtype=torch.long).expand(2, 10**11)},
        "nested": [[[ring]]],
    }
    for name, content in refused.items():
        torch.save(content, tmp_path / f"{name}.pt")
        with pytest.raises(KCESError):
            read_graph(tmp_path / f"{name}.pt")
