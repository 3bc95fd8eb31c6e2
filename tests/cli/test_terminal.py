"""Terminals of every kind: without Unicode, narrow, or none at all."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from rich.console import Console

from kces.cli import output
from kces.cli.output import show_table
from kces.cli.terminal import print_error, stay_printable, warnings_as_lines
from program import RunKces

NARROW = 50


def run_in_ascii(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "kces", *words]
    return subprocess.run(command, capture_output=True, encoding="ascii", env=environment)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["bound", "synthetic:n=30,seed=1", "--edges"],
        ["datasets", "list"],
    ],
)
def test_an_ascii_terminal_gets_ascii(words: list[str]) -> None:
    done = run_in_ascii(*words)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.isascii()
    assert len(done.stdout) > 100


def test_an_error_reaches_an_ascii_terminal_too() -> None:
    done = run_in_ascii("score", "Bücher–2.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("error: no such file: B")
    assert done.stderr.count("\n") == 1


def test_a_stream_replaces_what_its_encoding_lacks() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    stay_printable(stream)
    stream.write("81.2 ± 0.3 – λ, 漢 and \udcff")
    stream.flush()
    assert raw.getvalue() == b"81.2 +/- 0.3 - lambda, ? and ?"


def test_warnings_are_one_line_and_those_for_programmers_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet, expected in ((False, "warning: dropped [2] rows\n"), (True, "")):
        with warnings_as_lines(quiet=quiet):
            warnings.warn("dropped [2]\n  rows", UserWarning, stacklevel=1)
            warnings.warn("`jit` is deprecated", DeprecationWarning, stacklevel=1)
        assert capsys.readouterr().err == expected


def test_reading_a_pt_file_says_nothing_about_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra kces[pyg]")
    pytest.importorskip("torch_geometric", reason="needs the extra kces[pyg]")
    ring = torch.arange(12)
    torch.save({"edge_index": torch.stack([ring, ring.roll(1)]), "x": torch.eye(12)}, tmp_path / "ring.pt")
    command = [sys.executable, "-m", "kces", "gkc", str(tmp_path / "ring.pt"), "--clusters", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.startswith("GKC of ring")
    assert "torch" not in done.stderr
    assert "deprecated" not in done.stderr


# -- tables ----------------------------------------------------------------------------------------


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal of 50 columns shows."""
    shown = io.StringIO()
    monkeypatch.setattr(output, "console", Console(file=shown, width=NARROW, color_system=None))
    return shown


def shown_on(terminal: io.StringIO) -> str:
    text = terminal.getvalue()
    assert max(map(len, text.splitlines())) <= NARROW
    return text


def test_a_table_that_fits_is_a_table(narrow: io.StringIO) -> None:
    show_table("edges", ["rank", "[score]"], [["1", "0.5"], ["2", "[red]"]])
    text = shown_on(narrow)
    assert "│ 1    │     0.5 │" in text
    assert "│ 2    │   [red] │" in text
    assert "[score]" in text


def test_one_long_column_is_broken_between_words(narrow: io.StringIO) -> None:
    about = "the accuracy of every method on five graphs under six attacks"
    show_table("experiments", ["name", "what it makes"], [["table-robustness", about], ["table-k", "short"]])
    text = shown_on(narrow)
    assert "│ table-robustness │" in text
    assert "…" not in text
    assert set(about.split()) <= set(text.split())


def test_a_wide_table_becomes_a_list_per_row(narrow: io.StringIO) -> None:
    columns = ["name", "nodes", "edges", "features", "classes", "MB", "local"]
    rows = [["squirrel_filtered", "2,223", "46,998", "2,089", "5", "0.75", "yes"], ["digits", *["–"] * 5, "no"]]
    show_table("data sets", columns, rows)
    text = shown_on(narrow)
    assert "name squirrel_filtered" in text
    for column, cell in zip(columns[1:], rows[0][1:], strict=True):
        assert [column, cell] in [line.split() for line in text.splitlines()]


def test_a_name_of_a_million_letters_does_not_fill_the_screen(narrow: io.StringIO) -> None:
    show_table("edges", ["rank", "source"], [["1", "a" * 10**6]])
    assert len(shown_on(narrow)) < 3_000
    assert "…" in narrow.getvalue()


def test_names_give_the_terminal_no_commands(narrow: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    show_table("edges", ["source"], [["\x1b]0;title\x07"], ["a\u202eb"], ["Jos\xe9"]])
    print_error("\x1b[2J is not a node")
    for text in (shown_on(narrow), capsys.readouterr().err):
        assert not set("\x1b\x07\u202e") & set(text)
    assert "\\x1b]0;title" in narrow.getvalue()
    assert "Jos\xe9" in narrow.getvalue()


def test_nor_does_an_error_about_one(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(f"{'a' * 10**6} is not a node")
    assert len(capsys.readouterr().err) < 1_100


def test_a_word_longer_than_the_terminal_is_folded_not_cut(narrow: io.StringIO) -> None:
    path = "/data/" + "long/" * 20 + "cora.npz"
    show_table("verified files", ["name", "bytes", "path"], [["cora", "1,234", path]])
    assert path in "".join(shown_on(narrow).split())


@pytest.mark.parametrize(
    "words",
    [
        ["datasets", "list", "-q"],
        ["datasets", "info", "synthetic:n=60"],
        ["reproduce", "list"],
        ["bound", "synthetic:n=30,seed=1", "--edges"],
        ["score", "synthetic:n=40"],
    ],
)
def test_no_command_cuts_its_table_on_a_narrow_terminal(
    run_kces: RunKces, words: list[str], narrow: io.StringIO
) -> None:
    ran = run_kces(*words)
    assert ran.code == 0, ran.err
    lines = narrow.getvalue().splitlines()
    assert lines
    assert not [line for line in lines if re.search(r"\w…", line)]


def test_no_bar_is_drawn_into_a_log(run_kces: RunKces) -> None:
    code, _, err = run_kces("score", "synthetic:n=60,seed=1")
    assert (code, err) == (0, "")
