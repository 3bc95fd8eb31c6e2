"""``kces sanitize``: what is written, and what is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from program import RunKces


def test_plain_adjacency_with_features_file(tmp_path: Path, run_kces: RunKces) -> None:
    adjacency = sp.random_array((30, 30), density=0.2, random_state=np.random.default_rng(0), format="csr")
    sp.save_npz(tmp_path / "graph.npz", sp.csr_matrix(adjacency))
    np.save(tmp_path / "features.npy", np.random.default_rng(1).random((30, 4)))
    code, out, err = run_kces(
        "sanitize", str(tmp_path / "graph.npz"), "--features", str(tmp_path / "features.npy"),
        "-o", str(tmp_path / "clean.npz"), "--alpha", "0.3", "--json",
    )  # fmt: skip
    assert code == 0
    assert err.count("warning:") == 1
    assert "one-way" in err
    found = json.loads(out)
    kept = sp.load_npz(tmp_path / "clean.npz")
    both = ((kept + kept.T) != 0).astype(int)
    both.setdiag(0)
    both.eliminate_zeros()
    assert both.nnz // 2 == found["kept"]


def test_existing_output_needs_force(tmp_path: Path, run_kces: RunKces) -> None:
    output = tmp_path / "out.npz"
    output.write_text("precious")
    words = ["sanitize", "synthetic:n=60", "-o", str(output), "--quiet"]
    code, _, err = run_kces(*words)
    assert code == 2
    assert "use force to replace it" in err
    assert output.read_text() == "precious"
    assert run_kces(*words, "--force")[0] == 0
    assert output.read_bytes()[:2] == b"PK"
    assert [file.name for file in tmp_path.iterdir()] == ["out.npz"]


def test_a_file_can_be_sanitized_in_place_by_force(edge_list: Path, run_kces: RunKces) -> None:
    before = edge_list.read_text()
    words = ["sanitize", edge_list, "-o", edge_list, "--alpha", "0.1", "--quiet"]
    assert run_kces(*words).code == 2
    assert edge_list.read_text() == before
    ran = run_kces(*words, "--force")
    assert ran.code == 0, ran.err
    kept = edge_list.read_text().splitlines()
    assert 1 < len(kept) < len(before.splitlines())
    assert set(kept) < set(before.splitlines())
    assert [file.name for file in edge_list.parent.iterdir()] == [edge_list.name]


def test_output_into_a_pipe_is_the_whole_file(edge_list: Path) -> None:
    command = [sys.executable, "-m", "kces", "sanitize", str(edge_list), "-q", "--alpha", "0.1", "-o"]
    plain, named = (subprocess.run([*command, name], capture_output=True, text=True) for name in ("-", "/dev/stdout"))
    assert named.returncode == 0, named.stderr
    assert named.stdout.startswith("source,target,since\n")
    assert (named.stdout, named.stderr) == (plain.stdout, plain.stderr)
    refused = subprocess.run([*command, "/dev/stdout", "--json"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "both write to standard output" in refused.stderr


def test_a_full_folder_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_kces: RunKces
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kces.atomic.os.replace", full)
    monkeypatch.setattr("kces.atomic.os.link", full)
    code, _, err = run_kces("sanitize", "synthetic:n=60", "-o", str(tmp_path / "out.npz"), "--quiet")
    assert code == 2
    assert "No space left on device" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("graph", "verdict", "warned"), [("synthetic:n=300,signal=0", "cannot judge", True), ("digits", "clean", False)]
)
@pytest.mark.parametrize("on_disk", [False, True])
def test_the_verdict_is_said(
    graph: str, verdict: str, warned: bool, on_disk: bool, tmp_path: Path, run_kces: RunKces
) -> None:
    """To people in a line, to machines by name; abstaining is a warning and no failure."""
    if on_disk:
        assert run_kces("convert", graph, "-o", str(tmp_path / "graph.kces"), "--quiet")[0] == 0
        graph = str(tmp_path / "graph.kces")
    code, out, err = run_kces("sanitize", graph, "-o", str(tmp_path / f"a{'.kces' if on_disk else '.npz'}"))
    assert code == 0
    assert f"verdict {verdict}, alpha 0: " in " ".join(out.split())
    assert ("none is cut" in err) == warned
    code, out, _ = run_kces("score", graph, "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["verdict"], found["alpha"]) == (0, verdict, 0.0)
    assert (found["noise"] is None) == (found["noise_interval"] is None) == warned
