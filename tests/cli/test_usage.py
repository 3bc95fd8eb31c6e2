"""A wrong command line is one line on stderr and exit code 2, at every level."""

from __future__ import annotations

import pytest

from program import RunKces


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["scroe", "x"], "No such command 'scroe'. Did you mean 'score'? See `kces --help`"),
        (["score"], "Missing argument 'GRAPH'; see `kces score --help`"),
        (["sanitize", "digits"], "Missing option '--output' / '-o'; see `kces sanitize --help`"),
        (["score", "digits", "--preest", "robust"], "No such option: --preest"),
        (["score", "digits", "--seed", "x"], "Invalid value for '--seed'"),
        (["score", "digits", "--alpha"], "Option '--alpha' requires an argument"),
        (["score", "digits", "two", "three"], "Got unexpected extra argument"),
        (["score", "digits", "--alpha", "0.1", "--alpha=0.2"], "--alpha is given 2 times; it takes one value"),
        (["evaluate", "digits", "--defense", "gcn", "--defense", "gat"], "--defense is given 2 times"),
        (["lab", "cut", "--seeds", "1", "--seeds", "2"], "--seeds is given 2 times"),
        (["lab", "foo"], "No such command 'foo'; see `kces lab --help`"),
    ],
)
def test_one_line(words: list[str], reason: str, run_kces: RunKces) -> None:
    code, out, err = run_kces(*words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert reason in err


def test_help_is_no_error(run_kces: RunKces) -> None:
    for words in (["--help"], ["score", "--help"], ["--version"]):
        assert run_kces(*words)[0] == 0


def test_help_in_a_narrow_terminal_cuts_no_name(run_kces: RunKces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    for words, name in (
        (["--help"], "sanitize"),
        (["score", "--help"], "--drop-columns"),
        (["lab", "--help"], "study"),
    ):
        code, out, _ = run_kces(*words)
        assert code == 0
        assert name in out
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= 50
