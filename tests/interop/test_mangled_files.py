"""Mangled, cut and random files: every reader either succeeds or gives a one-line error, and runs nothing."""

from __future__ import annotations

import gzip
import importlib.util
import json
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from kces.errors import KCESError
from kces.interop import read_graph, write_graph
from kces.interop.formats import FORMATS
from kces.interop.node_table import read_labels, read_node_table

NEEDS = {"parquet": "pyarrow", "graphml": "networkx", "pt": "torch_geometric"}
AVAILABLE = [
    name
    for name, known in FORMATS.items()
    if not known.is_folder and importlib.util.find_spec(NEEDS.get(name, "numpy"))  # a folder has no bytes to mangle
]
TABLES = ("x.csv", "x.tsv", "x.json", "x.jsonl", "x.csv.gz", "x.npy", "x.npz")
ROUNDS = 60


def mangled(content: bytes, chance: random.Random) -> bytes:
    """One of: cut short, bytes changed, a piece removed, a piece doubled, noise put in."""
    start, stop = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    kind = chance.randrange(5)
    if kind == 0:
        return content[:stop]
    if kind == 1:
        changed = bytearray(content)
        for _ in range(chance.choice([1, 4, 32])):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    if kind == 2:
        return content[:start] + content[stop:]
    if kind == 3:
        return content[:stop] + content[start:]
    return content[:start] + chance.randbytes(chance.choice([1, 8, 200])) + content[start:]


def assert_read_or_refused(read, *arguments, **options) -> bool:
    """True when the file was accepted; any error but a one-line KCESError fails the test."""
    try:
        read(*arguments, **options)
    except KCESError as error:
        refusal = str(error)
    else:
        return True
    assert refusal
    assert "\n" not in refusal
    return False


@pytest.fixture
def valid(tmp_path, path_graph) -> dict[str, bytes]:
    contents = {}
    for name in AVAILABLE:
        path = tmp_path / f"valid{FORMATS[name].extensions[0]}"
        write_graph(path_graph, path)
        contents[name] = path.read_bytes()
    return contents


@pytest.mark.parametrize("name", AVAILABLE)
def test_mangled_files_of_the_format(tmp_path, valid, name):
    chance = random.Random(f"mangle {name}")
    path = tmp_path / f"g{FORMATS[name].extensions[0]}"
    for _ in range(ROUNDS):
        path.write_bytes(mangled(valid[name], chance))
        assert_read_or_refused(read_graph, path)


def test_mangled_arrays_inside_a_sound_archive(tmp_path, path_graph):
    """Checksums catch most damage to a zip; a crafted file has sound checksums around mangled arrays."""
    chance = random.Random("arrays")
    write_graph(path_graph, tmp_path / "g.npz")
    with zipfile.ZipFile(tmp_path / "g.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    outcomes = []
    for _ in range(6 * ROUNDS):
        victim = chance.choice(list(members))
        with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
            for name, raw in members.items():
                archive.writestr(name, mangled(raw, chance) if name == victim else raw)
        outcomes.append(assert_read_or_refused(read_graph, tmp_path / "m.npz"))
    assert {True, False} == set(outcomes), "the fuzz is blind if nothing is accepted or nothing refused"


@pytest.mark.parametrize("name", AVAILABLE)
def test_every_reader_survives_the_files_of_every_other_and_noise(tmp_path, valid, name):
    chance = random.Random(f"noise {name}")
    path = tmp_path / f"g{FORMATS[name].extensions[0]}"
    noise = [chance.randbytes(size) for size in (1, 2, 10, 100, 5000)]
    for content in [*valid.values(), *noise, b"\n", b"\n\n#", b",", b"\xef\xbb\xbf", b'"']:
        path.write_bytes(content)
        assert_read_or_refused(read_graph, path)
    path.write_bytes(valid[name])
    assert assert_read_or_refused(read_graph, path)


@pytest.mark.parametrize("name", TABLES)
def test_mangled_features_and_labels(tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".npy":
        np.save(path, np.arange(12.0).reshape(4, 3))
    elif path.suffix == ".npz":
        np.savez(path, np.arange(12.0).reshape(4, 3))
    else:
        path.write_bytes(node_table(name))
    content = path.read_bytes()
    assert assert_read_or_refused(read_rows, path)
    chance = random.Random(f"table {name}")
    for _ in range(ROUNDS):
        path.write_bytes(mangled(content, chance))
        assert_read_or_refused(read_rows, path)
        assert_read_or_refused(read_labels, path)


def node_table(name: str) -> bytes:
    """A table of three nodes in the format of the name."""
    rows = [{"id": "0", "x": "1", "label": "cat"}, {"id": "1", "x": "2", "label": "dog"}, {"id": "2", "x": "3.5"}]
    if name == "x.json":
        return json.dumps(rows).encode()
    if name == "x.jsonl":
        return "\n".join(map(json.dumps, rows)).encode()
    text = "id,x,label\n0,1,cat\n1,2,dog\n2,3.5,\n".replace(",", "\t" if name == "x.tsv" else ",")
    return gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()


def read_rows(path: Path) -> None:
    """Read a features file to the end: the columns are looked at when the nodes are known."""
    read_node_table(path).rows_for(np.array(["0", "1", "2"], dtype=object))


class Bomb:
    """Leaves a file behind if it is ever unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.trace), "w")


def test_the_bomb_works(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "trace"))).close()
    assert (tmp_path / "trace").exists()


@pytest.mark.parametrize("member", ["adj_data", "labels", "attr_matrix", "anything"])
def test_a_pickle_in_an_npz_never_runs(tmp_path, member):
    arrays: dict[str, object] = {"adj_indices": [1, 0], "adj_indptr": [0, 1, 2], "adj_shape": [2, 2]}
    arrays |= {"adj_data": [1.0, 1.0], member: np.array([Bomb(tmp_path / "trace")], dtype=object)}
    np.savez(tmp_path / "g.npz", **arrays)
    accepted = assert_read_or_refused(read_graph, tmp_path / "g.npz")
    assert accepted == (member == "anything")
    if accepted:
        read_graph(tmp_path / "g.npz").write(tmp_path / "out.npz", [True])
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("protocol", [2, 4, None])
def test_a_pickle_in_a_pt_never_runs(tmp_path, protocol, refused):
    torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
    pytest.importorskip("torch_geometric", reason="needs the extra kces[pyg]")
    path = tmp_path / "g.pt"
    if protocol is None:
        torch.save({"edge_index": Bomb(tmp_path / "trace")}, path)
    else:
        path.write_bytes(pickle.dumps(Bomb(tmp_path / "trace"), protocol=protocol))
    assert "never loaded" in refused(lambda: read_graph(path))
    assert not (tmp_path / "trace").exists()


def test_pickles_as_features_and_labels_never_run(tmp_path, refused):
    np.save(tmp_path / "x.npy", np.array([Bomb(tmp_path / "trace")], dtype=object))
    assert "pickled" in refused(lambda: read_node_table(tmp_path / "x.npy"))
    assert "pickled" in refused(lambda: read_labels(tmp_path / "x.npy"))
    assert not (tmp_path / "trace").exists()
