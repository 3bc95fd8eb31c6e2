"""Coverage-guided fuzzing of every reader: ``make fuzz``, or ``python tests/fuzz/fuzz_readers.py graphml``.

A reader may accept a file or refuse it with one line (a ``KCESError``). Anything else is a finding: libFuzzer stops and
the file is kept in the folder that is named. Put it into ``tests/data/found`` once it is mended; a test reads those.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from kces.errors import KCESError
from kces.graph import Graph

GRAPHS = {"edge-list": ".csv", "json": ".json", "json-lines": ".jsonl", "npz": ".npz", "graphml": ".graphml"}
OF_LIBRARIES = {"parquet": ".parquet", "pt": ".pt"}
TABLES = {"table": ".csv", "table-json": ".json", "table-npy": ".npy", "table-npz": ".npz", "labels": ".txt"}
FOLDERS = {"manifest": ".json"}
READERS = {**GRAPHS, **OF_LIBRARIES, **TABLES, **FOLDERS}
MEMORY = 512 * 2**20
"""What a file may claim, in bytes; libFuzzer stops at four times as much."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; default: all")
    parser.add_argument("--seconds", type=int, default=30, help="for each reader")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="folder for files that break a reader")
    parser.add_argument("--inside", metavar="READER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        fuzz(given.inside, given.seconds, given.keep)
        return 0
    unknown = sorted(set(given.readers) - set(READERS))
    if unknown:
        parser.error(f"unknown readers: {', '.join(unknown)}")
    given.keep.mkdir(exist_ok=True)
    broken = [name for name in given.readers or READERS if not survives(name, given.seconds, given.keep)]
    print(
        f"broken: {', '.join(broken)}; files in {given.keep}" if broken else "every file was read or refused in a line"
    )
    return 1 if broken else 0


def survives(name: str, seconds: int, keep: Path) -> bool:
    """Fuzz one reader in a process of its own; what libFuzzer says is shown only when it stops."""
    command = [sys.executable, __file__, "--inside", name, "--seconds", str(seconds), "--keep", str(keep)]
    environment = os.environ | {"KCES_MEMORY_LIMIT": str(MEMORY)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = ran.stderr.splitlines()
    last = next((line for line in reversed(said) if line.startswith("#") or "Done" in line), "")
    print(f"{name}: {'sound' if ran.returncode == 0 else 'BROKEN'} {last}", flush=True)
    if ran.returncode:
        print("\n".join(said[-40:]), file=sys.stderr)
    return ran.returncode == 0


def fuzz(name: str, seconds: int, keep: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["kces.interop", "kces.features"]):
        read = reader(name)
    with tempfile.TemporaryDirectory() as folder:
        corpus, file = Path(folder) / "corpus", _place(name, Path(folder))
        corpus.mkdir()
        for number, content in enumerate(seeds(name)):
            (corpus / f"seed-{number}").write_bytes(content)

        def try_file(content: bytes) -> None:
            file.write_bytes(content)
            try:
                read(file)
            except KCESError as refusal:
                if "\n" in str(refusal) or not str(refusal):
                    raise AssertionError(f"not one line: {refusal}") from refusal

        limits = [f"-max_total_time={seconds}", "-timeout=30", f"-rss_limit_mb={4 * MEMORY // 2**20}", "-max_len=8192"]
        atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={keep}/{name}-", str(corpus)], try_file)
        atheris.Fuzz()


def _place(name: str, folder: Path) -> Path:
    """Where a file to be read is put: a manifest among the arrays of a graph folder."""
    if name not in FOLDERS:
        return folder / f"file{READERS[name]}"
    from kces.interop import write_graph

    write_graph(_small_graph(), folder / "seed.kces")
    return folder / "seed.kces" / "manifest.json"


def reader(name: str) -> Callable[[Path], object]:
    """What is fuzzed: a function of a file; imported here so that its branches are seen."""
    from kces.interop import read_graph
    from kces.interop.node_table import read_labels, read_node_table

    if name == "labels":
        return read_labels
    if name in FOLDERS:
        return lambda file: read_graph(file.parent)
    return read_node_table if name in TABLES else read_graph


def seeds(name: str) -> list[bytes]:
    """Small sound files to begin with, made by the writers themselves."""
    import numpy as np

    from kces.interop import write_graph

    numbers = np.arange(6.0).reshape(3, 2)
    texts = {
        "edge-list": [b"source,target,weight\na,b,1\nb,c,2\n", b"0 1\n1 2\n# note\n", b'"a;b";c\n'],
        "table": [b"id,age,town\na,1,x\nb,2,y\nc,,x\n", b"1\t2\n3\t4\n"],
        "table-json": [b'[{"id": "a", "age": 1}, {"id": "b", "age": null}]'],
        "labels": [b"0\n1\n1\n", b"id,label\na,x\nb,y\n"],
    }
    if name in texts:
        return texts[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed{READERS[name]}"
        if name in FOLDERS:
            return [_place(name, Path(folder)).read_bytes()]
        if name == "table-npy":
            np.save(path, numbers)
        elif name == "table-npz":
            np.savez(path, x=numbers)
        else:
            write_graph(_small_graph(), path)
        return [path.read_bytes()]


def _small_graph() -> Graph:
    return Graph.from_edges(
        [[0, 1], [1, 2]], [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], labels=[0, 1, 1], node_ids=["a", "b", "c"]
    )


if __name__ == "__main__":
    sys.exit(main())
