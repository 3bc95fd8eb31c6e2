"""Names that the shell offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "pandas", "numba", "sklearn", "torch")


def test_names_complete_without_loading_what_they_name() -> None:
    code = f"import sys, kces.cli.completion; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("kces score --preset ", {"paper", "robust"}),
        ("kces score --engine lo", {"local"}),
        ("kces sanitize --labels k", {"kmeans"}),
        ("kces sanitize --format g", {"graphml"}),
        ("kces score co", {"cora", "cora_ml", "coauthor_physics", "cornell"}),
        ("kces datasets fetch sq", {"squirrel_filtered"}),
        ("kces datasets i", {"info"}),
        ("kces attack --method me", {"metattack", "metattack-approx"}),
        ("kces evaluate --defense gcn,jac", {"gcn,jaccard"}),
    ],
)
def test_the_shell_gets_them(words: str, expected: set[str], monkeypatch: pytest.MonkeyPatch, run_kces: object) -> None:
    monkeypatch.setenv("_KCES_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    assert set(run_kces().out.split()) == expected  # type: ignore[operator]
