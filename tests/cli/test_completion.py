"""Names that the shell offers, against the registries they are copied from."""

from __future__ import annotations

import pytest

from kces.cli import completion
from kces.datasets import DATASETS
from kces.datasets.builtin import BUILTIN_HELP
from kces.engines import ENGINES
from kces.interop.formats import FORMATS
from kces.lab.attacks import ATTACKS
from kces.lab.defenses import MODELS, PURIFIERS
from kces.scorers import SCORERS
from kces.scorers.pseudo_labels import CLUSTERINGS, ENCODINGS


def test_names_are_those_of_the_registries() -> None:
    assert set(completion.PRESETS) == set(SCORERS)
    assert set(completion.ENGINES) == {"auto", *ENGINES}
    assert set(completion.LABELS) == {*CLUSTERINGS, "given", "train"}
    assert set(completion.ENCODINGS) == set(ENCODINGS)
    assert set(completion.FORMATS) == set(FORMATS)
    assert set(completion.DATASETS) == {*DATASETS, *BUILTIN_HELP}
    assert set(completion.ATTACKS) == set(ATTACKS)
    assert set(completion.DEFENSES) == {*MODELS, *PURIFIERS}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("kces score --preset ", {"paper", "robust"}),
        ("kces score --engine lo", {"local"}),
        ("kces sanitize --labels k", {"kmeans"}),
        ("kces sanitize --format g", {"graphml"}),
        ("kces score co", {"cora", "cora_ml", "cornell"}),
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
