"""How the program starts: what it imports, what it lists, and how Ctrl-C ends it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest
import typer

from kces.cli.app import COMMANDS
from program import RunKces

UNUSED = ("numba", "sklearn", "torch", "scipy.linalg", "scipy.stats", "scipy.sparse.linalg", "scipy.sparse.csgraph")
"""What a small graph need not wait for: neither slow imports nor a compiler."""

HEAVY = ("numpy", "scipy", "pandas", "numba", "sklearn", "torch")

LOADED = """
import sys
from kces.cli import main
try:
    main({words!r})
except SystemExit as end:
    print(end.code, *[name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["nonsense"], ["--show-completion"]])
def test_what_needs_no_graph_loads_nothing_heavy(words: list[str]) -> None:
    code = LOADED.format(words=words, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout or words in (["nonsense"], ["--show-completion"])  # not every shell has completion
    assert done.stderr.splitlines()[-1] in ("0", "1", "2"), done.stderr


def test_the_default_score_waits_for_no_library_that_it_does_not_use() -> None:
    code = LOADED.format(words=["score", "synthetic:n=40,seed=1"], heavy=UNUSED)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "preset robust" in done.stdout
    assert done.stderr.splitlines()[-1] == "0"


def test_names_of_commands_complete_without_loading_them(monkeypatch: pytest.MonkeyPatch) -> None:
    code = LOADED.format(words=[], heavy=HEAVY)
    for name, value in (("_KCES_COMPLETE", "complete_bash"), ("COMP_WORDS", "kces s"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["score", "sanitize"]
    assert done.stderr.splitlines()[-1] == "0"


def test_the_package_alone_loads_nothing_heavy_and_shows_its_names() -> None:
    code = f"import sys, kces; print(dir(kces)); assert not set({HEAVY!r}) & set(sys.modules); kces.Graph"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"KCES", "Graph", "__version__", "score_edges"} <= set(eval(done.stdout))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_of_a_command_what_its_docstring_says(name: str) -> None:
    module, _, attribute = COMMANDS[name].target.partition(":")
    found = getattr(import_module(module), attribute)
    about = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    assert COMMANDS[name].help == about.splitlines()[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_listed_and_has_help(run_kces: RunKces, name: str) -> None:
    assert f" {name} " in run_kces("--help").out
    ran = run_kces(name, "--help")
    assert ran.code == 0, ran.err
    assert f"Usage: kces {name} " in ran.out


def test_a_misspelt_command_is_told_its_neighbors(run_kces: RunKces) -> None:
    ran = run_kces("sanitise")
    assert ran.code == 2
    assert "No such command 'sanitise'. Did you mean 'sanitize'?" in " ".join(ran.err.split())


def test_ctrl_c_in_a_command_is_one_line_and_code_130(run_kces: RunKces, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kces.cli.gkc.open_input", interrupted)
    assert run_kces("gkc", "digits") == (130, "", "stopped\n")


@pytest.mark.parametrize("module", ["typer", "numpy", "scipy.sparse", "kces.cli.score", "kces.graph"])
def test_ctrl_c_during_an_import_is_one_line_and_code_130(module: str) -> None:
    code = f"""
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from kces.cli import main
main(["score", "synthetic:n=40"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_the_largest_seed_is_the_library_s() -> None:
    from kces.cli import options
    from kces.scorers import score_options

    assert options._LARGEST_SEED == score_options._LARGEST_SEED
